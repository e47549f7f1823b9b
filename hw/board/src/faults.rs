//! Faults on purpose, to see that a host bears them: damaged results, lost interrupts, a board that hangs.

use std::str::FromStr;

/// Which faults, and how often.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Plan {
    /// Share of the results of which one bit is turned over.
    pub flip: f64,
    /// Share of the interrupts that are not delivered.
    pub lost_interrupt: f64,
    /// The board stops answering on its memory bus after so many results.
    pub hang_after: Option<u64>,
}

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
            match name {
                "flip" => plan.flip = share()?,
                "lost-interrupt" => plan.lost_interrupt = share()?,
                "hang-after" => {
                    plan.hang_after = Some(value.parse().map_err(|_| format!("{name}: {value:?} is not a number"))?);
                }
                _ => return Err(format!("{name:?} is unknown; known are flip, lost-interrupt and hang-after")),
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
}

impl Faults {
    /// Starts a plan.
    pub fn new(plan: Plan) -> Faults {
        Faults { plan, state: 0x9E37_79B9_7F4A_7C15, results: 0 }
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

    /// A write on its way to memory. Results are longer than completions, which are left alone.
    pub fn damage(&mut self, data: &mut [u8]) {
        if data.len() <= 16 {
            return;
        }
        self.results += 1;
        if self.happens(self.plan.flip) {
            let bit = self.next() as usize % (8 * data.len());
            data[bit / 8] ^= 1 << (bit % 8);
        }
    }

    /// Whether this interrupt is lost.
    pub fn loses_interrupt(&mut self) -> bool {
        self.happens(self.plan.lost_interrupt)
    }

    /// Whether the board hangs. A reset does not heal it.
    pub fn hung(&self) -> bool {
        self.plan.hang_after.is_some_and(|after| self.results >= after)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plans_are_read_and_wrong_ones_name_what_is_wrong() {
        let plan: Plan = "flip=0.5,hang-after=3".parse().unwrap();
        assert_eq!(plan, Plan { flip: 0.5, lost_interrupt: 0.0, hang_after: Some(3) });
        assert!("flip=2".parse::<Plan>().unwrap_err().contains("between 0 and 1"));
        assert!("drop=1".parse::<Plan>().unwrap_err().contains("lost-interrupt"));
    }

    #[test]
    fn flips_hit_results_and_spare_completions() {
        let mut faults = Faults::new(Plan { flip: 1.0, ..Plan::default() });
        let (mut completion, mut result) = ([0; 16], [0; 64]);
        faults.damage(&mut completion);
        faults.damage(&mut result);
        assert_eq!(completion, [0; 16]);
        assert_eq!(result.iter().map(|byte| byte.count_ones()).sum::<u32>(), 1);
    }
}
