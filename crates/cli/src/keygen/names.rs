// SPDX-License-Identifier: Apache-2.0
//! Which key goes to which file.

use crate::failure::{Failure, Of};
use crate::files::{Place, check_folder, folder};
use std::collections::BTreeMap;
use std::fs::DirBuilder;
use std::os::unix::fs::DirBuilderExt;
use std::path::{self, Path, PathBuf};

/// The files of a number of keys.
pub struct Names {
    /// None for standard output.
    pattern: Option<String>,
    count: usize,
    /// Digits of a number at least.
    width: usize,
    /// A folder to be made for them.
    new_folder: Option<PathBuf>,
}

impl Names {
    /// Files by `pattern`: a name with `{}` in it, or a folder, in which they are called `key-{}` with `extension`.
    pub fn new(pattern: Option<&Path>, extension: &str, count: usize, option: &str) -> Result<Names, Failure> {
        let several = format!("{option}: {count} keys need a folder, as keys/, or a name with {{}} in it");
        let Some(path) = pattern.filter(|path| *path != Path::new("-")) else {
            let names = Names { pattern: None, count, width: 0, new_folder: None };
            return if count == 1 { Ok(names) } else { Err(Failure::Usage(several)) };
        };
        let Some(text) = path.to_str() else {
            return Err(Failure::Usage(format!("{option}: {} is not UTF-8", path.display())));
        };
        let folder = path.is_dir() || text.ends_with('/');
        let new_folder = (folder && !path.exists()).then(|| path.to_owned());
        let pattern = if folder { format!("{}/key-{{}}.{extension}", text.trim_end_matches('/')) } else { text.into() };
        if count > 1 && !pattern.contains("{}") {
            return Err(Failure::Usage(several));
        }
        // As many digits as the last.
        Ok(Names { pattern: Some(pattern), count, width: count.to_string().len(), new_folder })
    }

    /// Numbers have as many digits as those of the files that are there, of whichever of `all` names: with another count
    /// they are still the same files.
    pub fn keep_width(all: &mut [&mut Names]) -> Result<(), Failure> {
        let mut found = BTreeMap::new();
        for names in all.iter() {
            for (digits, file) in names.there() {
                // One with a zero in front has the very width; another at least that.
                found.entry((digits.starts_with('0'), digits.len())).or_insert(file);
            }
        }
        // Those without a zero come first, the shortest first.
        let Some(shortest) = found.keys().map(|(_, length)| *length).min() else { return Ok(()) };
        let mut exact = found.iter().filter(|((padded, _), _)| *padded);
        let width = exact.next().map_or(shortest, |((_, length), _)| *length);
        let other = exact.next().or_else(|| found.iter().find(|((_, length), _)| *length < width));
        if let Some((_, other)) = other {
            let padded = found.iter().find(|((padded, _), _)| *padded).map_or(other, |(_, file)| file);
            let text = format!("{} and {}: have numbers of different widths", padded.display(), other.display());
            return Err(Failure::Environment(text).and("move those of one width away"));
        }
        for names in all {
            names.width = width;
        }
        Ok(())
    }

    /// The numbers that are there, as they are written, with their files; of those that are asked for.
    fn there(&self) -> Vec<(String, PathBuf)> {
        let Some(pattern) = self.pattern.as_deref().filter(|pattern| pattern.contains("{}")) else { return Vec::new() };
        let (before, after) = pattern.split_once("{}").expect("it has one");
        // The part of the path in which the first number is, and the folder above.
        let (parent, start) = before.rsplit_once('/').map_or((".", before), |(parent, start)| (parent, start));
        let parent = if before.starts_with('/') && parent.is_empty() { "/" } else { parent };
        let end = after.split('/').next().unwrap_or_default();
        let part = format!("{start}{{}}{end}");
        let mut there = Vec::new();
        for entry in Path::new(parent).read_dir().into_iter().flatten().flatten() {
            let name = entry.file_name();
            let Some(rest) = name.to_str().and_then(|name| name.strip_prefix(start)) else { continue };
            let most = rest.bytes().take_while(u8::is_ascii_digit).count();
            let written = (1..=most).map(|length| &rest[..length]).find(|digits| {
                digits.parse().is_ok_and(|number| (1..=self.count).contains(&number))
                    && name.to_str() == Some(&part.replace("{}", digits))
            });
            let file = written.map(|digits| (digits.to_owned(), PathBuf::from(pattern.replace("{}", digits))));
            there.extend(file.filter(|(_, file)| file.symlink_metadata().is_ok()));
        }
        there
    }

    /// Their folders.
    pub fn folders(&self) -> Vec<PathBuf> {
        let Some(pattern) = &self.pattern else { return Vec::new() };
        let numbered = folder(Path::new(pattern)).to_str().is_some_and(|folder| folder.contains("{}"));
        let count = if numbered { self.count } else { 1 };
        (0..count).filter_map(|index| self.of(index)).map(|file| folder(&file)).collect()
    }

