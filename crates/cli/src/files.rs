// SPDX-License-Identifier: Apache-2.0
//! Files that commands read and write, with `-` for standard input or output.
//!
//! A file is written beside its place and moved there when it is whole: who reads it sees all of it or nothing, and an
//! existing one is never lost to an error or, without `--force`, at all. Links to it stay.

use crate::failure::{Failure, Of};
use crate::output;
use std::fs::{File, OpenOptions};
use std::io::{self, IsTerminal, Read, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use tempfile::{Builder, NamedTempFile};
use zeroize::Zeroizing;

/// Names of standard input.
const STANDARD_INPUT: [&str; 4] = ["-", "/dev/stdin", "/dev/fd/0", "/proc/self/fd/0"];

/// Names of standard output.
const STANDARD_OUTPUT: [&str; 4] = ["-", "/dev/stdout", "/dev/fd/1", "/proc/self/fd/1"];

/// What standard input is taken for: whoever read it a second time would find it empty.
static TAKEN: OnceLock<&str> = OnceLock::new();

/// As many links as the kernel follows.
const LINKS: usize = 40;

/// Something to read.
pub struct Input {
    name: String,
    reader: Box<dyn Read + Send>,
}

impl Input {
    /// Opens a file as `role`, such as `the key`; standard input, which can have one role only, for none and for `-`.
    pub fn open(path: Option<&Path>, role: &'static str) -> Result<Input, Failure> {
        match path {
            Some(path) if !is_standard_input(path) => {
                let file = File::open(path).of(path.display())?;
                // Reading a directory fails only at the first read, in words that name nothing.
                if file.metadata().of(path.display())?.is_dir() {
                    return Err(Failure::Environment(format!("{}: is a directory", path.display())));
                }
                Ok(Input { name: path.display().to_string(), reader: Box::new(file) })
            }
            _ => {
                if let Err(role) = TAKEN.set(role) {
                    let first = TAKEN.get().copied().unwrap_or_default();
                    let text = format!("standard input: is {first} already; name a file for {role}");
                    return Err(Failure::Usage(text));
                }
                Ok(Input { name: "standard input".into(), reader: Box::new(io::stdin()) })
            }
        }
    }

    /// What errors call it.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// All of it, refused beyond `limit` bytes; wiped when dropped.
    pub fn read_all(self, limit: usize) -> Result<Zeroizing<Vec<u8>>, Failure> {
        let too_long = Failure::Environment(format!("{}: is longer than {limit} bytes", self.name));
        self.read_within(limit)?.ok_or(too_long)
    }

    /// All of it, or none if it is longer than `limit` bytes; wiped when dropped.
    pub fn read_within(self, limit: usize) -> Result<Option<Zeroizing<Vec<u8>>>, Failure> {
        // Of the final size from the start: a vector that grew would leave copies behind.
        let mut content = Zeroizing::new(Vec::with_capacity(limit + 1));
        self.reader.take(limit as u64 + 1).read_to_end(&mut content).of(&self.name)?;
        Ok((content.len() <= limit).then_some(content))
    }
}

impl Read for Input {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.reader.read(buffer)
    }
}

/// Who may read a new file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Access {
    /// Whom the umask lets.
    Everybody,
    /// Its owner.
    Owner,
}

/// What a name stands for, once links are followed.
#[derive(Debug)]
pub enum Place {
    /// Standard output.
    Standard,
    /// An open descriptor, as in `/dev/fd`: somebody opened it to be written.
    Open(PathBuf),
    /// A name in a folder, whether something is there or not.
    Name(PathBuf),
}

impl Place {
    /// Where `path` leads.
    pub fn of(path: &Path) -> Result<Place, Failure> {
        // Links that the kernel does not follow, as those of others in /tmp, are not followed.
        match path.metadata() {
            Err(error) if path.is_symlink() && error.kind() != io::ErrorKind::NotFound => {
                return Err(error).of(path.display());
            }
            _ => {}
        }
        let mut place = path.to_owned();
        for _ in 0..LINKS {
            if is_standard_output(&place) {
                return Ok(Place::Standard);
            }
            let Ok(target) = place.read_link() else { return Ok(Place::Name(place)) };
            let folder = folder(&place);
            if folder.canonicalize().is_ok_and(|folder| folder.starts_with("/proc")) {
                return Ok(Place::Open(place));
            }
            place = folder.join(target);
        }
        Err(Failure::Environment(format!("{}: too many links", path.display())))
    }
}

