// SPDX-License-Identifier: Apache-2.0
//! A configuration by the names of its devices, as people write them.

use super::Config;
use crate::arithmetic::libcrypto::Libcrypto;
use crate::device::{self, Device};
use crate::error::{Error, Result};
use std::sync::Arc;

impl Config {
    /// The devices of these names, commas between, in this order, and the CPU for what they cannot take.
    ///
    /// | name | device |
    /// |---|---|
    /// | `cpu` | the kernels for this processor |
    /// | `cuda:N`, or `cuda` for the first | a GPU |
    /// | `vfio-user:PATH`, or a PCI address as `0000:03:00.0` | a [board](device::open_board) |
    /// | `libcrypto`, alone | libcrypto's exponentiation; nothing else touches the numbers, the host's own part included |
    /// | `auto`, alone | all that this machine has, as [`Config::new`] |
    ///
    /// # Errors
    /// [`Error::Argument`], naming the name that is unknown or whose device is not here; those of [`Config::new`].
    pub fn named(names: &str) -> Result<Config> {
        let mut config = Config::new()?;
        match names.trim() {
            "auto" => return Ok(config),
            "libcrypto" => return Ok(Config::with(Arc::new(Libcrypto), Vec::new())),
            _ => {}
        }
        let mut present = std::mem::take(&mut config.devices);
        let names = names.split(',').map(|name| if name.trim() == "cuda" { "cuda:0" } else { name.trim() });
        let names: Vec<&str> = names.collect();
        if let Some((_, name)) = names.iter().enumerate().find(|(place, name)| names[..*place].contains(name)) {
            return Err(Error::argument("device", format!("{name}: named twice")));
        }
        for name in names {
            let device = match present.iter().position(|device| device.name() == name) {
                Some(index) => present.remove(index),
                None if name.contains(':') && !name.starts_with("cuda:") => device::open_board(name, None)?,
                None => return Err(Error::argument("device", not_here(name, &present))),
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
        _ if name.starts_with("cuda:") && !cfg!(feature = "cuda") => {
            format!("{name}: this build uses no GPU; its feature \"cuda\" is off")
        }
        _ => {
            let present: Vec<&str> = present.iter().map(|device| device.name()).collect();
            format!("{name}: not here; there are {}, libcrypto and the addresses of boards", present.join(", "))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refusal(names: &str) -> String {
        Config::named(names).unwrap_err().to_string()
    }

    #[test]
    fn auto_is_all_there_is_and_libcrypto_nothing_else() {
        let names = |config: Config| config.devices.iter().map(|device| device.name().to_owned()).collect::<Vec<_>>();
        assert_eq!(names(Config::named("auto").unwrap()), names(Config::new().unwrap()));
        let libcrypto = Config::named("libcrypto").unwrap();
        assert_eq!((libcrypto.arithmetic.name(), libcrypto.devices.len()), ("libcrypto", 0));
    }

    #[test]
    fn a_name_without_a_device_is_named() {
        assert!(refusal("gpu").starts_with("device: gpu: not here; there are "), "{}", refusal("gpu"));
        let gpu = if cfg!(feature = "cuda") { "not here" } else { "this build uses no GPU" };
        assert!(refusal("cuda:77").starts_with(&format!("device: cuda:77: {gpu}")), "{}", refusal("cuda:77"));
        assert!(refusal("libcrypto, auto").starts_with("device: libcrypto: only alone"));
        let board = refusal("vfio-user:/nonexistent/board, 0000:ff:1f.7");
        let why = if cfg!(feature = "board") { "" } else { "this build drives no board" };
        assert!(board.starts_with(&format!("board: vfio-user:/nonexistent/board: {why}")), "{board}");
        assert_eq!(refusal("0000:ff:1f.7, cpu, 0000:ff:1f.7"), "device: 0000:ff:1f.7: named twice");
        assert_eq!(refusal("cuda,cuda:0"), "device: cuda:0: named twice");
    }

    #[test]
    fn the_cpu_is_for_what_named_devices_cannot_take_and_not_there_twice() {
        let Ok(config) = Config::named("cpu") else {
            assert!(refusal("cpu").contains("no kernels for this processor"));
            return;
        };
        assert_eq!((config.devices.len(), config.fallback.len()), (1, 0));
    }
}
