// SPDX-License-Identifier: Apache-2.0
//! Faults on purpose, to see that a host bears them: damaged results and memories, lost interrupts, a core or a whole
//! board that hangs, a board that is pulled out.

use std::str::FromStr;

/// Which faults, and how often. Results are those of RSA.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Plan {
    /// Share of the results of which one bit is turned over.
    pub flip: f64,
    /// Every so many cycles one bit of the memories in the cores is turned over.
    pub flip_memory: Option<u64>,
    /// Share of the interrupts that are not delivered.
    pub lost_interrupt: f64,
    /// The board stops answering on its memory bus after so many results.
    pub hang_after: Option<u64>,
    /// The first core stops in its tracks after so many results, once.
    pub hang_core_after: Option<u64>,
    /// After so many completions, of any engine, each is written a second time, into the place of the next one.
    pub twice_after: Option<u64>,
    /// The board is pulled out after so many results: registers read as ones, and it does nothing any more.
    pub absent_after: Option<u64>,
}

const KNOWN: &str = "flip, flip-memory, lost-interrupt, hang-after, hang-core-after, twice-after and absent-after";

impl FromStr for Plan {
    type Err = String;

    fn from_str(text: &str) -> Result<Plan, String> {
        let mut plan = Plan::default();
        for part in text.split(',') {
            let (name, value) = part.split_once('=').ok_or_else(|| format!("{part:?} is not NAME=VALUE"))?;
            let share = || match value.parse::<f64>() {
                Ok(share) if (0.0..=1.0).contains(&share) => Ok(share),
                _ => Err(format!("{name}: {value:?} is not between 0 and 1")),
            };
            let count = || match value.parse::<u64>() {
                Ok(count) if count > 0 => Ok(Some(count)),
                _ => Err(format!("{name}: {value:?} is not a number of at least 1")),
            };
            match name {
                "flip" => plan.flip = share()?,
                "flip-memory" => plan.flip_memory = count()?,
                "lost-interrupt" => plan.lost_interrupt = share()?,
                "hang-after" => plan.hang_after = count()?,
                "hang-core-after" => plan.hang_core_after = count()?,
                "twice-after" => plan.twice_after = count()?,
                "absent-after" => plan.absent_after = count()?,
                _ => return Err(format!("{name:?} is unknown; known are {KNOWN}")),
            }
        }
        Ok(plan)
    }
}

/// A plan under way. Its dice are the same in every run.
#[derive(Debug)]
pub struct Faults {
    plan: Plan,
    state: u64,
    results: u64,
    completions: u64,
    /// The cycle from which on a memory is struck next.
    memory_due: u64,
    core_hangs: bool,
    bus_hangs: bool,
}

/// What is to happen to the design now.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Strike {
    /// Turn over a bit of a memory, chosen by this number.
    Memory(u64),
    /// Stop the first core.
    Core,
    /// Hold the memory bus. A reset does not heal it.
    Bus,
}

impl Faults {
    /// Starts a plan.
    pub fn new(plan: Plan) -> Faults {
        let state = 0x9E37_79B9_7F4A_7C15;
        Faults { plan, state, results: 0, completions: 0, memory_due: 0, core_hangs: false, bus_hangs: false }
    }

    /// What strikes the design now, in cycle `now` or since it was last asked.
    pub fn strike(&mut self, now: u64) -> Option<Strike> {
        let after = |limit: Option<u64>| limit.is_some_and(|limit| self.results >= limit);
        if !self.bus_hangs && (after(self.plan.hang_after) || after(self.plan.absent_after)) {
            self.bus_hangs = true;
            return Some(Strike::Bus);
        }
        if !self.core_hangs && after(self.plan.hang_core_after) {
            self.core_hangs = true;
            return Some(Strike::Core);
        }
        if let Some(every) = self.plan.flip_memory
            && now >= self.memory_due
        {
            self.memory_due = (now / every + 1) * every;
            return Some(Strike::Memory(self.next()));
        }
        None
    }

    /// xorshift64*: dice, not randomness for secrets.
    fn next(&mut self) -> u64 {
        self.state ^= self.state >> 12;
        self.state ^= self.state << 25;
        self.state ^= self.state >> 27;
        self.state.wrapping_mul(0x2545_F491_4F6C_DD1D)
    }

    fn happens(&mut self, share: f64) -> bool {
        share > 0.0 && ((self.next() >> 11) as f64 / (1u64 << 53) as f64) < share
    }

    /// A result on its way to memory.
    pub fn damage(&mut self, data: &mut [u8]) {
        self.results += 1;
        if self.happens(self.plan.flip) {
            let bit = self.next() as usize % (8 * data.len());
            data[bit / 8] ^= 1 << (bit % 8);
        }
    }

    /// A completion on its way to memory: whether it is written twice.
    pub fn repeats(&mut self) -> bool {
        self.completions += 1;
        self.plan.twice_after.is_some_and(|after| self.completions > after)
    }

    /// Whether this interrupt is lost.
    pub fn loses_interrupt(&mut self) -> bool {
        self.happens(self.plan.lost_interrupt)
    }

    /// Whether the board has been pulled out.
    pub fn absent(&self) -> bool {
        self.plan.absent_after.is_some_and(|after| self.results >= after)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plans_are_read_and_wrong_ones_name_what_is_wrong() {
        let plan: Plan = "flip=0.5,hang-after=3".parse().unwrap();
        assert_eq!(plan, Plan { flip: 0.5, hang_after: Some(3), ..Plan::default() });
        assert!("flip=2".parse::<Plan>().unwrap_err().contains("between 0 and 1"));
        assert!("drop=1".parse::<Plan>().unwrap_err().contains("lost-interrupt"));
        assert!("flip-memory=0".parse::<Plan>().unwrap_err().contains("at least 1"));
    }

    #[test]
    fn a_core_is_stopped_once_and_memories_are_struck_again_and_again() {
        let mut faults = Faults::new("hang-core-after=1,flip-memory=10".parse().unwrap());
        assert!(matches!(faults.strike(0), Some(Strike::Memory(_))));
        assert_eq!(faults.strike(1), None);
        faults.damage(&mut [0; 64]);
        assert_eq!([faults.strike(2), faults.strike(3)], [Some(Strike::Core), None]);
        assert!(
            matches!([faults.strike(10), faults.strike(23)], [Some(Strike::Memory(a)), Some(Strike::Memory(b))] if a != b)
        );
        assert_eq!(faults.strike(29), None);
    }

    #[test]
    fn the_bus_is_held_once_after_so_many_results() {
        for plan in ["hang-after=2", "absent-after=2"] {
            let mut faults = Faults::new(plan.parse().unwrap());
            faults.damage(&mut [0; 64]);
            assert_eq!(faults.strike(1), None);
            faults.damage(&mut [0; 64]);
            assert_eq!([faults.strike(2), faults.strike(3)], [Some(Strike::Bus), None]);
        }
    }

    #[test]
    fn flips_turn_over_one_bit_of_a_result() {
        let mut faults = Faults::new(Plan { flip: 1.0, ..Plan::default() });
        let mut result = [0; 64];
        faults.damage(&mut result);
        assert_eq!(result.iter().map(|byte| byte.count_ones()).sum::<u32>(), 1);
    }
}
