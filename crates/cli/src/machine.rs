// SPDX-License-Identifier: Apache-2.0
//! Where and when: what a figure needs beside it to mean anything.

use garner::arithmetic::Arithmetic;
use serde::{Deserialize, Serialize};
use std::time::{SystemTime, UNIX_EPOCH};
use std::{env, fs, thread};

/// The machine and the software that figures were taken with.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Machine {
    /// The processor's name for itself.
    pub cpu: String,
    /// Processors this process may use.
    pub cores: usize,
    /// Which arithmetic: `ifma, 8 lanes` or `libcrypto`.
    pub kernels: String,
    /// The libcrypto beside which it runs: `OpenSSL 3.0.19`.
    pub openssl: String,
    /// Version of this command.
    pub garner: String,
    /// Operating system and instruction set.
    pub system: String,
    /// UTC, `2026-11-20T12:34:56Z`.
    pub date: String,
}

impl Machine {
    /// This machine, now, computing with `arithmetic`.
    pub fn here(arithmetic: &dyn Arithmetic) -> Machine {
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        Machine {
            cpu: cpu(),
            cores: thread::available_parallelism().map_or(1, usize::from),
            kernels: kernels(arithmetic),
            openssl: short_version(openssl::version::version()),
            garner: env!("CARGO_PKG_VERSION").to_owned(),
            system: format!("{} {}", env::consts::OS, env::consts::ARCH),
            date: date(now.as_secs()),
        }
    }

    /// `AMD EPYC, 2 cores · kernels: ifma, 8 lanes · OpenSSL 3.0.19 · 2026-11-20`.
    pub fn line(&self) -> String {
        let cores = if self.cores == 1 { "core" } else { "cores" };
        let day = self.date.split('T').next().unwrap_or_default();
        format!("{}, {} {cores} · kernels: {} · {} · {day}", self.cpu, self.cores, self.kernels, self.openssl)
    }
}

/// An arithmetic in a few words.
pub fn kernels(arithmetic: &dyn Arithmetic) -> String {
    match arithmetic.lanes() {
        1 => arithmetic.name().to_owned(),
        lanes => format!("{}, {lanes} lanes", arithmetic.name()),
    }
}

/// `OpenSSL 3.0.19 27 Jan 2026` without the date.
pub fn short_version(version: &str) -> String {
    version.split_whitespace().take(2).collect::<Vec<_>>().join(" ")
}

fn cpu() -> String {
    let text = fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let name = text.lines().find_map(|line| line.strip_prefix("model name")?.split_once(':'));
    match name {
        Some((_, name)) => name.trim().to_owned(),
        None => format!("unnamed {} processor", env::consts::ARCH),
    }
}

/// Seconds since 1970 as a UTC date and time. Howard Hinnant's `civil_from_days`, years from 1970 on.
fn date(seconds: u64) -> String {
    let (days, second) = (seconds / 86_400 + 719_468, seconds % 86_400);
    let (era, of_era) = (days / 146_097, days % 146_097);
    let year_of_era = (of_era - of_era / 1_460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let from_march = (5 * of_year + 2) / 153;
    let day = of_year - (153 * from_march + 2) / 5 + 1;
    let month = if from_march < 10 { from_march + 3 } else { from_march - 9 };
    let year = era * 400 + year_of_era + u64::from(month <= 2);
    let (hour, minute, second) = (second / 3_600, second / 60 % 60, second % 60);
    format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}Z")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_are_right_across_leap_days() {
        assert_eq!(date(0), "1970-01-01T00:00:00Z");
        assert_eq!(date(951_782_399), "2000-02-28T23:59:59Z");
        assert_eq!(date(951_782_400), "2000-02-29T00:00:00Z");
        assert_eq!(date(1_709_164_800), "2024-02-29T00:00:00Z");
        assert_eq!(date(1_795_219_200), "2026-11-21T00:00:00Z");
    }

    #[test]
    fn a_version_loses_its_date() {
        assert_eq!(short_version("OpenSSL 3.0.19 27 Jan 2026 (Library: 1)"), "OpenSSL 3.0.19");
    }
}
