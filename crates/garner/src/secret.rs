// SPDX-License-Identifier: Apache-2.0
//! Memory for secrets: its own pages, kept out of core dumps and (where the limit allows) out of swap, zeroised on drop.

#![forbid(unsafe_code)]

use crate::system::pages::Pages;
use std::fmt;
use std::ops::{Deref, DerefMut};
use subtle::Choice;
use zeroize::optimization_barrier;

/// A zero-filled, page-aligned slice of 64-bit words for secrets.
///
/// The pages are excluded from core dumps; locking them into memory is tried and its failure ignored
/// (`RLIMIT_MEMLOCK` is often small). `Debug` shows the length only.
pub struct SecretWords {
    /// Some until dropped.
    pages: Option<Pages>,
    len: usize,
}

impl SecretWords {
    /// `len` words, all zero.
    ///
    /// # Panics
    /// When neither the operating system nor the program's allocator has memory left.
    pub fn zeroed(len: usize) -> SecretWords {
        SecretWords { pages: Some(Pages::new(len * 8)), len }
    }

    /// Whether its pages are its own, and not the program's allocator's.
    pub(crate) fn is_mapped(&self) -> bool {
        self.pages.as_ref().is_some_and(Pages::are_mapped)
    }

    /// A copy of `words`.
    pub fn copy_of(words: &[u64]) -> SecretWords {
        let mut secret = SecretWords::zeroed(words.len());
        secret.copy_from_slice(words);
        secret
    }
}

impl Deref for SecretWords {
    type Target = [u64];
    fn deref(&self) -> &[u64] {
        let pages = self.pages.as_ref().expect("some until dropped");
        bytemuck::cast_slice(&pages.bytes()[..self.len * 8])
    }
}

impl DerefMut for SecretWords {
    fn deref_mut(&mut self) -> &mut [u64] {
        let pages = self.pages.as_mut().expect("some until dropped");
        bytemuck::cast_slice_mut(&mut pages.bytes_mut()[..self.len * 8])
    }
}

impl Drop for SecretWords {
    fn drop(&mut self) {
        wipe(self);
        if let Some(pages) = self.pages.take() {
            pages.give_back();
        }
    }
}

impl fmt::Debug for SecretWords {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "SecretWords({} words)", self.len)
    }
}

/// Zeroises `words`, as `zeroize` does but by `memset`: its volatile stores, one word or byte each, show in the time of
/// short operations.
pub fn wipe<T: Copy + Default>(words: &mut [T]) {
    words.fill(T::default());
    optimization_barrier(words);
}

/// Numbers that are [wiped](wipe) on drop, where they are then, with those that were taken away there: they must not grow. `Debug`
/// shows how many there are only.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct Wiped<T: Copy + Default>(Vec<T>);

impl<T: Copy + Default> Wiped<T> {
    /// The numbers, which are no secret and so not wiped.
    pub fn into_public(mut self) -> Vec<T> {
        std::mem::take(&mut self.0)
    }
}

impl<T: Copy + Default> From<Vec<T>> for Wiped<T> {
    fn from(numbers: Vec<T>) -> Wiped<T> {
        Wiped(numbers)
    }
}

impl<T: Copy + Default> Deref for Wiped<T> {
    type Target = Vec<T>;

    fn deref(&self) -> &Vec<T> {
        &self.0
    }
}

impl<T: Copy + Default> DerefMut for Wiped<T> {
    fn deref_mut(&mut self) -> &mut Vec<T> {
        &mut self.0
    }
}

impl<T: Copy + Default> AsRef<[T]> for Wiped<T> {
    fn as_ref(&self) -> &[T] {
        &self.0
    }
}

impl<T: Copy + Default> fmt::Debug for Wiped<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Wiped({})", self.0.len())
    }
}

impl<T: Copy + Default> Drop for Wiped<T> {
    fn drop(&mut self) {
        wipe_all(&mut self.0);
    }
}

/// Wipes all that the vector has room for: it may have held more than it does.
fn wipe_all<T: Copy + Default>(numbers: &mut Vec<T>) {
    numbers.clear();
    numbers.resize(numbers.capacity(), T::default());
    optimization_barrier(numbers.as_slice());
}

/// A bit that may become known although it was computed from secrets: whether a result passed its check, for one.
///
/// Every such bit goes through here, so that the places can be counted, and so that `make check-ct` can let this bit
/// and nothing else become a branch. Never inlined: it is found by its name.
#[inline(never)]
pub fn released(bit: Choice) -> bool {
    bit.into()
}

/// A number that may become known although it was computed from secrets, bit by bit: a length, for one.
pub fn released_number(number: u32) -> u32 {
    (0..u32::BITS).fold(0, |known, i| known | u32::from(released(Choice::from((number >> i & 1) as u8))) << i)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_released_number_is_itself() {
        for number in [0, 1, 0x8000_0001, 0x1234_5678, u32::MAX] {
            assert_eq!(released_number(number), number);
        }
    }

    #[test]
    fn wiped_numbers_show_how_many_they_are_and_nothing_else() {
        let numbers = Wiped::from(vec![0xABCD_u64; 3]);
        assert_eq!(format!("{numbers:?}"), "Wiped(3)");
        assert_eq!(numbers.clone().into_public(), [0xABCD; 3]);
        let mut bytes = *b"secret";
        wipe(&mut bytes);
        assert_eq!(bytes, [0; 6]);
    }

    #[test]
    fn numbers_that_were_taken_away_are_wiped_too() {
        let mut numbers = vec![0xABCD_u64; 30];
        let (place, capacity) = (numbers.as_ptr(), numbers.capacity());
        numbers.truncate(3);
        wipe_all(&mut numbers);
        assert_eq!((numbers.as_ptr(), numbers.as_slice()), (place, vec![0; capacity].as_slice()));
    }

    #[test]
    fn secret_pages_are_kept_out_of_core_dumps() {
        let secret = SecretWords::copy_of(&[1, 2, 3]);
        let address = secret.as_ptr().addr();
        let maps = std::fs::read_to_string("/proc/self/smaps").unwrap();
        let mut inside = false;
        for line in maps.lines() {
            if let Some((from, to)) = line.split_once(' ').and_then(|(range, _)| range.split_once('-'))
                && let (Ok(from), Ok(to)) = (usize::from_str_radix(from, 16), usize::from_str_radix(to, 16))
            {
                inside = (from..to).contains(&address);
            }
            if inside && let Some(flags) = line.strip_prefix("VmFlags:") {
                assert!(flags.split(' ').any(|flag| flag == "dd"), "{flags}");
                return;
            }
        }
        panic!("the pages of a secret are in no mapping");
    }

    #[test]
    fn debug_shows_the_length_only() {
        assert_eq!(format!("{:?}", SecretWords::copy_of(&[0x5ec7e7])), "SecretWords(1 words)");
    }
}
