//! Which key goes to which file.

use crate::failure::Failure;
use std::path::{Path, PathBuf};

/// The files of a number of keys.
pub struct Names {
    /// None for standard output.
    pattern: Option<String>,
    width: usize,
}

impl Names {
    /// Files by `pattern`: a name with `{}` in it, or a folder, in which they are called `key-{}` with `extension`.
    pub fn new(pattern: Option<&Path>, extension: &str, count: usize, option: &str) -> Result<Names, Failure> {
        let width = count.to_string().len();
        let several = format!("{option}: {count} keys need a folder, or a name with {{}} in it");
        let Some(path) = pattern.filter(|path| *path != Path::new("-")) else {
            return if count == 1 { Ok(Names { pattern: None, width }) } else { Err(Failure::Usage(several)) };
        };
        let Some(text) = path.to_str() else {
            return Err(Failure::Usage(format!("{option}: {} is not UTF-8", path.display())));
        };
        let folder = path.is_dir() || text.ends_with('/');
        if folder && !path.is_dir() {
            return Err(Failure::Environment(format!("{text}: no such folder")));
        }
        let pattern = if folder { format!("{}/key-{{}}.{extension}", text.trim_end_matches('/')) } else { text.into() };
        if count > 1 && !pattern.contains("{}") {
            return Err(Failure::Usage(several));
        }
        Ok(Names { pattern: Some(pattern), width })
    }

    /// The file of key `index`, from 0; the first is number 1. None for standard output.
    pub fn of(&self, index: usize) -> Option<PathBuf> {
        let number = format!("{:0width$}", index + 1, width = self.width);
        self.pattern.as_ref().map(|pattern| pattern.replace("{}", &number).into())
    }

    /// What a prompt calls them.
    pub fn subject(&self) -> String {
        self.pattern.clone().unwrap_or_else(|| "the key".into())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_have_as_many_digits_as_the_last() {
        let names = Names::new(Some(Path::new("a-{}.pem")), "pem", 10, "--out").unwrap();
        assert_eq!(names.of(0).unwrap(), Path::new("a-01.pem"));
        assert_eq!(names.of(9).unwrap(), Path::new("a-10.pem"));
        let one = Names::new(Some(Path::new("key.pem")), "pem", 1, "--out").unwrap();
        assert_eq!(one.of(0).unwrap(), Path::new("key.pem"));
    }

    #[test]
    fn several_keys_never_share_a_file() {
        for pattern in [None, Some(Path::new("-")), Some(Path::new("key.pem"))] {
            assert!(Names::new(pattern, "pem", 2, "--out").is_err());
        }
    }
}
