// SPDX-License-Identifier: Apache-2.0
//! Which key is in which slot of a device, and which slots are to be wiped.
//!
//! Where there is no room the least recently used key gives way, those that were dropped first.

use crate::key::PrivateKey;
use std::collections::HashMap;
use std::sync::Weak;

/// The slots of a device.
pub struct Slots {
    most: usize,
    /// By modulus and public exponent: what is in a slot follows from both, for a key's p is the larger of its primes
    /// whatever their order was in a file.
    places: HashMap<Box<[u64]>, usize>,
    slots: Vec<Slot>,
    time: u64,
}

/// A slot that held a key once.
struct Slot {
    /// The name it has in `places`; empty where the device holds no key that may be used.
    name: Box<[u64]>,
    /// Gone when the key is.
    life: Weak<()>,
    used: u64,
    /// Whether nothing of a key is there.
    wiped: bool,
}

/// Where a key is, or is to be put.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Place {
    /// It is there.
    Loaded(usize),
    /// It must be loaded there.
    Load(usize),
}

impl Slots {
    /// So many, all empty.
    pub fn new(most: usize) -> Slots {
        Slots { most, places: HashMap::new(), slots: Vec::new(), time: 0 }
    }

    /// The slot for this key; the caller loads it if told to. As many keys stay as there are slots, those placed last.
    pub fn place(&mut self, key: &PrivateKey) -> Place {
        self.time += 1;
        let name = name(key);
        if let Some(&i) = self.places.get(&name) {
            self.slots[i].used = self.time;
            if self.slots[i].life.strong_count() == 0 {
                self.slots[i].life = key.life();
            }
            return Place::Loaded(i);
        }
        let slot = Slot { name: name.clone(), life: key.life(), used: self.time, wiped: false };
        let i = if self.slots.len() < self.most {
            self.slots.push(slot);
            self.slots.len() - 1
        } else {
            let i = (0..self.slots.len()).min_by_key(|&i| self.slots[i].used).expect("there are slots");
            self.places.remove(&self.slots[i].name);
            self.slots[i] = slot;
            i
        };
        self.places.insert(name, i);
        Place::Load(i)
    }

    /// Forgets keys that were dropped, and returns slots that hold what nobody may use, which must be wiped: `limit` of
    /// them at most.
    pub fn sweep(&mut self, limit: usize) -> Vec<usize> {
        let gone = |slot: &Slot| !slot.wiped && slot.life.strong_count() == 0;
        let swept: Vec<usize> = (0..self.slots.len()).filter(|&i| gone(&self.slots[i])).take(limit).collect();
        for &i in &swept {
            self.forget_slot(i);
            self.slots[i].wiped = true;
        }
        swept
    }

    /// This slot could not be wiped.
    pub fn not_wiped(&mut self, slot: usize) {
        if let Some(slot) = self.slots.get_mut(slot) {
            slot.wiped = false;
        }
    }

    /// The slot of this key may hold something else.
    pub fn forget(&mut self, key: &PrivateKey) {
        if let Some(&i) = self.places.get(&name(key)) {
            self.forget_slot(i);
        }
    }

    /// Any slot may hold something else.
    pub fn forget_all(&mut self) {
        (0..self.slots.len()).for_each(|i| self.forget_slot(i));
    }

    fn forget_slot(&mut self, i: usize) {
        let slot = &mut self.slots[i];
        self.places.remove(&std::mem::take(&mut slot.name));
        (slot.life, slot.used) = (Weak::new(), 0);
    }
}

/// What tells a key from others.
fn name(key: &PrivateKey) -> Box<[u64]> {
    [key.public().modulus().words(), key.public().exponent()].concat().into_boxed_slice()
}

#[cfg(test)]
mod tests {
    use super::*;
    use openssl::rsa::Rsa;

    fn key() -> PrivateKey {
        PrivateKey::from_der(&Rsa::generate(512).unwrap().private_key_to_der().unwrap()).unwrap()
    }

    #[test]
    fn the_least_recently_used_key_gives_way_and_a_dropped_one_first() {
        let mut slots = Slots::new(2);
        let [first, second, third, fourth] = [key(), key(), key(), key()];
        assert_eq!(slots.place(&first), Place::Load(0));
        assert_eq!(slots.place(&second), Place::Load(1));
        assert_eq!(slots.place(&first), Place::Loaded(0));
        assert_eq!(slots.place(&third), Place::Load(1));
        assert_eq!(slots.place(&first), Place::Loaded(0));
        assert!(slots.sweep(2).is_empty());
        let public = std::sync::Arc::clone(first.public()); // somebody verifies on
        drop(first);
        assert_eq!(slots.sweep(2), [0]);
        drop(public);
        assert!(slots.sweep(2).is_empty());
        assert_eq!(slots.place(&fourth), Place::Load(0));
        assert_eq!(slots.place(&third), Place::Loaded(1));
        assert_eq!(slots.place(&second), Place::Load(0));
    }

    #[test]
    fn what_was_forgotten_is_wiped_or_loaded_over() {
        let mut slots = Slots::new(3);
        let keys = [key(), key(), key()];
        for (i, key) in keys.iter().enumerate() {
            assert_eq!(slots.place(key), Place::Load(i));
        }
        slots.forget(&keys[1]);
        assert_eq!(slots.place(&keys[1]), Place::Load(1));
        assert!(slots.sweep(3).is_empty(), "it holds that key again");
        slots.forget_all();
        assert_eq!(slots.sweep(2), [0, 1]);
        assert_eq!(slots.sweep(2), [2]);
        assert!(slots.sweep(2).is_empty());
        slots.not_wiped(1);
        assert_eq!(slots.sweep(2), [1]);
        assert_eq!(slots.place(&keys[2]), Place::Load(0));
    }
}
