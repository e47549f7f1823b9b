// SPDX-License-Identifier: Apache-2.0
//! The output while it grows: `FILE.partial`, which becomes `FILE` when it is whole.

use crate::failure::{Failure, Of};
use crate::files::{Identity, exists, folder, refuse_input, settle};
use rustix::fs::{CWD, OFlags};
use rustix::process::geteuid;
use std::fs::{self, File, Metadata, OpenOptions, TryLockError};
use std::io::{self, BufReader, Read, Seek, SeekFrom, Write};
use std::os::unix::fs::{MetadataExt, OpenOptionsExt};
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
    /// Opens what is left of an interrupted run of the output `whole`, or begins anew.
    ///
    /// It may be anywhere, in /tmp too, so what is there under that name is looked at before it is written: no link is
    /// followed, and neither another user's file nor one that has another name is touched.
    pub fn open(whole: &Path, force: bool, restart: bool) -> Result<Partial, Failure> {
        let mut path = whole.as_os_str().to_owned();
        path.push(".partial");
        let (whole, path) = (whole.to_owned(), PathBuf::from(path));
        let name = path.display().to_string();
        if path.is_symlink() {
            return Err(Failure::Environment(format!("{name}: is a link, which garner never made; remove it")));
        }
        // Without waiting for the other end, if it is a pipe.
        let flags = (OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::NOCTTY).bits() as i32;
        let mut options = OpenOptions::new();
        options.read(true).write(true).create(true).truncate(false).custom_flags(flags);
        let file = options.open(&path).of(&name)?;
        let metadata = file.metadata().of(&name)?;
        if let Some(reason) = stranger(&metadata) {
            return Err(Failure::Environment(format!("{name}: {reason}; remove it, or write elsewhere")));
        }
        refuse_input(&metadata, &name)?;
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => {
                return Err(Failure::Environment(format!("{name}: another garner is writing it")));
            }
            Err(TryLockError::Error(error)) => return Err(error).of(&name),
        }
        let partial = Partial { whole, path, name, file, force, restart, length: 0 };
        // Whoever held the lock before may have moved the file to its place.
        partial.check_name()?;
        if restart {
            partial.file.set_len(0).of(&partial.name)?;
        }
        let length = partial.file.metadata().of(&partial.name)?.len();
        Ok(Partial { length, ..partial })
    }

    /// Which file it is.
    pub fn identity(&self) -> Option<Identity> {
        self.file.metadata().ok().as_ref().and_then(Identity::of)
    }

    /// Refuses to go on if the name is another file's meanwhile.
    fn check_name(&self) -> Result<(), Failure> {
        let named = self.path.symlink_metadata().ok().as_ref().and_then(Identity::of);
        if named.is_some() && named == self.identity() {
            return Ok(());
        }
        Err(Failure::Environment(format!("{}: was moved away by somebody meanwhile", self.name)))
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
        self.check_name()?;
        match settle(&self.path, CWD, &self.whole, self.force) {
            Ok(()) => {}
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => return Err(self.keep(exists(&self.whole))),
            Err(error) => return Err(error).of(self.whole.display()),
        }
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

/// Why a file is none that an interrupted run of this user left.
fn stranger(metadata: &Metadata) -> Option<String> {
    let me = geteuid().as_raw();
    match metadata {
        file if !file.is_file() => Some("is no regular file".into()),
        file if file.uid() != me => Some(format!("belongs to another user ({})", file.uid())),
        file if file.nlink() != 1 => Some(format!("has {} names, of which another may be somebody's", file.nlink())),
        _ => None,
    }
}
