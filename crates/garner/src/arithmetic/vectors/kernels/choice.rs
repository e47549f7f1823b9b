// SPDX-License-Identifier: Apache-2.0
//! Which of several kernels for the same operation run, where a user says so.

use crate::environment;

/// How many rows of a multiplication a kernel works on at a time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Rows {
    /// `garner_kernels::one_row::square` and its like: fewest instructions where additions cost nothing beside multiply-adds.
    One,
    /// `garner_kernels::two_rows`: where they share ports.
    Two,
}

/// What the variable `GARNER_KERNELS` asks for: `one-row` or `two-rows`. Without it a measurement decides.
///
/// # Errors
/// Why it asks for nothing known.
pub fn wanted() -> Result<Option<Rows>, String> {
    environment::variable("GARNER_KERNELS").map(|name| named(&name.to_string_lossy())).transpose()
}

fn named(name: &str) -> Result<Rows, String> {
    match name {
        "one-row" => Ok(Rows::One),
        "two-rows" => Ok(Rows::Two),
        _ => Err(format!("is {name:?}, must be \"one-row\" or \"two-rows\"")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_choose_and_others_are_refused() {
        assert_eq!(named("one-row"), Ok(Rows::One));
        assert_eq!(named("two-rows"), Ok(Rows::Two));
        assert_eq!(named("three"), Err(r#"is "three", must be "one-row" or "two-rows""#.to_owned()));
    }
}
