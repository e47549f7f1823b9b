// SPDX-License-Identifier: Apache-2.0
//! New files, written beside their place and moved there when they are whole: who reads one sees all of it or nothing.
//!
//! Each is locked until it has its place. What a killed run left is locked by nobody, and the next one removes it.

use super::identity::Identity;
use rustix::fs::{AtFlags, CWD, RenameFlags, linkat, renameat, renameat_with, unlinkat};
use rustix::io::Errno;
use rustix::process::geteuid;
use std::fs::{OpenOptions, TryLockError};
use std::io;
use std::os::fd::AsFd;
use std::os::unix::fs::{MetadataExt, OpenOptionsExt};
use std::path::Path;
use tempfile::{Builder, NamedTempFile};

/// How the names of such files begin.
const PREFIX: &str = ".garner-";

/// How many random characters follow.
const RANDOM: usize = 6;

/// How often a file is made that somebody takes for one left behind, in the moment before it is locked.
const ATTEMPTS: usize = 8;

/// A new file in `folder`, with at most the permissions `mode`.
pub fn create(folder: &Path, mode: u32) -> io::Result<NamedTempFile> {
    // Opened and written as what it is: tempfile's own errors name the temporary file, which nobody asked for.
    let open = |path: &Path| OpenOptions::new().write(true).create_new(true).mode(mode).open(path);
    for _ in 0..ATTEMPTS {
        let file = Builder::new().prefix(PREFIX).rand_bytes(RANDOM).make_in(folder, open)?;
        match file.as_file().try_lock() {
            Err(TryLockError::WouldBlock) => {}
            // A file system without locks: then nobody can lock what is left either, and it stays.
            Err(TryLockError::Error(_)) => return Ok(file),
            Ok(()) if file.as_file().metadata()?.nlink() > 0 => return Ok(file),
            Ok(()) => {}
        }
    }
    Err(io::Error::new(io::ErrorKind::ResourceBusy, "new files are removed as soon as they are made"))
}

/// Moves the whole file `from` to `name` in `folder`; over what is there only if `replace`.
pub fn settle(from: &Path, folder: impl AsFd, name: &Path, replace: bool) -> io::Result<()> {
    let folder = folder.as_fd();
    if replace {
        return Ok(renameat(CWD, from, folder, name)?);
    }
    match renameat_with(CWD, from, folder, name, RenameFlags::NOREPLACE) {
        // Not every file system can.
        Err(Errno::INVAL | Errno::NOSYS) => {
            linkat(CWD, from, folder, name, AtFlags::empty())?;
            Ok(unlinkat(CWD, from, AtFlags::empty())?)
        }
        outcome => Ok(outcome?),
    }
}

/// Removes from `folder` what killed runs of this user left. What another run is writing is locked, and stays.
pub fn tidy(folder: &Path) {
    let Ok(entries) = folder.read_dir() else { return };
    for entry in entries.flatten() {
        let name = entry.file_name();
        let random = name.to_str().and_then(|name| name.strip_prefix(PREFIX));
        if random.is_some_and(|random| random.len() == RANDOM && random.bytes().all(|c| c.is_ascii_alphanumeric())) {
            // One that cannot be removed is as it was.
            let _ = remove_abandoned(&entry.path());
        }
    }
}

fn remove_abandoned(path: &Path) -> io::Result<()> {
    let flags = (rustix::fs::OFlags::NOFOLLOW | rustix::fs::OFlags::NONBLOCK).bits();
    let file = OpenOptions::new().read(true).custom_flags(flags as i32).open(path)?;
    let metadata = file.metadata()?;
    if !metadata.is_file() || metadata.uid() != geteuid().as_raw() || metadata.nlink() != 1 || file.try_lock().is_err()
    {
        return Ok(());
    }
    // What is locked may have got its place meanwhile, and the name be another's.
    if Identity::of(&path.symlink_metadata()?) == Identity::of(&metadata) {
        std::fs::remove_file(path)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    #[test]
    fn only_what_nobody_is_writing_is_tidied_up() {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name);
        for left in [".garner-abc123", ".garner-ABCDEF"] {
            fs::write(path(left), "what a killed run left").unwrap();
        }
        let others = [".garner-abc12", ".garner-abc1234", ".garner-key.pe", "garner-abc123"];
        for other in others {
            fs::write(path(other), "somebody's").unwrap();
        }
        fs::write(path("two names"), "kept").unwrap();
        fs::hard_link(path("two names"), path(".garner-twolin")).unwrap();
        std::os::unix::fs::symlink("two names", path(".garner-alink1")).unwrap();
        let writing = create(folder.path(), 0o600).unwrap();
        tidy(folder.path());
        let mut there: Vec<_> = folder.path().read_dir().unwrap().map(|entry| entry.unwrap().path()).collect();
        let mut kept: Vec<_> =
            others.into_iter().chain([".garner-twolin", ".garner-alink1", "two names"]).map(path).collect();
        kept.push(writing.path().to_owned());
        there.sort();
        kept.sort();
        assert_eq!(there, kept);
    }

    #[test]
    fn nothing_is_replaced_unasked() {
        let folder = tempfile::tempdir().unwrap();
        let (new, old) = (folder.path().join("new"), folder.path().join("old"));
        fs::write(&new, "new").unwrap();
        fs::write(&old, "old").unwrap();
        assert_eq!(settle(&new, CWD, &old, false).unwrap_err().kind(), io::ErrorKind::AlreadyExists);
        assert_eq!(fs::read(&old).unwrap(), b"old");
        settle(&new, CWD, &old, true).unwrap();
        assert_eq!(fs::read(&old).unwrap(), b"new");
        assert!(!new.exists());
    }
}
