//! What a configuration may say. The same names in the provider's section of `openssl.cnf` and as ENGINE commands.

use garner::arithmetic::{Arithmetic, best, libcrypto::Libcrypto};
use garner::device::board::{Board, Options};
use garner::device::{Cpu, Device};
use garner::gather::Config;
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

/// A setting that was refused: its name, its value, and what it may be.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{name} = {value}: {reason}")]
pub struct Refused {
    name: &'static str,
    value: String,
    reason: String,
}

/// What runs the operations.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Device_ {
    /// All that this machine has and that may beat OpenSSL, GPUs too; none, if nothing does for a single caller.
    Auto,
    /// The kernels for this processor, or an error where there are none.
    Cpu,
    /// Boards at these addresses, and the CPU for what they cannot take.
    Boards(Vec<String>),
    /// libcrypto's exponentiation, for tests and comparisons: slower than doing without Garner.
    Libcrypto,
    /// One that was added by [`add_device`].
    Added(String),
}

/// The settings, each at its default until [`Settings::set`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Settings {
    device: Device_,
    numbers: [Option<usize>; Settings::NUMBERS.len()],
}

impl Default for Settings {
    fn default() -> Settings {
        Settings { device: Device_::Auto, numbers: [None; Settings::NUMBERS.len()] }
    }
}

type Maker = fn(Arc<dyn Arithmetic>) -> Arc<dyn Device>;

static ADDED: Mutex<BTreeMap<&'static str, Maker>> = Mutex::new(BTreeMap::new());

/// Makes a device known under a name, for `device = NAME`. It gets the host's arithmetic and stands before the CPU.
pub fn add_device(name: &'static str, make: fn(Arc<dyn Arithmetic>) -> Arc<dyn Device>) {
    ADDED.lock().unwrap_or_else(PoisonError::into_inner).insert(name, make);
}

