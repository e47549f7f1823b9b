// SPDX-License-Identifier: Apache-2.0
//! AES-CBC by a board's two AES engines, for one thread alone and without a driver in the kernel: one engine encrypts,
//! one decrypts. Batches of messages, whose completions are polled for.
//!
//! ```no_run
//! use garner_device_board::aes::{Aes, Message};
//!
//! let mut aes = Aes::open("0000:03:00.0")?;
//! let key = aes.load_key(b"sixteen byte key")?;
//! let (plaintext, mut ciphertext) = ([0; 4096], [0; 4096]);
//! aes.encrypt(&mut [Message::new(key, [0; 16], &plaintext, &mut ciphertext)?])?;
//! # Ok::<(), garner::Error>(())
//! ```
//!
//! **Nothing is checked here.** CBC has no authentication; to check a result would be to compute it again.
//!
//! | file | what it does |
//! |---|---|
//! | `plan` | which fragment of which message comes next |
//! | `engine` | one engine: descriptors, completions, places in memory |

mod engine;
mod plan;
#[cfg(test)]
mod tests;

pub use engine::Capability;

use crate::address;
use crate::driver::NOT_OURS;
use crate::interface::aes::{BLOCK_BYTES, LONG_KEY_BYTES};
use crate::interface::board::{AES_DECRYPTION, AES_ENCRYPTION};
use crate::owned::Owned;
use crate::ring::{Counters, Link};
use crate::transport::Transport;
use engine::{ENGINE_BYTES, Engine};
use garner::error::{Error, Result};
use std::io;

/// Bytes of the longest key that engines are built for.
pub const LONGEST_KEY: usize = LONG_KEY_BYTES;
/// Bytes of an IV, and of a block.
pub const IV: usize = BLOCK_BYTES;

/// A key that is loaded into both engines, until [`Aes::unload_key`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Key {
    slot: u8,
    /// No other key of this process has it.
    id: u64,
}

/// One message, and what became of it.
#[derive(Debug)]
pub struct Message<'a> {
    key: Key,
    iv: [u8; IV],
    source: &'a [u8],
    destination: &'a mut [u8],
    /// Bytes of the result that are there.
    done: usize,
    failure: Option<&'static str>,
    cycles: u64,
}

impl Message<'_> {
    /// A message for [`Aes::encrypt`] or [`Aes::decrypt`].
    ///
    /// # Errors
    /// [`Error::Argument`]: the source is no whole number of blocks, or the destination has another length.
    pub fn new<'a>(key: Key, iv: [u8; IV], source: &'a [u8], destination: &'a mut [u8]) -> Result<Message<'a>> {
        if source.is_empty() || !source.len().is_multiple_of(IV) {
            let reason = format!("{} bytes; it must be a multiple of {IV}, and not 0", source.len());
            return Err(Error::argument("source", reason));
        }
        if source.len() != destination.len() {
            let reason = format!("{} bytes for a result of {}", destination.len(), source.len());
            return Err(Error::argument("destination", reason));
        }
        Ok(Message { key, iv, source, destination, done: 0, failure: None, cycles: 0 })
    }

    /// Whether the destination has the result; otherwise it has zeros.
    pub fn is_done(&self) -> bool {
        self.done == self.source.len() && self.failure.is_none()
    }

    /// What the engine took for it, in cycles of the board's clock, summed over its fragments.
    pub fn cycles(&self) -> u64 {
        self.cycles
    }
}

/// What of a board is open.
struct Open {
    link: Link,
    encryption: Engine,
    decryption: Engine,
}

impl Drop for Open {
    fn drop(&mut self) {
        self.link.close(&[AES_ENCRYPTION, AES_DECRYPTION]);
    }
}

/// The AES engines of a board that this thread has for itself. A child made by `fork` does not have them: every call fails
/// there.
pub struct Aes {
    name: String,
    open: Owned<Open>,
    /// The key in each slot.
    slots: Vec<Option<u64>>,
    last_id: u64,
    /// Why the board is out of use.
    failed: Option<String>,
}

impl Aes {
    /// Opens the board at `vfio-user:PATH` or at a PCI address as `0000:03:00.0`, and resets it.
    ///
    /// # Errors
    /// [`Error::Argument`] naming the address: nothing is there, or no board with AES engines that this driver knows.
    pub fn open(address: &str) -> Result<Aes> {
        let aes = address::open(address).and_then(|transport| Aes::over(address, transport));
        aes.map_err(|error| Error::argument("board", format!("{address}: {error}")))
    }

    fn over(address: &str, mut transport: Box<dyn Transport>) -> io::Result<Aes> {
        transport.reset()?;
        let mut identify = |page| {
            engine::identify(&mut *transport, page).map_err(|error| {
                io::Error::new(error.kind(), format!("no AES engine: {error}")) // a board of RSA alone has one page
            })
        };
        let (encryption, decryption) = (identify(AES_ENCRYPTION)?, identify(AES_DECRYPTION)?);
        if encryption.key_bits != decryption.key_bits {
            let [one, other] = [encryption, decryption].map(|engine| engine.key_bits);
            return Err(io::Error::other(format!("its AES engines have keys of {one} and of {other} bits")));
        }
        let link = Link::new(transport, 2 * ENGINE_BYTES)?;
        let mut open = Open {
            link,
            encryption: Engine::new(AES_ENCRYPTION, encryption, 0),
            decryption: Engine::new(AES_DECRYPTION, decryption, ENGINE_BYTES),
        };
        open.encryption.start(&mut open.link)?;
        open.decryption.start(&mut open.link)?;
        let slots = vec![None; encryption.key_slots.min(decryption.key_slots)];
        Ok(Aes { name: format!("board:{address}"), open: Owned::new(open), slots, last_id: 0, failed: None })
    }

