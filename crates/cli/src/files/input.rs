// SPDX-License-Identifier: Apache-2.0
//! What commands read: a file, a pipe, standard input.

use super::identity::Identity;
use crate::failure::{Failure, Of};
use rustix::fs::OFlags;
use std::fs::{File, Metadata};
use std::io::{self, Read, Seek};
use std::os::fd::AsFd;
use std::os::unix::fs::{FileExt, OpenOptionsExt};
use std::path::Path;
use std::sync::OnceLock;
use zeroize::Zeroizing;

/// Names of standard input.
const STANDARD_INPUT: [&str; 4] = ["-", "/dev/stdin", "/dev/fd/0", "/proc/self/fd/0"];

/// What standard input is taken for: whoever read it a second time would find it empty.
static TAKEN: OnceLock<&str> = OnceLock::new();

/// Something to read.
pub struct Input {
    name: String,
    file: File,
}

impl Input {
    /// Opens a file as `role`, such as `the key`; standard input, which can have one role only, for none and for `-`.
    pub fn open(path: Option<&Path>, role: &'static str) -> Result<Input, Failure> {
        let input = Input::one_of_many(path, role)?;
        if let Some(identity) = input.identity() {
            identity.is_read_as(role);
        }
        Ok(input)
    }

    /// The same for one of so many that they are not remembered: whoever opens it sees to it that it is no output.
    pub fn one_of_many(path: Option<&Path>, role: &'static str) -> Result<Input, Failure> {
        let (name, file) = match path {
            Some(path) if !is_standard_input(path) => {
                (path.display().to_string(), File::open(path).of(path.display())?)
            }
            _ => {
                if let Err(role) = TAKEN.set(role) {
                    let first = TAKEN.get().copied().unwrap_or_default();
                    let text = format!("standard input: is {first} already; name a file for {role}");
                    return Err(Failure::Usage(text));
                }
                let name = "standard input".to_owned();
                let file = io::stdin().as_fd().try_clone_to_owned().of(&name)?.into();
                (name, file)
            }
        };
        // Reading a directory fails only at the first read, in words that name nothing.
        if file.metadata().of(&name)?.is_dir() {
            return Err(Failure::Environment(format!("{name}: is a directory")));
        }
        Ok(Input { name, file })
    }

    /// The same for a name of a list that others may have made. But for standard input, what is no regular file is refused: a
    /// pipe may have nobody who writes, and a device no end.
    pub fn of_list(path: &Path, role: &'static str) -> Result<Input, Failure> {
        if is_standard_input(path) {
            return Input::one_of_many(Some(path), role);
        }
        let name = path.display().to_string();
        let flags = (OFlags::NONBLOCK | OFlags::NOCTTY).bits().cast_signed();
        let file = File::options().read(true).custom_flags(flags).open(path).of(&name)?;
        if !file.metadata().of(&name)?.is_file() {
            return Err(Failure::Environment(format!("{name}: is no regular file")));
        }
        Ok(Input { name, file })
    }

    /// The same for a file that is this user's own, as keys that are there are: no link is followed, and nothing waited for.
    pub fn of_no_link(path: &Path) -> Result<Input, Failure> {
        let name = path.display().to_string();
        let flags = (OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::NOCTTY).bits().cast_signed();
        let file = match File::options().read(true).custom_flags(flags).open(path) {
            Err(error) if path.is_symlink() => return Err(error).of(format_args!("{name}: is a link")),
            file => file.of(&name)?,
        };
        Ok(Input { name, file })
    }

    /// What is known of it.
    pub fn metadata(&self) -> Result<Metadata, Failure> {
        self.file.metadata().of(&self.name)
    }

    /// What errors call it.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Which file it is, if it is a regular one.
    pub fn identity(&self) -> Option<Identity> {
        self.file.metadata().ok().as_ref().and_then(Identity::of)
    }

    /// How many pieces that end with `separator` are to come; none of what is no regular file. Nothing is taken from it.
    pub fn count(&mut self, separator: u8) -> Option<u64> {
        self.identity()?;
        let mut offset = self.file.stream_position().ok()?;
        let (mut buffer, mut pieces, mut last) = (vec![0; 256 << 10], 0, separator);
        loop {
            match self.file.read_at(&mut buffer, offset).ok()? {
                0 => return Some(pieces + u64::from(last != separator)),
                length => {
                    pieces += buffer[..length].iter().filter(|&&byte| byte == separator).count() as u64;
                    last = buffer[length - 1];
                    offset += length as u64;
                }
            }
        }
    }

    /// Copies what is no regular file to one without a name, so that it can be read twice.
    pub fn keep(&mut self) -> Result<(), Failure> {
        if self.identity().is_none() {
            let mut kept = tempfile::tempfile().of("a temporary file")?;
            io::copy(&mut self.file, &mut kept).and_then(|_| kept.rewind()).of(&self.name)?;
            self.file = kept;
        }
        Ok(())
    }

    /// What is to come, of a regular file. Nothing is taken from it.
    pub fn ahead(&mut self) -> io::Result<impl Read> {
        Ok(Ahead { offset: self.file.stream_position()?, file: &self.file })
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
        self.file.take(limit as u64 + 1).read_to_end(&mut content).of(&self.name)?;
        Ok((content.len() <= limit).then_some(content))
    }
}

/// A file, read at places of its own.
struct Ahead<'a> {
    file: &'a File,
    offset: u64,
}

impl Read for Ahead<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let length = self.file.read_at(buffer, self.offset)?;
        self.offset += length as u64;
        Ok(length)
    }
}

impl Read for Input {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.file.read(buffer)
    }
}

/// Whether a name is one of standard input's.
fn is_standard_input(path: &Path) -> bool {
    STANDARD_INPUT.iter().any(|name| path == Path::new(name))
}
