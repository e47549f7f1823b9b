//! Which key is in which of the board's slots; the least recently used one gives way.

/// The slots of a board. All cores hold the same.
#[derive(Debug)]
pub struct Slots {
    /// Keys, by what tells them apart, with the time of their last use.
    slots: Vec<Option<(Box<[u64]>, u64)>>,
    time: u64,
}

/// Where something is, or is to be put.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Place {
    /// It is there.
    Loaded(u8),
    /// It must be loaded there.
    Load(u8),
}

impl Slots {
    /// All empty.
    pub fn new(count: usize) -> Slots {
        Slots { slots: vec![None; count], time: 0 }
    }

    /// The slot for this key; the caller loads it if told to.
    pub fn place(&mut self, key: &[u64]) -> Place {
        self.time += 1;
        for (i, slot) in self.slots.iter_mut().enumerate() {
            if let Some((held, used)) = slot
                && **held == *key
            {
                *used = self.time;
                return Place::Loaded(i as u8);
            }
        }
        let oldest = |slot: &Option<(Box<[u64]>, u64)>| slot.as_ref().map_or(0, |(_, used)| *used);
        let i = (0..self.slots.len()).min_by_key(|&i| oldest(&self.slots[i])).expect("a board has slots");
        self.slots[i] = Some((key.into(), self.time));
        Place::Load(i as u8)
    }

    /// The slot of this key is empty again.
    pub fn forget(&mut self, key: &[u64]) {
        for slot in &mut self.slots {
            if slot.as_ref().is_some_and(|(held, _)| **held == *key) {
                *slot = None;
            }
        }
    }

    /// All are empty again.
    pub fn clear(&mut self) {
        self.slots.fill(None);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_least_recently_used_key_gives_way_and_comes_back_by_loading() {
        let mut slots = Slots::new(2);
        assert_eq!(slots.place(&[1]), Place::Load(0));
        assert_eq!(slots.place(&[2]), Place::Load(1));
        assert_eq!(slots.place(&[1]), Place::Loaded(0));
        assert_eq!(slots.place(&[3]), Place::Load(1));
        assert_eq!(slots.place(&[2]), Place::Load(0));
        slots.forget(&[3]);
        assert_eq!((slots.place(&[2]), slots.place(&[4])), (Place::Loaded(0), Place::Load(1)));
        slots.clear();
        assert_eq!(slots.place(&[2]), Place::Load(0));
    }
}