impl Settings {
    /// The settings that are whole numbers, and the largest value of each; all are at least 1.
    const NUMBERS: [(&'static str, usize); 4] =
        [("slots", 4096), ("queue_limit", 1 << 24), ("failures_allowed", 1 << 30), ("faults_allowed", 1 << 30)];

    /// The names of all settings.
    pub const NAMES: [&'static str; 5] = ["device", "slots", "queue_limit", "failures_allowed", "faults_allowed"];

    /// What each setting is, for people.
    pub fn describe(name: &str) -> &'static str {
        match name {
            "device" => "auto, cpu, libcrypto, or boards: vfio-user:PATH or a PCI address, commas between",
            "slots" => "how many batches run at the same time",
            "queue_limit" => "how many operations may wait",
            "failures_allowed" => "failed batches in a row before a device is taken out of service",
            _ => "wrong results before a device is taken out of service",
        }
    }

    /// Changes one setting.
    ///
    /// # Errors
    /// [`Refused`] for an unknown name, a value of the wrong kind or one out of range.
    pub fn set(&mut self, name: &str, value: &str) -> Result<(), Refused> {
        let Some(known) = Self::NAMES.into_iter().find(|known| *known == name) else {
            let reason = format!("is {name:?}, which is not one of {}", Self::NAMES.join(", "));
            return Err(Refused { name: "setting", value: value.to_owned(), reason });
        };
        let refused = |reason: String| Err(Refused { name: known, value: value.to_owned(), reason });
        if known == "device" {
            self.device = match value {
                "auto" => Device_::Auto,
                "cpu" => Device_::Cpu,
                "libcrypto" => Device_::Libcrypto,
                other if ADDED.lock().unwrap_or_else(PoisonError::into_inner).contains_key(other) => {
                    Device_::Added(other.to_owned())
                }
                gpu if gpu == "cuda" || gpu.starts_with("cuda:") => {
                    return refused("is not needed: auto uses a GPU where there is one, for large batches".to_owned());
                }
                boards if boards.contains(':') => {
                    Device_::Boards(boards.split(',').map(|address| address.trim().to_owned()).collect())
                }
                _ => return refused("must be auto, cpu, libcrypto, or the address of a board".to_owned()),
            };
            return Ok(());
        }
        let index = Self::NUMBERS.iter().position(|(number, _)| *number == known).expect("the other settings");
        let most = Self::NUMBERS[index].1;
        match value.trim().parse::<usize>() {
            Ok(number) if (1..=most).contains(&number) => self.numbers[index] = Some(number),
            _ => return refused(format!("must be a whole number from 1 to {most}")),
        }
        Ok(())
    }

    /// The gatherer's configuration, and whether its device beats OpenSSL: if not, the provider offers nothing.
    ///
    /// # Errors
    /// [`Refused`] when the device is not here, or the environment variable `GARNER_CPU` asks for an unknown one.
    pub fn config(&self) -> Result<(Config, bool), Refused> {
        let refused = |value: &str, reason: String| Refused { name: "device", value: value.to_owned(), reason };
        let host = || best().map_err(|error| refused("auto", error.to_string()));
        let (mut config, worthwhile) = match &self.device {
            Device_::Libcrypto => (Config::with(Arc::new(Libcrypto), Vec::new()), true),
            Device_::Added(name) => {
                let host = host()?;
                let make = ADDED.lock().unwrap_or_else(PoisonError::into_inner)[name.as_str()];
                (Config::with(Arc::clone(&host), vec![make(host)]), true)
            }
            Device_::Boards(addresses) => {
                let host = host()?;
                let open = |address: &String| match Board::open(address, Options::default()) {
                    Ok(board) => Ok(Arc::new(board) as Arc<dyn Device>),
                    Err(error) => Err(refused(address, error.to_string())),
                };
                let mut config = Config::with(Arc::clone(&host), addresses.iter().map(open).collect::<Result<_, _>>()?);
                if host.lanes() > 1 {
                    config.fallback.push(Arc::new(Cpu::new(host)));
                }
                (config, true)
            }
            Device_::Auto => {
                let config = Config::new().map_err(|error| refused("auto", error.to_string()))?;
                let worthwhile = !config.devices.is_empty();
                (config, worthwhile)
            }
            Device_::Cpu => {
                let host = host()?;
                if host.lanes() == 1 {
                    let reason =
                        "there are no kernels for this processor, or GARNER_CPU forbids them; use device = auto";
                    return Err(refused("cpu", reason.to_owned()));
                }
                (Config::with(Arc::clone(&host), vec![Arc::new(Cpu::new(host))]), true)
            }
        };
        let [slots, queue_limit, failures, faults] = self.numbers;
        config.slots = slots.unwrap_or(config.slots);
        config.queue_limit = queue_limit.unwrap_or(config.queue_limit);
        config.failures_allowed = failures.map_or(config.failures_allowed, |number| number as u32);
        config.faults_allowed = faults.map_or(config.faults_allowed, |number| number as u32);
        Ok((config, worthwhile))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bad_values_are_refused_with_their_name_and_what_would_be_good() {
        for (name, value, error) in [
            ("device", "gpu", "device = gpu: must be auto, cpu, libcrypto, or the address of a board"),
            (
                "device",
                "cuda:0",
                "device = cuda:0: is not needed: auto uses a GPU where there is one, for large batches",
            ),
            ("slots", "0", "slots = 0: must be a whole number from 1 to 4096"),
            ("slots", "two", "slots = two: must be a whole number from 1 to 4096"),
            ("queue_limit", "-1", "queue_limit = -1: must be a whole number from 1 to 16777216"),
            ("faults_allowed", "", "faults_allowed = : must be a whole number from 1 to 1073741824"),
        ] {
            let mut settings = Settings::default();
            assert_eq!(settings.set(name, value).unwrap_err().to_string(), error);
            assert_eq!(settings, Settings::default());
        }
        let error = Settings::default().set("colour", "red").unwrap_err().to_string();
        assert!(error.contains("\"colour\", which is not one of device, slots"), "{error}");
    }

    #[test]
    fn a_board_that_is_not_there_is_refused_by_its_address() {
        let mut settings = Settings::default();
        settings.set("device", "vfio-user:/nonexistent/board, 0000:ff:1f.7").unwrap();
        let error = settings.config().unwrap_err().to_string();
        assert!(error.starts_with("device = vfio-user:/nonexistent/board: board: "), "{error}");
    }

    #[test]
    fn auto_is_all_that_the_library_uses_by_itself_on_this_machine() {
        let names =
            |config: &Config| -> Vec<String> { config.devices.iter().map(|device| device.name().to_owned()).collect() };
        let (config, worthwhile) = Settings::default().config().unwrap();
        assert_eq!(names(&config), names(&Config::new().unwrap()));
        assert_eq!(worthwhile, !config.devices.is_empty());
    }

    #[test]
    fn good_values_reach_the_gatherer() {
        let mut settings = Settings::default();
        for (name, value) in [
            ("device", "libcrypto"),
            ("slots", "3"),
            ("queue_limit", "7"),
            ("failures_allowed", "5"),
            ("faults_allowed", "9"),
        ] {
            settings.set(name, value).unwrap();
        }
        let (config, worthwhile) = settings.config().unwrap();
        assert!(worthwhile);
        assert_eq!((config.slots, config.queue_limit, config.failures_allowed, config.faults_allowed), (3, 7, 5, 9));
        assert!(config.devices.is_empty());
    }
}
