// SPDX-License-Identifier: Apache-2.0
//! Standard output, and how figures are written for people.

use crate::failure::Failure;
use std::fmt::Display;
use std::io::{self, Write};

/// Writes to standard output. `println!` would panic when the reader is gone.
pub fn write(text: &str) -> Result<(), Failure> {
    write_bytes(text.as_bytes())
}

/// Writes bytes to standard output.
pub fn write_bytes(bytes: &[u8]) -> Result<(), Failure> {
    let mut stdout = io::stdout().lock();
    stdout.write_all(bytes)?;
    stdout.flush()?;
    Ok(())
}

/// Says on standard error what is wrong. `eprintln!` would panic where that cannot be written.
pub fn complain(what: impl Display) {
    let text = printable(&what.to_string());
    let _ = io::stderr().write_all(format!("garner: {text}\n").as_bytes());
}

/// One line of a terminal, whatever is in it: names of files come from others, and may have newlines and worse.
pub fn printable(text: &str) -> String {
    let mut line = String::with_capacity(text.len());
    for c in text.chars() {
        if c.is_control() { line.extend(c.escape_default()) } else { line.push(c) }
    }
    line
}

/// A whole number with a space every three digits: `16 740`.
pub fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::with_capacity(digits.len() * 4 / 3);
    for (i, digit) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            text.push(' ');
        }
        text.push(digit);
    }
    text
}

/// A rate per second to three digits or more: `16 740`, `24.3`.
pub fn rate(per_second: f64) -> String {
    match per_second {
        small if small < 10.0 => format!("{small:.2}"),
        small if small < 100.0 => format!("{small:.1}"),
        large => grouped(large.round() as u64),
    }
}

/// A time given in microseconds: `950 ns`, `121 us`, `3.3 ms`, `1.20 s`.
pub fn time(microseconds: f64) -> String {
    match microseconds {
        us if us < 1.0 => format!("{:.0} ns", us * 1e3),
        us if us < 9.95 => format!("{us:.1} us"),
        us if us < 999.5 => format!("{us:.0} us"),
        us if us < 9_950.0 => format!("{:.1} ms", us / 1e3),
        us if us < 999_500.0 => format!("{:.0} ms", us / 1e3),
        us => format!("{:.2} s", us / 1e6),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_grouped_in_threes() {
        assert_eq!(grouped(0), "0");
        assert_eq!(grouped(999), "999");
        assert_eq!(grouped(1_000), "1 000");
        assert_eq!(grouped(12_345_678), "12 345 678");
    }

    #[test]
    fn what_a_terminal_would_obey_is_shown_instead() {
        assert_eq!(printable("new\nline \u{1b}[2J \u{9b}0m é"), "new\\nline \\u{1b}[2J \\u{9b}0m é");
    }

    #[test]
    fn rates_and_times_keep_two_digits_or_more() {
        assert_eq!(rate(3.456), "3.46");
        assert_eq!(rate(56.78), "56.8");
        assert_eq!(rate(16_740.4), "16 740");
        assert_eq!(time(0.95), "950 ns");
        assert_eq!(time(2.54), "2.5 us");
        assert_eq!(time(121.2), "121 us");
        assert_eq!(time(3_300.0), "3.3 ms");
        assert_eq!(time(44_000.0), "44 ms");
        assert_eq!(time(1_204_000.0), "1.20 s");
    }
}
