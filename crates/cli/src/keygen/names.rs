// SPDX-License-Identifier: Apache-2.0
//! Which key goes to which file.

use crate::failure::{Failure, Of};
use crate::files::{check_folder, folder};
use std::fs::DirBuilder;
use std::os::unix::fs::DirBuilderExt;
use std::path::{self, Path, PathBuf};

/// The files of a number of keys.
pub struct Names {
    /// None for standard output.
    pattern: Option<String>,
    count: usize,
    /// A folder to be made for them.
    new_folder: Option<PathBuf>,
}

impl Names {
    /// Files by `pattern`: a name with `{}` in it, or a folder, in which they are called `key-{}` with `extension`.
    pub fn new(pattern: Option<&Path>, extension: &str, count: usize, option: &str) -> Result<Names, Failure> {
        let several = format!("{option}: {count} keys need a folder, as keys/, or a name with {{}} in it");
        let Some(path) = pattern.filter(|path| *path != Path::new("-")) else {
            let names = Names { pattern: None, count, new_folder: None };
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
        Ok(Names { pattern: Some(pattern), count, new_folder })
    }

    /// The file of key `index`, from 0; the first is number 1. None for standard output.
    pub fn of(&self, index: usize) -> Option<PathBuf> {
        // As many digits as the last.
        let number = format!("{:0width$}", index + 1, width = self.width());
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

    /// A file that is one of the `other`s too.
    pub fn shared_with(&self, other: &Names) -> Option<PathBuf> {
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
        Names { pattern: self.pattern.as_ref().map(resolve), count: self.count, new_folder: None }
    }

    fn has(&self, path: &Path) -> bool {
        let number = || {
            let (before, _) = self.pattern.as_ref()?.split_once("{}")?;
            path.to_str()?.strip_prefix(before)?.get(..self.width())?.parse().ok()
        };
        let number: usize = number().unwrap_or(1);
        (1..=self.count).contains(&number) && self.of(number - 1).is_some_and(|own| own == path)
    }

    fn width(&self) -> usize {
        self.count.to_string().len()
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
