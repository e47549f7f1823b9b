// SPDX-License-Identifier: Apache-2.0
//! The output while it grows: `FILE.partial`, which becomes `FILE` when it is whole.

use crate::failure::{Failure, Of};
use crate::files::{Place, check_folder, exists, folder};
use crate::interruption::Interruptible;
use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, BufReader, Read, Seek, SeekFrom, Stdout, Write};
use std::path::{Path, PathBuf};

/// A growing output file, locked.
pub struct Partial {
    whole: PathBuf,
    path: PathBuf,
    name: String,
    file: File,
    force: bool,
    restart: bool,
    /// Bytes that were there.
    length: u64,
}

impl Partial {
    /// Opens what is left of an interrupted run, or begins anew.
    pub fn open(path: &Path, force: bool, restart: bool) -> Result<Partial, Failure> {
        if !force && (path.exists() || path.is_symlink()) {
            return Err(exists(path));
        }
        // A device, a pipe or a descriptor would be replaced in the end; what a link leads to is, and the link stays.
        let whole = match Place::of(path)? {
            Place::Name(whole) if whole.is_file() || !whole.exists() => whole,
            _ => return Err(Failure::Environment(format!("{}: is no regular file", path.display()))),
        };
        check_folder(&whole)?;
        let mut path = whole.as_os_str().to_owned();
        path.push(".partial");
        let path = PathBuf::from(path);
        let name = path.display().to_string();
        let file = OpenOptions::new().read(true).write(true).create(true).truncate(false).open(&path).of(&name)?;
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => {
                return Err(Failure::Environment(format!("{name}: another garner is writing it")));
            }
            Err(TryLockError::Error(error)) => return Err(error).of(&name),
        }
        if restart {
            file.set_len(0).of(&name)?;
        }
        let length = file.metadata().of(&name)?.len();
        Ok(Partial { whole, path, name, file, force, restart, length })
    }

    /// What errors call it.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// How many bytes were there when it was opened.
    pub fn length(&self) -> u64 {
        self.length
    }

    /// What was there.
    pub fn read(&mut self) -> Result<impl Read + use<>, Failure> {
        self.file.seek(SeekFrom::Start(0)).of(&self.name)?;
        let file = self.file.try_clone().of(&self.name)?;
        Ok(BufReader::with_capacity(64 << 10, file))
    }

    /// Goes on after the first `length` bytes, and forgets the others.
    pub fn go_on(&mut self, length: u64) -> Result<(), Failure> {
        self.file.set_len(length).of(&self.name)?;
        self.file.seek(SeekFrom::Start(length)).of(&self.name)?;
        Ok(())
    }

    /// Appends whole signatures.
    pub fn append(&mut self, bytes: &[u8]) -> Result<(), Failure> {
        self.file.write_all(bytes).of(&self.name)
    }

    /// The output is whole.
    pub fn finish(self) -> Result<(), Failure> {
        self.file.sync_all().of(&self.name)?;
        if !self.force && self.whole.exists() {
            return Err(self.keep(exists(&self.whole)));
        }
        fs::rename(&self.path, &self.whole).of(self.whole.display())?;
        // The new name is as durable as the content; not every file system lets a folder be synchronised.
        let _ = File::open(folder(&self.whole)).and_then(|folder| folder.sync_all());
        Ok(())
    }

    /// The output is not whole: says where the beginning of it is, and what goes on from there.
    pub fn keep(&self, failure: Failure) -> Failure {
        if self.remove_empty() {
            return failure;
        }
        let left = self.left();
        match failure {
            Failure::Input(_) => {
                failure.and(&format!("{left}; correct that line, or what it names, and {}", self.again()))
            }
            _ => failure.and(&format!("{left}; {}", self.again())),
        }
    }

    /// What an interruption leaves, in words.
    pub fn interrupted(&self) -> String {
        if self.remove_empty() { "nothing was signed".into() } else { format!("{}; {}", self.left(), self.again()) }
    }

    fn left(&self) -> String {
        format!("what was signed before is in {}", self.name)
    }

    fn again(&self) -> &'static str {
        if self.restart {
            "the same command without --restart goes on from there"
        } else {
            "the same command goes on from there"
        }
    }

    /// Removes the file if nothing is in it, which is nothing to go on from.
    fn remove_empty(&self) -> bool {
        let empty = self.file.metadata().is_ok_and(|metadata| metadata.len() == 0);
        empty && fs::remove_file(&self.path).is_ok()
    }
}

/// Where signatures go as they come.
pub enum Growing<'a> {
    /// A file that is not whole yet.
    File(&'a Interruptible<Partial>),
    /// Standard output.
    Standard(Stdout),
}

impl Growing<'_> {
    /// Appends whole signatures.
    pub fn append(&mut self, bytes: &[u8]) -> Result<(), Failure> {
        match self {
            Growing::File(partial) => partial.with(|partial| partial.append(bytes)),
            Growing::Standard(stdout) => {
                let write = |stdout: &mut Stdout| -> io::Result<()> {
                    stdout.write_all(bytes)?;
                    stdout.flush()
                };
                Ok(write(stdout)?)
            }
        }
    }
}
