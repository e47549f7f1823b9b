// SPDX-License-Identifier: Apache-2.0
//! What the name of an output stands for. Only descriptors go by links that are followed, as /dev/stdout does: a link of
//! any other name may be somebody's who wants a file written that he cannot write.

use crate::failure::{Failure, Of};
use rustix::process::geteuid;
use std::fs::Metadata;
use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

/// Names of standard output.
const STANDARD_OUTPUT: [&str; 4] = ["-", "/dev/stdout", "/dev/fd/1", "/proc/self/fd/1"];

/// What a name stands for.
#[derive(Debug)]
pub enum Place {
    /// Standard output.
    Standard,
    /// An open descriptor, as in `/dev/fd`: somebody opened it to be written.
    Open(PathBuf),
    /// A pipe or a device, which is written to and never replaced.
    Special(PathBuf),
    /// A regular file, a link, or nothing yet.
    Name(PathBuf),
}

impl Place {
    /// What `path` stands for.
    pub fn of(path: &Path) -> Result<Place, Failure> {
        if STANDARD_OUTPUT.iter().any(|name| path == Path::new(name)) {
            return Ok(Place::Standard);
        }
        // Below /proc a link is a descriptor; /dev/stderr leads there.
        let descriptors = folder(path).canonicalize().is_ok_and(|folder| folder.starts_with("/proc"));
        if path == Path::new("/dev/stderr") || descriptors && path.is_symlink() {
            return Ok(Place::Open(path.to_owned()));
        }
        match path.symlink_metadata() {
            Ok(metadata) if is_special(&metadata) => {
                check_owner(&metadata, path).map(|()| Place::Special(path.to_owned()))
            }
            Ok(_) => Ok(Place::Name(path.to_owned())),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(Place::Name(path.to_owned())),
            Err(error) => Err(error).of(path.display()),
        }
    }
}

/// Whether it is a pipe, a device or a socket.
pub fn is_special(metadata: &Metadata) -> bool {
    let kind = metadata.file_type();
    !kind.is_file() && !kind.is_dir() && !kind.is_symlink()
}

/// Refuses a pipe or device of somebody who is neither this user nor root: its reader would get the result.
pub fn check_owner(metadata: &Metadata, path: &Path) -> Result<(), Failure> {
    let owner = metadata.uid();
    if owner == 0 || owner == geteuid().as_raw() {
        return Ok(());
    }
    Err(Failure::Environment(format!(
        "{}: belongs to another user ({owner}), who would get the result",
        path.display()
    )))
}

/// Refuses a file whose folder is not there.
pub fn check_folder(path: &Path) -> Result<(), Failure> {
    let folder = folder(path);
    let reason = match folder.metadata() {
        Ok(metadata) if metadata.is_dir() => return Ok(()),
        Ok(_) => format!("{} is no folder", folder.display()),
        Err(error) if error.kind() == io::ErrorKind::NotFound => format!("no such folder: {}", folder.display()),
        Err(error) => format!("{}: {error}", folder.display()),
    };
    Err(reason).of(path.display())
}

/// The folder of a file.
pub fn folder(path: &Path) -> PathBuf {
    match path.parent() {
        Some(parent) if parent != Path::new("") => parent.to_owned(),
        _ => PathBuf::from("."),
    }
}
