// SPDX-License-Identifier: Apache-2.0
//! What a configuration may say. The same names in the provider's section of `openssl.cnf` and as ENGINE commands.

use garner::Error;
use garner::arithmetic::{Arithmetic, best};
use garner::device::{self, Device};
use garner::fork::away_from_fork;
use garner::gather::Config;
use garner_devices::KINDS;
use std::collections::BTreeMap;
use std::ffi::CStr;
use std::sync::{Arc, Mutex, PoisonError};

/// A setting that was refused: its name, its value, and what it may be.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{name} = {value}: {reason}")]
pub struct Refused {
    name: &'static str,
    value: String,
    reason: String,
}

/// The settings, each at its default until [`Settings::set`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Settings {
    /// Names as [`Config::named`] takes them, or one that was added by [`add_device`].
    device: String,
    numbers: [Option<usize>; Settings::NUMBERS.len()],
}

impl Default for Settings {
    fn default() -> Settings {
        Settings { device: "auto".to_owned(), numbers: [None; Settings::NUMBERS.len()] }
    }
}

type Maker = fn(Arc<dyn Arithmetic>) -> Arc<dyn Device>;

/// Looks at the devices that were added. A child made while somebody holds the lock would wait for it for ever.
fn with_added<T>(look: impl FnOnce(&mut BTreeMap<&'static str, Maker>) -> T) -> T {
    static ADDED: Mutex<BTreeMap<&str, Maker>> = Mutex::new(BTreeMap::new());
    away_from_fork(|| look(&mut ADDED.lock().unwrap_or_else(PoisonError::into_inner)))
}

/// Makes a device known under a name, for `device = NAME`. It gets the host's arithmetic and stands before the CPU.
pub fn add_device(name: &'static str, make: fn(Arc<dyn Arithmetic>) -> Arc<dyn Device>) {
    with_added(|added| added.insert(name, make));
}

impl Settings {
    /// The settings that are whole numbers, and the largest value of each; all are at least 1.
    const NUMBERS: [(&'static str, usize); 4] =
        [("slots", 4096), ("queue_limit", 1 << 24), ("failures_allowed", 1 << 30), ("faults_allowed", 1 << 30)];

    /// The names of all settings.
    pub const NAMES: [&'static str; 5] = ["device", "slots", "queue_limit", "failures_allowed", "faults_allowed"];

    /// What each of them is, for people.
    pub const DESCRIPTIONS: [&'static CStr; 5] = [
        c"auto, cpu, libcrypto, cuda:N, garnerd or boards, vfio-user:PATH or a PCI address, commas between",
        c"how many batches run at the same time",
        c"how many operations may wait",
        c"failed batches in a row before a device is taken out of service",
        c"wrong results before a device is taken out of service",
    ];

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
            let known =
                |name: &str| matches!(name, "auto" | "cpu" | "libcrypto") || device::resolve(KINDS, name).is_some();
            if !with_added(|added| added.contains_key(value)) && !value.split(',').all(|name| known(name.trim())) {
                let reason = "must be auto, cpu, libcrypto, cuda:N, garnerd, or the address of a board";
                return refused(reason.to_owned());
            }
            self.device = value.trim().to_owned();
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
        let refused = |error: Error| {
            let reason = if let Error::Argument { reason, .. } = error { reason } else { error.to_string() };
            // It begins with the name at fault, which is the value where that is one name.
            let rest = reason.strip_prefix(self.device.trim()).and_then(|rest| rest.strip_prefix(": "));
            let reason = rest.unwrap_or(&reason).to_owned();
            Refused { name: "device", value: self.device.clone(), reason }
        };
        let made = with_added(|added| added.get(self.device.as_str()).copied());
        let mut config = match made {
            Some(make) => {
                let host = best().map_err(refused)?;
                Config::with(Arc::clone(&host), vec![make(host)])
            }
            None => Config::named(&self.device, KINDS).map_err(refused)?,
        };
        let worthwhile = self.device != "auto" || !config.devices.is_empty();
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
            ("device", "gpu", "device = gpu: must be auto, cpu, libcrypto, cuda:N, garnerd, or the address of a board"),
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
        assert!(error.contains("0000:ff:1f.7: vfio-user:/nonexistent/board: "), "{error}");
        settings.set("device", "vfio-user:/nonexistent/board").unwrap();
        let error = settings.config().unwrap_err().to_string();
        assert!(error.starts_with("device = vfio-user:/nonexistent/board: "), "{error}");
        assert_eq!(error.matches("vfio-user").count(), 1, "named once: {error}");
    }

    #[test]
    fn auto_is_all_that_the_library_uses_by_itself_on_this_machine() {
        let names =
            |config: &Config| -> Vec<String> { config.devices.iter().map(|device| device.name().to_owned()).collect() };
        let (config, worthwhile) = Settings::default().config().unwrap();
        assert_eq!(names(&config), names(&garner_devices::config().unwrap()));
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