/// Where a result goes.
#[derive(Debug)]
pub struct Destination<'a> {
    /// As it was asked for.
    name: &'a Path,
    place: Place,
    force: bool,
}

impl<'a> Destination<'a> {
    /// Refuses an existing file unless forced, and a folder that is not there: before anything is computed. An existing
    /// file is refused again in [`Destination::write`].
    pub fn new(path: Option<&'a Path>, force: bool) -> Result<Destination<'a>, Failure> {
        let name = path.unwrap_or(Path::new("-"));
        let place = Place::of(name)?;
        if let Place::Name(place) = &place {
            if place.is_dir() {
                return Err(Failure::Environment(format!("{}: is a directory", name.display())));
            }
            // A link that leads nowhere yet is somebody's, too.
            if !force && (is_file(place) || name.is_symlink() && !place.exists()) {
                return Err(exists(name));
            }
            check_folder(place)?;
        }
        Ok(Destination { name, place, force })
    }

    /// Refuses a folder that takes no new file: before what takes long.
    pub fn try_out(&self) -> Result<(), Failure> {
        match &self.place {
            Place::Name(place) if !is_special(place) => self.temporary(place, Access::Owner).map(drop),
            _ => Ok(()),
        }
    }

    /// Writes all of `content`; `binary` content is not shown on a terminal.
    pub fn write(&self, content: &[u8], access: Access, binary: bool) -> Result<(), Failure> {
        let name = self.name.display();
        let through = |file: io::Result<File>| file.and_then(|mut file| file.write_all(content)).of(&name);
        let place = match &self.place {
            Place::Standard if binary && io::stdout().is_terminal() => {
                let text = "standard output is a terminal, which binary data can disturb; name a file with --out";
                return Err(Failure::Usage(text.into()));
            }
            Place::Standard => return output::write_bytes(content),
            // What others wrote there before stays.
            Place::Open(place) => return through(OpenOptions::new().append(true).open(place)),
            // A pipe or a device is written to, never replaced.
            Place::Name(place) if is_special(place) => return through(OpenOptions::new().write(true).open(place)),
            Place::Name(place) => place,
        };
        let mut file = self.temporary(place, access)?;
        file.as_file_mut().write_all(content).and_then(|()| file.as_file().sync_all()).of(&name)?;
        if self.force {
            file.persist(place).map(drop).map_err(|error| error.error).of(&name)
        } else {
            file.persist_noclobber(place).map(drop).map_err(|error| match error.error.kind() {
                io::ErrorKind::AlreadyExists => exists(self.name),
                _ => Failure::Environment(format!("{name}: {}", error.error)),
            })
        }
    }

    /// A new file beside `place`.
    fn temporary(&self, place: &Path, access: Access) -> Result<NamedTempFile, Failure> {
        let mode = if access == Access::Owner { 0o600 } else { 0o666 };
        // Opened and written as what it is: tempfile's own errors name the temporary file, which nobody asked for.
        let create = |path: &Path| OpenOptions::new().write(true).create_new(true).mode(mode).open(path);
        let file = Builder::new().prefix(".garner-").make_in(folder(place), create).of(self.name.display())?;
        Ok(file)
    }
}

/// Whether a name is one of standard input's.
pub fn is_standard_input(path: &Path) -> bool {
    STANDARD_INPUT.iter().any(|name| path == Path::new(name))
}

/// Whether a name is one of standard output's.
pub fn is_standard_output(path: &Path) -> bool {
    STANDARD_OUTPUT.iter().any(|name| path == Path::new(name))
}

/// Whether there is something that is no regular file.
fn is_special(path: &Path) -> bool {
    path.metadata().is_ok_and(|metadata| !metadata.is_file())
}

/// Whether there is a regular file.
pub fn is_file(path: &Path) -> bool {
    path.metadata().is_ok_and(|metadata| metadata.is_file())
}

/// The error for a file that is not to be overwritten.
pub fn exists(path: &Path) -> Failure {
    Failure::Environment(format!("{}: exists already; --force overwrites it", path.display()))
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