    /// The file of key `index`, from 0; the first is number 1. None for standard output.
    pub fn of(&self, index: usize) -> Option<PathBuf> {
        let number = format!("{:0width$}", index + 1, width = self.width);
        self.pattern.as_ref().map(|pattern| pattern.replace("{}", &number).into())
    }

    /// Whether the files have numbers.
    pub fn are_numbered(&self) -> bool {
        self.pattern.as_ref().is_some_and(|pattern| pattern.contains("{}"))
    }

    /// Whether they are in a folder that is not there yet, and neither are they.
    pub fn are_new(&self) -> bool {
        self.new_folder.is_some()
    }

    /// Makes that folder. Private keys may be in it, so it is its owner's.
    pub fn make_folder(&self) -> Result<(), Failure> {
        let Some(folder) = self.new_folder.as_ref().filter(|folder| !folder.is_dir()) else { return Ok(()) };
        check_folder(folder)?;
        DirBuilder::new().mode(0o700).create(folder).of(folder.display())
    }

    /// Whether it is one key, for standard output, by whichever of its names.
    fn is_standard(&self) -> bool {
        let is_standard = |pattern| matches!(Place::of(Path::new(pattern)), Ok(Place::Standard));
        self.pattern.as_ref().is_none_or(is_standard)
    }

    /// A file that is one of the `other`s too.
    pub fn shared_with(&self, other: &Names) -> Option<PathBuf> {
        if self.is_standard() && other.is_standard() {
            return Some("standard output".into());
        }
        let (own, others) = (self.resolved(), other.resolved());
        let shared = (0..self.count).find(|&index| own.of(index).is_some_and(|path| others.has(&path)))?;
        self.of(shared)
    }

    /// The same by their folder's one true name.
    fn resolved(&self) -> Names {
        let resolve = |pattern: &String| {
            let (path, name) = (Path::new(pattern), pattern.rsplit('/').next().unwrap_or_default());
            let folder = folder(path).canonicalize().or_else(|_| path::absolute(folder(path)));
            folder.map_or(pattern.clone(), |folder| format!("{}/{name}", folder.display()))
        };
        Names { pattern: self.pattern.as_ref().map(resolve), new_folder: None, ..*self }
    }

    fn has(&self, path: &Path) -> bool {
        let number = || {
            let (before, _) = self.pattern.as_ref()?.split_once("{}")?;
            let rest = path.to_str()?.strip_prefix(before)?;
            // Numbers beyond the width are longer: all that could be one.
            let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
            let all = (self.width..=digits).filter_map(|length| rest[..length].parse().ok());
            Some(all.collect::<Vec<usize>>())
        };
        let numbers = number().unwrap_or_else(|| vec![1]);
        let own =
            |number: &usize| (1..=self.count).contains(number) && self.of(number - 1).is_some_and(|own| own == path);
        numbers.iter().any(own)
    }

    /// What a prompt calls them.
    pub fn subject(&self) -> String {
        self.pattern.clone().unwrap_or_else(|| "the key".into())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(pattern: &str, count: usize) -> Names {
        Names::new(Some(Path::new(pattern)), "pem", count, "--out").unwrap()
    }

    #[test]
    fn numbers_have_as_many_digits_as_the_last() {
        assert_eq!(names("a-{}.pem", 10).of(0).unwrap(), Path::new("a-01.pem"));
        assert_eq!(names("a-{}.pem", 10).of(9).unwrap(), Path::new("a-10.pem"));
        assert_eq!(names("key.pem", 1).of(0).unwrap(), Path::new("key.pem"));
    }

    #[test]
    fn several_keys_never_share_a_file() {
        for pattern in [None, Some(Path::new("-")), Some(Path::new("key.pem"))] {
            assert!(Names::new(pattern, "pem", 2, "--out").is_err());
        }
    }

    #[test]
    fn a_file_of_two_patterns_is_found_whichever_number_it_has_in_each() {
        let shared = |a, b, count| names(a, count).shared_with(&names(b, count));
        assert_eq!(shared("k1{}", "k{}1", 99).unwrap(), Path::new("k101"));
        assert_eq!(shared("a-{}.pem", "./a-{}.pem", 3).unwrap(), Path::new("a-1.pem"));
        assert_eq!(shared("src/{}", "src/../src/{}", 3).unwrap(), Path::new("src/1"));
        assert_eq!(shared("not-there/{}-{}", "./not-there/{}-2", 3).unwrap(), Path::new("not-there/2-2"));
        assert_eq!(shared("a-{}.pem", "a-{}.pub.pem", 3), None);
        assert_eq!(shared("{}/key", "{}/public", 3), None);
        assert_eq!(shared("key.pem", "key.pem", 1).unwrap(), Path::new("key.pem"));
    }
}
