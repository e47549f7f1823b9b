//! Files that commands read and write, with `-` for standard input.
//!
//! A file is written beside its place and moved there when it is whole: who reads it sees all of it or nothing, and an
//! existing one is never lost to an error or, without `--force`, at all.

use crate::failure::{Failure, Of};
use crate::output;
use std::fs::{File, OpenOptions};
use std::io::{self, IsTerminal, Read, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use tempfile::Builder;
use zeroize::Zeroizing;

/// Something to read.
pub struct Input {
    name: String,
    reader: Box<dyn Read + Send>,
}

impl Input {
    /// Opens a file; standard input for none and for `-`.
    pub fn open(path: Option<&Path>) -> Result<Input, Failure> {
        match path {
            Some(path) if path != Path::new("-") => {
                let file = File::open(path).of(path.display())?;
                // Reading a directory fails only at the first read, in words that name nothing.
                if file.metadata().of(path.display())?.is_dir() {
                    return Err(Failure::Environment(format!("{}: is a directory", path.display())));
                }
                Ok(Input { name: path.display().to_string(), reader: Box::new(file) })
            }
            _ => Ok(Input { name: "standard input".into(), reader: Box::new(io::stdin()) }),
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

/// Where a result goes.
#[derive(Debug, Clone, Copy)]
pub struct Destination<'a> {
    /// Standard output for none and for `-`.
    path: Option<&'a Path>,
    force: bool,
}

impl<'a> Destination<'a> {
    /// Refuses an existing file unless forced, and a folder that is not there: before anything is computed. An existing
    /// file is refused again in [`Destination::write`].
    pub fn new(path: Option<&'a Path>, force: bool) -> Result<Destination<'a>, Failure> {
        let path = path.filter(|path| *path != Path::new("-"));
        if let Some(path) = path {
            if path.is_dir() {
                return Err(Failure::Environment(format!("{}: is a directory", path.display())));
            }
            if !force && is_file(path) {
                return Err(exists(path));
            }
            check_folder(path)?;
        }
        Ok(Destination { path, force })
    }

    /// Writes all of `content`; `binary` content is not shown on a terminal.
    pub fn write(&self, content: &[u8], access: Access, binary: bool) -> Result<(), Failure> {
        let Some(path) = self.path else {
            if binary && io::stdout().is_terminal() {
                let text = "standard output is a terminal, which binary data can disturb; name a file with --out";
                return Err(Failure::Usage(text.into()));
            }
            return output::write_bytes(content);
        };
        if path.exists() && !is_file(path) {
            // A pipe or a device is written to, never replaced.
            return File::create(path).and_then(|mut file| file.write_all(content)).of(path.display());
        }
        let mode = if access == Access::Owner { 0o600 } else { 0o666 };
        // Opened and written as what it is: tempfile's own errors name the temporary file, which nobody asked for.
        let create = |path: &Path| OpenOptions::new().write(true).create_new(true).mode(mode).open(path);
        let mut file = Builder::new().prefix(".garner-").make_in(folder(path), create).of(path.display())?;
        file.as_file_mut().write_all(content).and_then(|()| file.as_file().sync_all()).of(path.display())?;
        if self.force {
            file.persist(path).map(drop).map_err(|error| error.error).of(path.display())
        } else {
            file.persist_noclobber(path).map(drop).map_err(|error| match error.error.kind() {
                io::ErrorKind::AlreadyExists => exists(path),
                _ => Failure::Environment(format!("{}: {}", path.display(), error.error)),
            })
        }
    }
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
