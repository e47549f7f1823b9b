// SPDX-License-Identifier: Apache-2.0
//! Where a result goes. A file is written whole or not at all: an existing one is never lost to an error or, without
//! `--force`, at all. A link is replaced as any other name; what it leads to is never touched.

use super::fresh;
use super::identity::refuse_input;
use super::place::{Place, check_folder, check_owner, folder, is_special};
use crate::failure::{Failure, Of};
use rustix::fs::{CWD, OFlags};
use std::fs::{File, OpenOptions};
use std::io::{self, IsTerminal, Stdout, Write};
use std::os::fd::AsFd;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{OpenOptionsExt, fchown};
use std::path::Path;
use tempfile::NamedTempFile;

/// Who may read a new file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Access {
    /// Whom the umask lets.
    Everybody,
    /// Its owner.
    Owner,
    /// This user alone, whose file it is to be, and this group's.
    Given(u32, u32),
}

/// Where a result goes.
#[derive(Debug)]
pub struct Destination<'a> {
    /// As it was asked for.
    name: &'a Path,
    place: Place,
    force: bool,
}

/// What takes a result as it comes.
pub enum Stream {
    /// Standard output.
    Standard(Stdout),
    /// A pipe, a device or an open descriptor, and what errors call it.
    File(File, String),
}

impl<'a> Destination<'a> {
    /// Refuses an existing file unless forced, one that is an input, and a folder that is not there: before anything is
    /// computed. All but the folder is refused again in [`Destination::write`].
    pub fn new(path: Option<&'a Path>, force: bool) -> Result<Destination<'a>, Failure> {
        let name = path.unwrap_or(Path::new("-"));
        let destination = Destination { name, place: Place::of(name)?, force };
        if let Place::Name(place) = &destination.place {
            if place.is_dir() {
                return Err(Failure::Environment(format!("{}: is a directory", name.display())));
            }
            if place.as_os_str().as_bytes().ends_with(b"/") {
                let text = format!("{}: is the name of a directory; name a file for the result", name.display());
                return Err(Failure::Environment(text));
            }
            // A link that leads nowhere yet is somebody's, too.
            if !force && place.symlink_metadata().is_ok() {
                return Err(exists(name));
            }
            check_folder(place)?;
        }
        destination.check_inputs()?;
        Ok(destination)
    }

    /// As it was asked for.
    pub fn name(&self) -> &'a Path {
        self.name
    }

    /// Whether it is standard output.
    pub fn is_standard(&self) -> bool {
        matches!(self.place, Place::Standard)
    }

    /// Refuses a file that is an input, whichever of its names and links is given.
    fn check_inputs(&self) -> Result<(), Failure> {
        let metadata = match &self.place {
            Place::Standard => {
                let stdout = io::stdout().as_fd().try_clone_to_owned().map(File::from);
                return stdout?.metadata().map_or(Ok(()), |metadata| refuse_input(&metadata, "standard output"));
            }
            Place::Open(place) | Place::Special(place) | Place::Name(place) => place.metadata(),
        };
        metadata.map_or(Ok(()), |metadata| refuse_input(&metadata, self.name.display()))
    }

    /// Refuses a file that became an input since, and a folder that takes no new file: before what takes long or cannot be
    /// taken back.
    pub fn try_out(&self) -> Result<(), Failure> {
        self.check_inputs()?;
        match &self.place {
            Place::Name(place) => self.temporary(place, Access::Owner).map(drop),
            _ => Ok(()),
        }
    }

    /// What takes the result as it comes; none for a file. `binary` content is not shown on a terminal.
    pub fn stream(&self, binary: bool) -> Result<Option<Stream>, Failure> {
        self.check_inputs()?;
        let name = self.name.display();
        let file = match &self.place {
            Place::Standard if binary && io::stdout().is_terminal() => {
                let text = "standard output is a terminal, which binary data can disturb; name a file with --out";
                return Err(Failure::Usage(text.into()));
            }
            Place::Standard => return Ok(Some(Stream::Standard(io::stdout()))),
            // What others wrote there before stays.
            Place::Open(place) => OpenOptions::new().append(true).open(place).of(&name)?,
            Place::Special(place) => {
                let flags = (OFlags::NOFOLLOW | OFlags::NOCTTY).bits();
                let file = OpenOptions::new().write(true).custom_flags(flags as i32).open(place).of(&name)?;
                let metadata = file.metadata().of(&name)?;
                if !is_special(&metadata) {
                    return Err(Failure::Environment(format!("{name}: became another file meanwhile")));
                }
                check_owner(&metadata, place)?;
                file
            }
            Place::Name(_) => return Ok(None),
        };
        Ok(Some(Stream::File(file, name.to_string())))
    }

    /// Writes all of `content`; `binary` content is not shown on a terminal.
    pub fn write(&self, content: &[u8], access: Access, binary: bool) -> Result<(), Failure> {
        let (name, Place::Name(place)) = (self.name.display(), &self.place) else {
            return self.stream(binary)?.map_or(Ok(()), |mut stream| stream.write(content));
        };
        self.check_inputs()?;
        let mut file = self.temporary(place, access)?;
        if let Access::Given(uid, gid) = access {
            // Before it has its name, and by its descriptor: whoever may write to the folder could put a link in its place.
            fchown(file.as_file(), Some(uid), Some(gid)).of(&name)?;
        }
        file.as_file_mut().write_all(content).and_then(|()| file.as_file().sync_all()).of(&name)?;
        match fresh::settle(file.path(), CWD, place, self.force) {
            Ok(()) => {
                // It has its place: there is nothing left to remove.
                let _ = file.into_temp_path().keep();
                // The new name is as durable as the content; not every file system lets a folder be synchronised.
                let _ = File::open(folder(place)).and_then(|folder| folder.sync_all());
                Ok(())
            }
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Err(exists(self.name)),
            Err(error) => Err(error).of(&name),
        }
    }

    /// A new file beside `place`.
    fn temporary(&self, place: &Path, access: Access) -> Result<NamedTempFile, Failure> {
        let mode = if access == Access::Everybody { 0o666 } else { 0o600 };
        fresh::create(&folder(place), mode).of(self.name.display())
    }
}

impl Stream {
    /// Writes all of `bytes` at once.
    pub fn write(&mut self, bytes: &[u8]) -> Result<(), Failure> {
        match self {
            Stream::Standard(stdout) => {
                stdout.write_all(bytes)?;
                Ok(stdout.flush()?)
            }
            Stream::File(file, name) => file.write_all(bytes).of(name),
        }
    }
}

/// The error for a file that is not to be overwritten.
pub fn exists(path: &Path) -> Failure {
    let what = if path.is_symlink() { "a link; --force replaces it" } else { "--force overwrites it" };
    Failure::Environment(format!("{}: exists already; {what}", path.display()))
}
