// SPDX-License-Identifier: Apache-2.0
//! Energy, by the counters of Linux's powercap tree: what processors of Intel and AMD count by RAPL, whole packages with all that
//! runs on them.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// Where Linux shows the counters.
pub const POWERCAP: &str = "/sys/class/powercap";

/// Idle power is the mean over so long.
const IDLE: Duration = Duration::from_secs(1);

/// The energy counters of every package of this machine.
#[derive(Debug)]
pub struct Meter {
    packages: Vec<Package>,
}

#[derive(Debug)]
struct Package {
    counter: PathBuf,
    /// The counter begins again behind this many microjoules.
    range: u64,
}

/// What the counters showed at a time.
#[derive(Debug)]
pub struct Reading(Vec<u64>);

/// What a run says of energy, where it was asked for.
#[derive(Debug, Clone, PartialEq)]
pub enum Energy {
    /// Counters were read.
    Measured {
        /// The packages' power before the first row, with nothing of ours at work.
        idle_watts: f64,
    },
    /// Nothing was, for this reason.
    NotMeasurable(String),
}

impl Meter {
    /// The counters below `root`: the folders `*-rapl:N` named `package…`, which contain all others.
    ///
    /// # Errors
    /// Why there is none, or none that can be read.
    pub fn open(root: &Path) -> Result<Meter, String> {
        let entries = fs::read_dir(root).map_err(|error| format!("{}: {error}", root.display()))?;
        let mut folders: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
        folders.sort();
        let mut packages = Vec::new();
        for folder in folders {
            let name = fs::read_to_string(folder.join("name")).unwrap_or_default();
            if !name.starts_with("package") {
                continue;
            }
            let counter = folder.join("energy_uj");
            number(&counter)?;
            packages.push(Package { range: number(&folder.join("max_energy_range_uj"))?, counter });
        }
        match packages.is_empty() {
            true => Err(format!("no counter of a package in {}", root.display())),
            false => Ok(Meter { packages }),
        }
    }

    /// What the counters show now.
    pub fn read(&self) -> Result<Reading, String> {
        self.packages.iter().map(|package| number(&package.counter)).collect::<Result<_, _>>().map(Reading)
    }

    /// Joules since `before`, less than once round the counters ago.
    pub fn joules_since(&self, before: &Reading) -> Result<f64, String> {
        let now = self.read()?;
        let used = self.packages.iter().zip(before.0.iter().zip(now.0)).map(|(package, (before, now))| {
            // A counter that has begun again shows less than before.
            if now >= *before { now - before } else { package.range.saturating_sub(*before) + now }
        });
        Ok(used.sum::<u64>() as f64 / 1e6)
    }

    /// The power of a second in which nothing of ours works, in watts.
    pub fn idle_watts(&self) -> Result<f64, String> {
        let (before, start) = (self.read()?, Instant::now());
        std::thread::sleep(IDLE);
        Ok(self.joules_since(&before)? / start.elapsed().as_secs_f64())
    }
}

fn number(file: &Path) -> Result<u64, String> {
    let text = fs::read_to_string(file).map_err(|error| format!("{}: {error}", file.display()))?;
    text.trim().parse().map_err(|_| format!("{}: no number", file.display()))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A powercap tree with these packages: counter and range, and what real trees have beside them.
    fn tree(name: &str, packages: &[(u64, u64)]) -> PathBuf {
        let root = std::env::temp_dir().join(format!("garner-energy-{}-{name}", std::process::id()));
        let _ = fs::remove_dir_all(&root);
        let zone = |folder: String, name: &str, (counter, range): (u64, u64)| {
            let folder = root.join(folder);
            fs::create_dir_all(&folder).unwrap();
            fs::write(folder.join("name"), format!("{name}\n")).unwrap();
            fs::write(folder.join("energy_uj"), format!("{counter}\n")).unwrap();
            fs::write(folder.join("max_energy_range_uj"), format!("{range}\n")).unwrap();
        };
        for (i, package) in packages.iter().enumerate() {
            zone(format!("intel-rapl:{i}"), &format!("package-{i}"), *package);
            // A part of the package, and the platform around it: neither counts again.
            zone(format!("intel-rapl:{i}:0"), "core", (7, 1 << 32));
        }
        zone("intel-rapl:9".into(), "psys", (7, 1 << 32));
        fs::create_dir_all(root.join("intel-rapl")).unwrap();
        root
    }

    fn set(root: &Path, package: usize, counter: u64) {
        fs::write(root.join(format!("intel-rapl:{package}/energy_uj")), format!("{counter}\n")).unwrap();
    }

    #[test]
    fn packages_are_summed_and_their_parts_not_counted_again() {
        let root = tree("sum", &[(1_000_000, 1 << 32), (5, 1 << 32)]);
        let meter = Meter::open(&root).unwrap();
        let before = meter.read().unwrap();
        set(&root, 0, 3_500_000);
        set(&root, 1, 250_005);
        fs::write(root.join("intel-rapl:0:0/energy_uj"), "900000000").unwrap();
        assert_eq!(meter.joules_since(&before), Ok(2.75));
        fs::remove_dir_all(root).unwrap();
    }

    #[test]
    fn a_counter_that_begins_again_goes_on() {
        let root = tree("range", &[(9_000_000, 10_000_000)]);
        let meter = Meter::open(&root).unwrap();
        let before = meter.read().unwrap();
        set(&root, 0, 1_500_000);
        assert_eq!(meter.joules_since(&before), Ok(2.5));
        fs::remove_dir_all(root).unwrap();
    }

    #[test]
    fn without_a_counter_that_can_be_read_there_is_a_reason() {
        let root = tree("none", &[]);
        assert!(Meter::open(&root).unwrap_err().starts_with("no counter of a package in "));
        fs::write(root.join("intel-rapl:9/name"), "package-9").unwrap();
        fs::write(root.join("intel-rapl:9/energy_uj"), "many").unwrap();
        assert!(Meter::open(&root).unwrap_err().ends_with("energy_uj: no number"));
        fs::remove_file(root.join("intel-rapl:9/energy_uj")).unwrap();
        assert!(Meter::open(&root).unwrap_err().contains("energy_uj: No such file"));
        fs::remove_dir_all(&root).unwrap();
        assert!(Meter::open(&root).unwrap_err().contains("No such file"));
    }
}
