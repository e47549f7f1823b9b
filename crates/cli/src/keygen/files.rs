// SPDX-License-Identifier: Apache-2.0
//! The files of all keys: what is there already, what is missing, and how it is written.
//!
//! A private key is written before its public one: an interruption never leaves a public key whose private one is lost.

use super::arguments::Arguments;
use super::inspect;
use super::names::Names;
use super::workers::{Encoded, Encoder};
use crate::failure::{Failure, Of};
use crate::files::{Access, Destination, exists, is_file, tidy};
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc;
use std::thread;

/// The files of all keys.
pub struct Files<'a> {
    arguments: &'a Arguments,
    private: Names,
    public: Option<Names>,
}

impl Files<'_> {
    /// Those that the options name.
    pub fn new(arguments: &Arguments) -> Result<Files<'_>, Failure> {
        let mut private = Names::new(arguments.out.as_deref(), arguments.extension(), arguments.count, "--out")?;
        let mut public = match &arguments.public_out {
            Some(pattern) => Some(Names::new(Some(pattern), "pub.pem", arguments.count, "--public-out")?),
            None => None,
        };
        Names::keep_width(&mut [Some(&mut private), public.as_mut()].into_iter().flatten().collect::<Vec<_>>())?;
        if let Some(shared) = public.as_ref().and_then(|public| private.shared_with(public)) {
            return Err(Failure::Usage(format!("--public-out: {} is a file of --out too", shared.display())));
        }
        Ok(Files { arguments, private, public })
    }

    /// Refuses what cannot be written, before the first key is made and not after a thousand.
    pub fn check(&self) -> Result<(), Failure> {
        for i in 0..self.arguments.count {
            if self.arguments.resume {
                self.check_halves(i)?;
            }
            for names in [Some(&self.private), self.public.as_ref()].into_iter().flatten() {
                if !names.are_new() {
                    self.destination(names, i)?;
                }
            }
        }
        Ok(())
    }

    /// Makes the folders that are wished for.
    pub fn make_folders(&self) -> Result<(), Failure> {
        self.private.make_folder()?;
        self.public.as_ref().map_or(Ok(()), Names::make_folder)
    }

    /// The keys to be made, by their indices. A file that comes to be there meanwhile counts.
    pub fn missing(&self) -> impl Iterator<Item = usize> {
        (0..self.arguments.count).filter(|&i| !self.arguments.resume || !is_there(&self.private, i))
    }

    /// Removes what killed runs left beside them.
    pub fn tidy(&self) {
        for names in [Some(&self.private), self.public.as_ref()].into_iter().flatten() {
            names.folders().iter().for_each(|folder| tidy(folder));
        }
    }

    /// Looks at the keys that are there, on all processors, for an encrypted one takes long. `judged` hears of each what is
    /// wrong with it, if something is; a public key that is missing is written.
    pub fn inspect(
        &self,
        encoder: &Encoder,
        mut judged: impl FnMut(Option<String>) -> Result<(), Failure>,
    ) -> Result<(), Failure> {
        if !self.arguments.resume {
            return Ok(());
        }
        let threads = thread::available_parallelism().map_or(1, usize::from).min(self.arguments.count);
        let (sender, receiver) = mpsc::sync_channel(2 * threads);
        let next = AtomicUsize::new(0);
        thread::scope(|scope| {
            for _ in 0..threads {
                let (sender, next) = (sender.clone(), &next);
                let work = move || {
                    let indices = || Some(next.fetch_add(1, Ordering::Relaxed)).filter(|&i| i < self.arguments.count);
                    for i in std::iter::from_fn(indices).filter(|&i| is_there(&self.private, i)) {
                        if sender.send((i, self.inspect_one(i, encoder))).is_err() {
                            return; // The other end had an error of its own.
                        }
                    }
                };
                thread::Builder::new().spawn_scoped(scope, work).of("a thread")?;
            }
            drop(sender);
            // By value: an error ends the loop and drops the receiver, which ends the threads.
            for (i, outcome) in receiver {
                judged(match outcome? {
                    Ok(text) => {
                        if let Some(public) = self.public.as_ref().filter(|public| !is_there(public, i)) {
                            self.write_public(public, i, &text)?;
                        }
                        None
                    }
                    Err(reason) => Some(reason),
                })?;
            }
            Ok(())
        })
    }

    /// The public key in PEM of one that is there, or which file is wrong, and how.
    fn inspect_one(&self, i: usize, encoder: &Encoder) -> Result<Result<String, String>, Failure> {
        let path = self.private.of(i).unwrap_or_default();
        let text = match inspect::private(&path, self.arguments, encoder)? {
            Ok(text) => text,
            Err(reason) => return Ok(Err(format!("{}: {reason}", path.display()))),
        };
        if let Some(path) = self.public.as_ref().filter(|public| is_there(public, i)).and_then(|public| public.of(i))
            && let Some(reason) = inspect::public(&path, &text)?
        {
            return Ok(Err(format!("{}: {reason}", path.display())));
        }
        Ok(Ok(text))
    }

    /// Writes a key.
    pub fn write(&self, i: usize, key: &Encoded) -> Result<(), Failure> {
        let path = self.private.of(i);
        let private = Destination::new(path.as_deref(), self.arguments.force)?;
        private.write(&key.private, Access::Owner, self.arguments.der)?;
        self.public.as_ref().map_or(Ok(()), |public| self.write_public(public, i, &key.public))
    }

    fn write_public(&self, public: &Names, i: usize, text: &str) -> Result<(), Failure> {
        let path = public.of(i);
        Destination::new(path.as_deref(), self.arguments.force)?.write(text.as_bytes(), Access::Everybody, false)
    }

    /// Refuses a public key without its private one, which may be elsewhere: a new one would take its place.
    fn check_halves(&self, i: usize) -> Result<(), Failure> {
        match (&self.public, self.private.of(i)) {
            (Some(public), Some(private)) if is_there(public, i) && private.symlink_metadata().is_err() => {
                let name = public.of(i).unwrap_or_default();
                let text = format!("{}: is there without its private key {}", name.display(), private.display());
                Err(Failure::Environment(text).and("bring that back, or move this away"))
            }
            _ => Ok(()),
        }
    }

    /// Refuses a file that is there, unless it is to be kept or overwritten.
    fn destination(&self, names: &Names, i: usize) -> Result<(), Failure> {
        let path = names.of(i);
        let keep = self.arguments.resume;
        match path.as_deref() {
            Some(path) if is_file(path) && keep => Ok(()),
            Some(path) if is_file(path) && !self.arguments.force && names.are_numbered() => {
                Err(exists(path).and("--resume keeps what is there and makes what is missing"))
            }
            path => {
                let destination = Destination::new(path, self.arguments.force)?;
                if self.arguments.json && destination.is_standard() {
                    return Err(Failure::Usage("--json: needs --out, standard output being the key's".into()));
                }
                Ok(())
            }
        }
    }

    /// What a prompt calls them.
    pub fn subject(&self) -> String {
        self.private.subject()
    }
}

fn is_there(names: &Names, i: usize) -> bool {
    names.of(i).as_deref().is_some_and(|path: &Path| is_file(path))
}
