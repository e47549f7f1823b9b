// SPDX-License-Identifier: Apache-2.0
//! A file for each signature, named after its item: `signatures/{}.sig`.
//!
//! Names come with the input, perhaps from somebody else. None leads out of the folder: not by `..`, not from the root, and
//! not by a link below it, for every folder on the way is opened by its own name in the one above.

use super::jobs::Item;
use crate::encoding::Encoding;
use crate::failure::{Failure, Of};
use crate::files::{self, Identity, check_folder, create, refuse_input, settle};
use rustix::fs::{Mode, OFlags, mkdirat, openat};
use rustix::io::Errno;
use std::collections::HashSet;
use std::ffi::{OsStr, OsString};
use std::fs::{self, File, Metadata};
use std::io::{self, Read, Write};
use std::os::fd::OwnedFd;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Permissions of new files and folders, before the umask.
const FILE: u32 = 0o666;
const FOLDER: u32 = 0o777;

/// The files of signatures.
#[derive(Clone)]
pub struct Folder {
    /// What is above the first name that an item gives; its path, and what comes before and after the item's name.
    base: Arc<OwnedFd>,
    path: PathBuf,
    before: Vec<u8>,
    after: Vec<u8>,
    encoding: Encoding,
    force: bool,
    /// Messages of the list, which no signature replaces.
    listed: Arc<HashSet<Identity>>,
    /// The folder of the last file, by its path below the base.
    last: Option<(PathBuf, Arc<OwnedFd>)>,
}

impl Folder {
    /// The files that `pattern` names. `signatures/` is made if it is not there and `make` is set.
    pub fn open(pattern: &Path, encoding: Encoding, force: bool, make: bool) -> Result<Folder, Failure> {
        let name = pattern.display();
        let text = pattern.as_os_str().as_bytes();
        let place = text.windows(2).position(|two| two == b"{}").expect("it is a pattern");
        let (before, after) = (&text[..place], &text[place + 2..]);
        if after.windows(2).any(|two| two == b"{}") {
            return Err(Failure::Usage(format!("{name}: has more than one {{}}")));
        }
        let slash = before.iter().rposition(|&byte| byte == b'/').map_or(0, |slash| slash + 1);
        let path = if slash == 0 { Path::new(".") } else { Path::new(OsStr::from_bytes(&before[..slash])) };
        if make && !path.exists() {
            check_folder(path)?;
            fs::create_dir(path).of(path.display())?;
        }
        let base = File::open(path).of(path.display())?;
        if !base.metadata().of(path.display())?.is_dir() {
            return Err(Failure::Environment(format!("{}: is no folder", path.display())));
        }
        Ok(Folder {
            base: Arc::new(base.into()),
            path: path.to_owned(),
            before: before[slash..].to_vec(),
            after: after.to_vec(),
            encoding,
            force,
            listed: Arc::default(),
            last: None,
        })
    }

    /// How the names of all files end.
    pub fn ending(&self) -> &[u8] {
        self.after.rsplit(|&byte| byte == b'/').next().unwrap_or_default()
    }

    /// Replaces none of these, whoever's signature would be in its place.
    pub fn spare(&mut self, listed: HashSet<Identity>) {
        self.listed = Arc::new(listed);
    }

    /// Removes what killed runs left.
    pub fn tidy(&self) {
        // New files are made here, also those of folders below.
        files::tidy(&self.path);
    }

    /// Whether files that are there are overwritten.
    pub fn replaces(&self) -> bool {
        self.force
    }

    /// What errors call the file of an item.
    pub fn name_of(&self, item: &[u8]) -> String {
        let relative = [&self.before[..], item, &self.after].concat();
        self.path.join(OsStr::from_bytes(&relative)).display().to_string()
    }

    /// The signature in the file of an item of a key of `size` bytes: none if there is no file, or an [abandoned](is_abandoned)
    /// one, and no bytes if there is something else than one signature.
    pub fn read(&mut self, item: &Item, size: usize) -> Result<Option<Vec<u8>>, Failure> {
        let name = self.name_of(&item.name);
        let (folder, file) = self.split(&item.name)?;
        let Some(folder) = self.enter(&folder, false).of(&name)? else { return Ok(None) };
        // Without waiting, if it is a pipe.
        let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::NOCTTY | OFlags::CLOEXEC;
        let file = match openat(&*folder, &*file, flags, Mode::empty()) {
            Ok(file) => file,
            Err(Errno::NOENT) => return Ok(None),
            Err(Errno::LOOP) => return Err(Failure::Environment(format!("{name}: is a link"))),
            Err(error) => return Err(error).of(&name),
        };
        let file = File::from(file);
        let metadata = file.metadata().of(&name)?;
        if !metadata.is_file() {
            return Err(Failure::Environment(format!("{name}: is no regular file")));
        }
        refuse_message(&metadata, item, &name)?;
        if is_abandoned(&metadata, item) {
            return Ok(None);
        }
        let (mut content, longest) = (Vec::new(), self.encoding.length(size) + 2);
        file.take(longest as u64).read_to_end(&mut content).of(&name)?;
        Ok(Some(self.encoding.decode(&content).unwrap_or_default()))
    }