    /// What the engines can do: that which encrypts, that which decrypts.
    pub fn capabilities(&self) -> [Capability; 2] {
        [self.open.encryption.capability(), self.open.decryption.capability()]
    }

    /// Bytes of the keys that the engines were built for: 16, 24 or 32.
    pub fn key_bytes(&self) -> usize {
        self.open.encryption.capability().key_bits / 8
    }

    /// Loads a key of [`Aes::key_bytes`] into both engines.
    ///
    /// # Errors
    /// [`Error::Argument`] for a key of another length or when all slots have keys, [`Error::Device`] when the board fails.
    pub fn load_key(&mut self, key: &[u8]) -> Result<Key> {
        self.check_usable()?;
        if key.len() != self.key_bytes() {
            let reason = format!("{} bytes; this board takes keys of {}", key.len(), self.key_bytes());
            return Err(Error::argument("key", reason));
        }
        let Some(slot) = self.slots.iter().position(Option::is_none) else {
            let reason = format!("all {} slots of the board have keys; unload one", self.slots.len());
            return Err(Error::argument("key", reason));
        };
        self.put_key(slot, key)?;
        self.last_id += 1;
        self.slots[slot] = Some(self.last_id);
        Ok(Key { slot: slot as u8, id: self.last_id })
    }

    /// Overwrites a key in its slot of both engines, and frees the slot. What the key left on its way there, in the engines'
    /// FIFOs and registers, stays until later blocks overwrite it or this is dropped, which erases both engines.
    ///
    /// # Errors
    /// [`Error::Argument`] for a key that is not loaded, [`Error::Device`] when the board fails.
    pub fn unload_key(&mut self, key: Key) -> Result<()> {
        self.check_usable()?;
        self.check_key(key)?;
        self.put_key(usize::from(key.slot), &[0; LONGEST_KEY][..self.key_bytes()])?;
        self.slots[usize::from(key.slot)] = None;
        Ok(())
    }

    fn put_key(&mut self, slot: usize, key: &[u8]) -> Result<()> {
        let Open { link, encryption, decryption } = &mut *self.open;
        let loaded =
            encryption.load_key(link, slot as u8, key).and_then(|()| decryption.load_key(link, slot as u8, key));
        loaded.map_err(|error| self.fail(&error))
    }

    /// Encrypts a batch, one message or many: the engine works on as many at once as it has round units.
    ///
    /// # Errors
    /// [`Error::Argument`] for a key that is not loaded; nothing is done then. [`Error::Device`]: a message failed, see
    /// [`Message::is_done`] of each; or the board does not answer, and is out of use from then on.
    pub fn encrypt(&mut self, messages: &mut [Message<'_>]) -> Result<()> {
        self.convert(messages, |open| (&mut open.encryption, &mut open.link))
    }

    /// Decrypts a batch, one message or many.
    ///
    /// # Errors
    /// As [`Aes::encrypt`].
    pub fn decrypt(&mut self, messages: &mut [Message<'_>]) -> Result<()> {
        self.convert(messages, |open| (&mut open.decryption, &mut open.link))
    }

    fn convert(
        &mut self,
        messages: &mut [Message<'_>],
        engine: impl Fn(&mut Open) -> (&mut Engine, &mut Link),
    ) -> Result<()> {
        self.check_usable()?;
        for message in messages.iter_mut() {
            self.check_key(message.key)?;
            (message.done, message.failure, message.cycles) = (0, None, 0);
        }
        let (engine, link) = engine(&mut self.open);
        if let Err(error) = engine.convert(link, messages) {
            for message in messages.iter_mut().filter(|message| !message.is_done()) {
                message.destination.fill(0);
            }
            return Err(self.fail(&error));
        }
        let failed = messages.iter().enumerate().find_map(|(i, message)| Some((i, message.failure?)));
        match failed {
            None => Ok(()),
            Some((i, reason)) => Err(self.device_error(format!("message {i} of {}: {reason}", messages.len()))),
        }
    }

    /// Counters in device time of the engine that encrypts and of the one that decrypts, since the reset or since they were
    /// cleared; `clear` clears them.
    ///
    /// # Errors
    /// [`Error::Device`]: the board does not answer.
    pub fn counters(&mut self, clear: bool) -> Result<[Counters; 2]> {
        self.check_usable()?;
        let Open { link, encryption, decryption } = &mut *self.open;
        let both = encryption.counters(link, clear).and_then(|first| Ok([first, decryption.counters(link, clear)?]));
        both.map_err(|error| self.device_error(error.to_string()))
    }

    fn check_key(&self, key: Key) -> Result<()> {
        match self.slots.get(usize::from(key.slot)) {
            Some(Some(id)) if *id == key.id => Ok(()),
            _ => Err(Error::argument("key", "it is not loaded into this board")),
        }
    }

    fn check_usable(&self) -> Result<()> {
        if !self.open.is_ours() {
            return Err(self.device_error(NOT_OURS.to_owned()));
        }
        match &self.failed {
            None => Ok(()),
            Some(reason) => Err(self.device_error(reason.clone())),
        }
    }

    /// Takes the board out of use: what was under way ends by its reset, so that nothing is written late. Keys and texts in
    /// the memory are overwritten.
    fn fail(&mut self, error: &io::Error) -> Error {
        let then = if self.open.link.retire().is_ok() { "it was reset" } else { "it could not be reset" };
        let reason = format!("{error}; {then} and is out of use until it is opened again");
        self.failed = Some(reason.clone());
        self.device_error(reason)
    }

    fn device_error(&self, reason: String) -> Error {
        Error::Device { device: self.name.clone(), reason }
    }
}
