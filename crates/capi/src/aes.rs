// SPDX-License-Identifier: Apache-2.0
//! AES-CBC by a board's engines: what `include/garner_aes_board.h` declares.

use crate::call::{freeing, unit};
use crate::handles::{self, GarnerAes, Kind};
use crate::memory::{self, Place, Plain};
use crate::status::{Failure, Status};
use core_garner::fork::generation;
use garner_devices::aes::{Aes, IV, Key, LONGEST_KEY, Message};
use garner_reserve::Promise;
use std::collections::BTreeMap;
use std::ffi::{CStr, c_char, c_int, c_void};
use std::ptr;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use zeroize::Zeroizing;

/// What a `garner_aes *` stands for.
pub struct Engines {
    open: Mutex<Open>,
    /// The process that opened the board: another thread of it may have held the lock when a child was made.
    owner: u64,
}

struct Open {
    aes: Aes,
    keys: BTreeMap<u32, Key>,
    last: u32,
}

impl Kind for GarnerAes {
    type Target = Engines;
    const NAME: &'static str = "AES engines";
}

impl Engines {
    fn lock(&self) -> Result<MutexGuard<'_, Open>, Failure> {
        if self.owner != generation() {
            let reason = "aes: the board belongs to the process that opened it, of which this one is a child";
            return Err(Failure::new(Status::Forked, reason));
        }
        Ok(self.open.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

/// `garner_aes_message`
#[derive(Clone, Copy)]
#[repr(C)]
pub struct GarnerAesMessage {
    size: usize,
    key: u32,
    status: c_int,
    iv: [u8; 16],
    source: *const c_void,
    destination: *mut c_void,
    length: usize,
    cycles: u64,
}

// SAFETY: numbers and pointers; NULL is a pointer.
unsafe impl Plain for GarnerAesMessage {
    const NAME: &'static str = "garner_aes_message";
}

/// See `garner_aes_board.h`.
///
/// # Safety
/// As `garner.h` says under "Memory".
#[unsafe(no_mangle)]
pub unsafe extern "C" fn garner_aes_open(address: *const c_char, aes: *mut *mut GarnerAes) -> c_int {
    unit(|| {
        // SAFETY: the caller's promise.
        let place = unsafe { Place::new("aes", aes)? };
        if address.is_null() {
            return Err(Failure::null("address"));
        }
        // SAFETY: the caller's promise: a string.
        let address = unsafe { CStr::from_ptr(address) }.to_string_lossy();
        let open = Open { aes: Aes::open(&address)?, keys: BTreeMap::new(), last: 0 };
        place.write(handles::insert(Arc::new(Engines { open: Mutex::new(open), owner: generation() })));
        Ok(())
    })
}

/// See `garner_aes_board.h`.
#[unsafe(no_mangle)]
pub extern "C" fn garner_aes_close(aes: *mut GarnerAes) -> c_int {
    freeing(|| handles::remove(aes).map(drop))
}

/// See `garner_aes_board.h`.
///
/// # Safety
/// As `garner.h` says under "Memory".
#[unsafe(no_mangle)]
pub unsafe extern "C" fn garner_aes_load_key(
    aes: *mut GarnerAes,
    key: *const c_void,
    length: usize,
    number: *mut u32,
) -> c_int {
    unit(|| {
        // SAFETY: the caller's promise.
        let (place, bytes) = unsafe { (Place::new("number", number)?, memory::bytes("key", key, length)?) };
        let engines = handles::get(aes)?;
        let mut open = engines.lock()?;
        let mut copy = Zeroizing::new([0; LONGEST_KEY]);
        let secret = match copy.get_mut(..length) {
            Some(copy) => {
                copy.copy_from_slice(bytes);
                &*copy
            }
            None => bytes, // no board takes so many: it is refused
        };
        let key = open.aes.load_key(secret)?;
        open.last += 1;
        let number = open.last;
        open.keys.insert(number, key);
        place.write(number);
        Ok(())
    })
}

/// See `garner_aes_board.h`.
///
/// # Safety
/// As `garner.h` says under "Memory".
#[unsafe(no_mangle)]
pub unsafe extern "C" fn garner_aes_key_bytes(aes: *mut GarnerAes, bytes: *mut usize) -> c_int {
    unit(|| {
        // SAFETY: the caller's promise.
        let place = unsafe { Place::new("bytes", bytes)? };
        place.write(handles::get(aes)?.lock()?.aes.key_bytes());
        Ok(())
    })
}

/// See `garner_aes_board.h`.
#[unsafe(no_mangle)]
pub extern "C" fn garner_aes_unload_key(aes: *mut GarnerAes, number: u32) -> c_int {
    unit(|| {
        let engines = handles::get(aes)?;
        let mut open = engines.lock()?;
        let key = open.key(number)?;
        open.aes.unload_key(key)?;
        open.keys.remove(&number);
        Ok(())
    })
}

/// See `garner_aes_board.h`.
///
/// # Safety
/// As `garner.h` says under "Memory".
#[unsafe(no_mangle)]
pub unsafe extern "C" fn garner_aes_encrypt(
    aes: *mut GarnerAes,
    messages: *mut GarnerAesMessage,
    count: usize,
) -> c_int {
    // SAFETY: as this function's.
    unit(|| unsafe { convert(aes, messages, count, Aes::encrypt) })
}

/// See `garner_aes_board.h`.
///
/// # Safety
/// As `garner.h` says under "Memory".
#[unsafe(no_mangle)]
pub unsafe extern "C" fn garner_aes_decrypt(
    aes: *mut GarnerAes,
    messages: *mut GarnerAesMessage,
    count: usize,
) -> c_int {
    // SAFETY: as this function's.
    unit(|| unsafe { convert(aes, messages, count, Aes::decrypt) })
}

impl Open {
    fn key(&self, number: u32) -> Result<Key, Failure> {
        let found = self.keys.get(&number).copied();
        found.ok_or_else(|| Failure::argument("key", format!("{number} is not loaded into this board")))
    }
}

/// What a message takes beside its own bytes.
const PER_MESSAGE: usize = size_of::<&[u8]>() + size_of::<Zeroizing<Vec<u8>>>() + size_of::<Message<'_>>();

/// Results are made in memory of the library's own: source and destination of the caller's may overlap, and of a message that
/// fails nothing is written.
///
/// # Safety
/// As `garner.h` says under "Memory".
unsafe fn convert(
    aes: *mut GarnerAes,
    messages: *mut GarnerAesMessage,
    count: usize,
    run: impl FnOnce(&mut Aes, &mut [Message<'_>]) -> core_garner::error::Result<()>,
) -> Result<(), Failure> {
    if count == 0 {
        return Ok(());
    }
    // SAFETY: the caller's promise, for every element of the array.
    let given = unsafe { copies(messages, count)? };
    let engines = handles::get(aes)?;
    let mut open = engines.lock()?;
    let in_batch = |index, failure: Failure| Failure::new(failure.status, format!("message {index}: {}", failure.text));
    let _tables = count.checked_mul(PER_MESSAGE).and_then(Promise::of).ok_or_else(Failure::memory)?;
    // Before memory is asked for what they hold: a length may be anything where an address is NULL.
    let mut sources = Vec::with_capacity(count);
    for (index, message) in given.iter().enumerate() {
        if message.destination.is_null() {
            return Err(in_batch(index, Failure::null("destination")));
        }
        // SAFETY: the caller's promise; nothing of the caller's is written before the batch has ended.
        let source = unsafe { memory::bytes("source", message.source, message.length) };
        sources.push(source.map_err(|failure| in_batch(index, failure))?);
    }
    let total = given.iter().try_fold(0, |sum: usize, message| sum.checked_add(message.length));
    let _promise = total.and_then(Promise::of).ok_or_else(Failure::memory)?;
    let mut results: Vec<Zeroizing<Vec<u8>>> =
        given.iter().map(|message| Zeroizing::new(vec![0; message.length])).collect();
    let mut batch = Vec::with_capacity(count);
    for (index, ((message, source), result)) in given.iter().zip(sources).zip(&mut results).enumerate() {
        let key = open.key(message.key).map_err(|failure| in_batch(index, failure))?;
        let iv: [u8; IV] = message.iv;
        batch.push(Message::new(key, iv, source, result).map_err(|error| in_batch(index, error.into()))?);
    }
    let said = run(&mut open.aes, &mut batch);
    let ends: Vec<(bool, u64)> = batch.iter().map(|message| (message.is_done(), message.cycles())).collect();
    drop(batch);
    for (index, ((message, result), (is_done, cycles))) in given.iter().zip(&results).zip(ends).enumerate() {
        let status = if is_done { Status::Ok } else { Status::Device };
        // SAFETY: the caller's promise: elements of the array and `length` bytes at the destination, which is not NULL.
        unsafe {
            if is_done {
                ptr::copy_nonoverlapping(result.as_ptr(), message.destination.cast(), result.len());
            }
            let element = messages.add(index);
            ptr::addr_of_mut!((*element).status).write_unaligned(status as c_int);
            ptr::addr_of_mut!((*element).cycles).write_unaligned(cycles);
        }
    }
    Ok(said?)
}

/// The caller's array, copied, every message marked as not done.
///
/// # Safety
/// As `garner.h` says under "Memory".
unsafe fn copies(messages: *mut GarnerAesMessage, count: usize) -> Result<Vec<GarnerAesMessage>, Failure> {
    if messages.is_null() {
        return Err(Failure::null("messages"));
    }
    let size = size_of::<GarnerAesMessage>();
    if count.checked_mul(size).is_none_or(|total| total > isize::MAX as usize) {
        return Err(Failure::argument("count", format!("{count} messages cannot be")));
    }
    let _promise = Promise::of(count * size).ok_or_else(Failure::memory)?;
    (0..count)
        .map(|index| {
            // SAFETY: within the array by the caller's promise; alignment is not needed.
            unsafe {
                let element = messages.add(index);
                let stated = ptr::addr_of!((*element).size).read_unaligned();
                if stated != size {
                    return Err(Failure::argument(
                        "messages",
                        format!("message {index} states a size of {stated}, not {size}"),
                    ));
                }
                ptr::addr_of_mut!((*element).status).write_unaligned(Status::Device as c_int);
                memory::structure(element)
            }
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn misuse_is_refused() {
        let mut aes = ptr::null_mut();
        let (mut number, mut bytes) = (0, 0);
        let mut message: GarnerAesMessage = memory::zeroed();
        message.size = size_of::<GarnerAesMessage>();
        // SAFETY: every pointer is NULL or valid.
        let said = unsafe {
            [
                garner_aes_open(ptr::null(), &raw mut aes),
                garner_aes_open(c"vfio-user:/nonexistent/board".as_ptr(), ptr::null_mut()),
                garner_aes_open(c"vfio-user:/nonexistent/board".as_ptr(), &raw mut aes),
                garner_aes_load_key(aes, [0u8; 16].as_ptr().cast(), 16, &raw mut number),
                garner_aes_load_key(aes, ptr::null(), 16, &raw mut number),
                garner_aes_key_bytes(aes, ptr::null_mut()),
                garner_aes_key_bytes(aes, &raw mut bytes),
                garner_aes_encrypt(aes, &raw mut message, 1),
                garner_aes_decrypt(aes, ptr::null_mut(), 1),
                garner_aes_decrypt(ptr::without_provenance_mut(0x676e << 48 | 12345), &raw mut message, 1),
                garner_aes_unload_key(aes, 1),
                garner_aes_encrypt(aes, &raw mut message, 0),
                garner_aes_close(aes),
            ]
        };
        use Status::{Argument, Handle, Null, Ok};
        let expected = [Null, Null, Argument, Null, Null, Null, Null, Null, Null, Handle, Null, Ok, Ok];
        assert_eq!(said, expected.map(|status| status as c_int));
        assert_eq!(message.status, Status::Device as c_int, "no message of a call that failed counts as done");
        message.size = 8;
        // SAFETY: as above.
        let said = unsafe { garner_aes_encrypt(ptr::without_provenance_mut(1), &raw mut message, 1) };
        assert_eq!(said, Argument as c_int);
    }
}