    /// Writes the signature of an item.
    pub fn write(&mut self, item: &Item, signature: &[u8]) -> Result<(), Failure> {
        let name = self.name_of(&item.name);
        let (folder, file) = self.split(&item.name)?;
        let folder = self.enter(&folder, true).of(&name)?.expect("it was made");
        if self.force {
            // What is there is replaced: a link as such, but neither the message nor the key.
            let flags = OFlags::PATH | OFlags::NOFOLLOW | OFlags::CLOEXEC;
            match openat(&*folder, &*file, flags, Mode::empty()) {
                Ok(there) => {
                    let metadata = File::from(there).metadata().of(&name)?;
                    refuse_message(&metadata, item, &name)?;
                    if self.listed.contains(&Identity::of_entry(&metadata)) {
                        let text = "is a message of the list, too; name other files for the signatures";
                        return Err(Failure::Usage(format!("{name}: {text}")));
                    }
                }
                Err(Errno::NOENT) => {}
                Err(error) => return Err(error).of(&name),
            }
        }
        let mut text = Vec::new();
        self.encoding.append(signature, &mut text);
        let mut new = create(&self.path, FILE).of(&name)?;
        new.as_file_mut().write_all(&text).of(&name)?;
        let settled = match settle(new.path(), &*folder, Path::new(&file), self.force) {
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
                let flags = OFlags::PATH | OFlags::NOFOLLOW | OFlags::CLOEXEC;
                let there = openat(&*folder, &*file, flags, Mode::empty()).of(&name)?;
                match is_abandoned(&File::from(there).metadata().of(&name)?, item) {
                    true => settle(new.path(), &*folder, Path::new(&file), true),
                    false => Err(error),
                }
            }
            outcome => outcome,
        };
        match settled {
            Ok(()) => {
                // It has its place: there is nothing left to remove.
                let _ = new.into_temp_path().keep();
                Ok(())
            }
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
                let text = format!("{name}: exists already; the name comes twice in the input, or another run made it");
                Err(Failure::Environment(text))
            }
            Err(error) => Err(error).of(&name),
        }
    }

    /// The folder of an item's file, relative to the base, and the file's own name.
    fn split(&self, item: &[u8]) -> Result<(PathBuf, OsString), Failure> {
        let refused = |reason: &str| {
            let name = String::from_utf8_lossy(item);
            Failure::Environment(format!(
                "name \"{name}\": {reason}; no file is written outside {}",
                self.path.display()
            ))
        };
        if item.starts_with(b"/") {
            return Err(refused("begins at the root"));
        }
        if item.contains(&0) {
            return Err(refused("has a NUL byte"));
        }
        let last = item.rsplit(|&byte| byte == b'/').next().unwrap_or_default();
        if matches!(last, b"" | b"." | b"..") {
            return Err(refused("is that of a folder"));
        }
        let relative = [&self.before[..], item, &self.after].concat();
        let mut parts: Vec<&[u8]> =
            relative.split(|&byte| byte == b'/').filter(|part| !part.is_empty() && *part != b".").collect();
        if parts.contains(&&b".."[..]) {
            return Err(refused("leads upwards by \"..\""));
        }
        let file = parts.pop().ok_or_else(|| refused("is empty"))?;
        let folder = parts.iter().map(|part| OsStr::from_bytes(part)).collect();
        Ok((folder, OsStr::from_bytes(file).to_owned()))
    }

    /// Opens a folder below the base; none if it is not there and not to be made.
    fn enter(&mut self, folder: &Path, make: bool) -> io::Result<Option<Arc<OwnedFd>>> {
        if let Some((last, opened)) = &self.last
            && last == folder
        {
            return Ok(Some(Arc::clone(opened)));
        }
        let mut inner = Arc::clone(&self.base);
        for part in folder {
            if make {
                match mkdirat(&*inner, part, Mode::from_raw_mode(FOLDER)) {
                    Ok(()) | Err(Errno::EXIST) => {}
                    Err(error) => return Err(error.into()),
                }
            }
            let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
            inner = match openat(&*inner, part, flags, Mode::empty()) {
                Ok(opened) => Arc::new(opened),
                Err(Errno::NOENT) if !make => return Ok(None),
                Err(Errno::LOOP | Errno::NOTDIR) => {
                    let text = format!("{} is no folder, or a link, which is not followed", Path::new(part).display());
                    return Err(io::Error::other(text));
                }
                Err(error) => return Err(error.into()),
            };
        }
        self.last = Some((folder.to_owned(), Arc::clone(&inner)));
        Ok(Some(inner))
    }

    /// What an interruption leaves, in words.
    pub fn interrupted(&self) -> String {
        format!("what was signed before is in {}; the same command goes on from there", self.path.display())
    }
}

/// Whether it is what a machine leaves that lost its power: a file that has its name, but not its content yet, which nobody
/// waits for with a file for each signature. Not where the items are files: it may be a message of the list that is empty.
fn is_abandoned(metadata: &Metadata, item: &Item) -> bool {
    metadata.is_file() && metadata.len() == 0 && item.file.is_none()
}

/// Refuses the file of a signature that is what it signs, or another input.
fn refuse_message(metadata: &Metadata, item: &Item, name: &str) -> Result<(), Failure> {
    if item.file.is_some() && item.file == Identity::of(metadata) {
        return Err(Failure::Usage(format!("{name}: is the message itself; name other files for the signatures")));
    }
    refuse_input(metadata, name)
}
