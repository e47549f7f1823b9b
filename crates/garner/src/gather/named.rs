// SPDX-License-Identifier: Apache-2.0
//! A configuration by the names of its devices, as people write them.

use super::Config;
use crate::arithmetic::libcrypto::Libcrypto;
use crate::device::{self, Device, Kind, Opening};
use crate::error::{Error, Result};
use std::sync::Arc;

impl Config {
    /// The devices of these names, commas between, in this order, and the CPU for what they cannot take.
    ///
    /// | name | device |
    /// |---|---|
    /// | `cpu` | the kernels for this processor |
    /// | what one of `kinds` [resolves](Kind::resolve) | a device of that kind |
    /// | `libcrypto`, alone | libcrypto's exponentiation; nothing else touches the numbers, the host's own part included |
    /// | `auto`, alone | all that this machine has, as [`Config::new`] |
    ///
    /// # Errors
    /// [`Error::Argument`], naming the name that is unknown or whose device is not here; those of [`Config::new`] and of
    /// [`Kind::open`].
    pub fn named(names: &str, kinds: &[&dyn Kind]) -> Result<Config> {
        let mut config = Config::new(kinds)?;
        let resolved = |name: &str| match device::resolve(kinds, name.trim()) {
            Some((kind, name)) => (Some(kind), name),
            None => (None, name.trim().to_owned()),
        };
        let names: Vec<(Option<&dyn Kind>, String)> = names.split(',').map(resolved).collect();
        match &names[..] {
            [(None, name)] if name == "auto" => return Ok(config),
            [(None, name)] if name == "libcrypto" => return Ok(Config::with(Arc::new(Libcrypto), Vec::new())),
            _ => {}
        }
        let is_again =
            |(place, (_, name)): (usize, &(_, String))| names[..place].iter().any(|(_, other)| other == name);
        if let Some(place) = names.iter().enumerate().position(is_again) {
            return Err(Error::argument("device", format!("{}: named twice", names[place].1)));
        }
        let mut present = std::mem::take(&mut config.devices);
        for (kind, name) in &names {
            let device = match (kind, present.iter().position(|device| device.name() == name)) {
                (Some(kind), _) => kind.open(name, &Opening::default())?,
                (None, Some(index)) => present.remove(index),
                (None, None) => return Err(Error::argument("device", not_here(name, &present))),
            };
            config.devices.push(device);
        }
        config.fallback = present.into_iter().filter(|device| device.name() == "cpu").collect();
        Ok(config)
    }
}

fn not_here(name: &str, present: &[Arc<dyn Device>]) -> String {
    match name {
        "cpu" => "cpu: there are no kernels for this processor, or GARNER_CPU forbids them".to_owned(),
        "auto" | "libcrypto" => format!("{name}: only alone"),
        _ => {
            let present = present.iter().map(|device| device.name()).filter(|name| *name != "libcrypto");
            let known: Vec<&str> = present.chain(["libcrypto"]).collect();
            format!("{name}: not here; there are {} and devices named by their address", known.join(", "))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::device::{DeviceError, DeviceInfo, Limits, Power};

    fn named(names: &str) -> Result<Config> {
        Config::named(names, &[&Tape])
    }

    fn refusal(names: &str) -> String {
        named(names).unwrap_err().to_string()
    }

    fn names(config: &Config) -> Vec<&str> {
        config.devices.iter().map(|device| device.name()).collect()
    }

    /// A device that computes nothing.
    struct Reel(String);

    impl DeviceInfo for Reel {
        fn name(&self) -> &str {
            &self.0
        }

        fn limits(&self) -> Limits {
            Limits { min_bits: 1, max_bits: 0 }
        }

        fn preferred_batch(&self) -> usize {
            1
        }
    }

    impl Device for Reel {
        fn exponentiate(&self, _: &mut [Power<'_>]) -> std::result::Result<(), DeviceError> {
            Err(DeviceError("a tape computes nothing".to_owned()))
        }
    }

    /// `tape`, or `tape:N`: the one of number 1 is not there.
    struct Tape;

    impl Kind for Tape {
        fn resolve(&self, name: &str) -> Option<String> {
            let name = if name == "tape" { "tape:0" } else { name };
            name.starts_with("tape:").then(|| name.to_owned())
        }

        fn present(&self) -> Result<Vec<Arc<dyn Device>>> {
            Ok(vec![Arc::new(Reel("tape:0".to_owned()))])
        }

        fn open(&self, name: &str, _: &Opening) -> Result<Arc<dyn Device>> {
            match name {
                "tape:1" => Err(Error::argument("tape", format!("{name}: torn"))),
                _ => Ok(Arc::new(Reel(name.to_owned()))),
            }
        }
    }

    #[test]
    fn auto_is_all_there_is_and_libcrypto_nothing_else() {
        assert_eq!(names(&named("auto").unwrap()), names(&Config::new(&[&Tape]).unwrap()));
        assert!(names(&named("auto").unwrap()).ends_with(&["tape:0"]));
        let libcrypto = named("libcrypto").unwrap();
        assert_eq!((libcrypto.arithmetic.name(), libcrypto.devices.len()), ("libcrypto", 0));
    }

    #[test]
    fn a_name_of_a_kind_is_opened_by_it_and_its_refusal_is_the_answer() {
        let config = named(" tape, tape:7").unwrap();
        assert_eq!(names(&config), ["tape:0", "tape:7"]);
        assert!(config.fallback.iter().all(|device| device.name() == "cpu"));
        assert_eq!(refusal("tape,tape:1"), "tape: tape:1: torn");
    }

    #[test]
    fn a_name_without_a_device_is_named() {
        assert!(refusal("gpu").starts_with("device: gpu: not here; there are "), "{}", refusal("gpu"));
        let error = Config::named("libcrypto, auto", &[]).unwrap_err().to_string();
        assert_eq!(error, "device: libcrypto: only alone");
        assert_eq!(refusal("tape:3, cpu, tape:3"), "device: tape:3: named twice");
        assert_eq!(refusal("tape,tape:0"), "device: tape:0: named twice");
    }

    #[test]
    fn the_cpu_is_for_what_named_devices_cannot_take_and_not_there_twice() {
        let Ok(config) = named("cpu") else {
            assert!(refusal("cpu").contains("no kernels for this processor"));
            return;
        };
        assert_eq!((config.devices.len(), config.fallback.len()), (1, 0));
    }
}
