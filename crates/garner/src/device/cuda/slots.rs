//! Which key is in which record of a queue; where there is no room the least recently used one gives way,
//! those that were dropped first.

use crate::key::PrivateKey;
use std::collections::HashMap;
use std::sync::Weak;

/// The records of a queue for one length of primes.
pub struct Slots {
    most: usize,
    /// By modulus and public exponent: what is in a record follows from both, for a key's p is the larger of its primes
    /// whatever their order was in a file.
    places: HashMap<Box<[u64]>, usize>,
    slots: Vec<Slot>,
    time: u64,
}

struct Slot {
    /// The name it has in `places`, empty when it holds no key.
    name: Box<[u64]>,
    /// Gone when the key is.
    life: Weak<()>,
    used: u64,
}

/// Where a key is, or is to be put.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Place {
    /// It is there.
    Loaded(usize),
    /// It must be loaded there.
    Load(usize),
}

impl Default for Slots {
    fn default() -> Slots {
        Slots::holding(Slots::MOST)
    }
}

impl Slots {
    /// Keys held at most: no batch has more operations.
    pub const MOST: usize = 16_384;

    /// None yet, and at most so many.
    fn holding(most: usize) -> Slots {
        Slots { most, places: HashMap::new(), slots: Vec::new(), time: 0 }
    }

    /// The slot for this key; the caller loads it if told to. A key placed among the last [`Slots::MOST`] stays.
    pub fn place(&mut self, key: &PrivateKey) -> Place {
        self.time += 1;
        let name = [key.public().modulus().words(), key.public().exponent()].concat().into_boxed_slice();
        if let Some(&i) = self.places.get(&name) {
            self.slots[i].used = self.time;
            if self.slots[i].life.strong_count() == 0 {
                self.slots[i].life = key.life();
            }
            return Place::Loaded(i);
        }
        let slot = Slot { name: name.clone(), life: key.life(), used: self.time };
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

    /// Forgets keys that were dropped, and returns their slots, which must be wiped.
    pub fn sweep(&mut self) -> Vec<usize> {
        let gone = |slot: &Slot| !slot.name.is_empty() && slot.life.strong_count() == 0;
        let dropped: Vec<usize> = (0..self.slots.len()).filter(|&i| gone(&self.slots[i])).collect();
        for &i in &dropped {
            let slot = &mut self.slots[i];
            self.places.remove(&slot.name);
            slot.name = Box::default();
            slot.used = 0;
        }
        dropped
    }
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
        let mut slots = Slots::holding(2);
        let [first, second, third, fourth] = [key(), key(), key(), key()];
        assert_eq!(slots.place(&first), Place::Load(0));
        assert_eq!(slots.place(&second), Place::Load(1));
        assert_eq!(slots.place(&first), Place::Loaded(0));
        assert_eq!(slots.place(&third), Place::Load(1));
        assert_eq!(slots.place(&first), Place::Loaded(0));
        assert!(slots.sweep().is_empty());
        let public = std::sync::Arc::clone(first.public()); // somebody verifies on
        drop(first);
        assert_eq!(slots.sweep(), [0]);
        drop(public);
        assert!(slots.sweep().is_empty());
        assert_eq!(slots.place(&fourth), Place::Load(0));
        assert_eq!(slots.place(&third), Place::Loaded(1));
        assert_eq!(slots.place(&second), Place::Load(0));
    }
}
