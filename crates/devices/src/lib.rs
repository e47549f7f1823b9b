// SPDX-License-Identifier: Apache-2.0
//! The kinds of devices that this build has beside the processor: each is a feature, which front ends hand on. What a kind
//! that was left out says of itself is here, too. AES goes past the gatherer, to one board: with boards comes `aes`.

#![forbid(unsafe_code)]

#[cfg(not(all(feature = "board", feature = "cuda", feature = "garnerd")))]
mod left_out;

#[cfg(feature = "board")]
pub use garner_device_board::aes;

use garner::device::Kind;
use garner::error::Result;
use garner::gather::{Config, Gatherer};

/// All kinds.
pub const KINDS: &[&dyn Kind] = &[
    #[cfg(feature = "cuda")]
    &garner_device_cuda::Cuda,
    #[cfg(not(feature = "cuda"))]
    &left_out::LeftOut {
        resolve: |name| match name {
            "cuda" => Some("cuda:0".to_owned()),
            _ => name.starts_with("cuda:").then(|| name.to_owned()),
        },
        argument: "device",
        listed: Some("cuda"),
        reason: "this build uses no GPU; its feature \"cuda\" is off",
    },
    // Before boards, whose addresses have colons, too.
    #[cfg(feature = "garnerd")]
    &garner_device_garnerd::Daemons,
    #[cfg(not(feature = "garnerd"))]
    &left_out::LeftOut {
        resolve: |name| (name == "garnerd" || name.starts_with("garnerd:")).then(|| name.to_owned()),
        argument: "device",
        listed: None,
        reason: "this build lends no keys to garnerd; its feature \"garnerd\" is off",
    },
    #[cfg(feature = "board")]
    &garner_device_board::Boards,
    #[cfg(not(feature = "board"))]
    &left_out::LeftOut {
        resolve: |name| name.contains(':').then(|| name.to_owned()),
        argument: "board",
        listed: None,
        reason: "this build drives no board; its feature \"board\" is off",
    },
];

/// What this machine has, of all kinds.
///
/// # Errors
/// Those of [`Config::new`].
pub fn config() -> Result<Config> {
    Config::new(KINDS)
}

/// The gatherer of this process, made of [`config`] on first use.
///
/// # Errors
/// Those of [`Config::new`].
pub fn gatherer() -> Result<&'static Gatherer> {
    Gatherer::global_with(config)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refusal(names: &str) -> String {
        Config::named(names, KINDS).unwrap_err().to_string()
    }

    #[test]
    fn a_device_that_is_not_here_is_refused_by_its_name_and_one_that_was_left_out_by_its_feature() {
        let gpu =
            if cfg!(feature = "cuda") { "not here" } else { "this build uses no GPU; its feature \"cuda\" is off" };
        assert!(refusal("cuda:77").starts_with(&format!("device: cuda:77: {gpu}")), "{}", refusal("cuda:77"));
        let board = refusal("vfio-user:/nonexistent/board, 0000:ff:1f.7");
        let why = if cfg!(feature = "board") { "" } else { "this build drives no board; its feature \"board\" is off" };
        assert!(board.starts_with(&format!("board: vfio-user:/nonexistent/board: {why}")), "{board}");
    }

    #[test]
    fn garnerd_need_not_be_there_yet_unless_it_was_left_out() {
        let named =
            Config::named("garnerd:/nonexistent/socket", KINDS).map(|config| config.devices[0].name().to_owned());
        match named {
            Ok(name) if cfg!(feature = "garnerd") => assert_eq!(name, "garnerd:/nonexistent/socket"),
            Err(error) if !cfg!(feature = "garnerd") => {
                assert!(error.to_string().contains("garnerd\" is off"), "{error}")
            }
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn a_device_named_twice_is_refused_by_its_whole_name() {
        assert_eq!(refusal("0000:ff:1f.7, cpu, 0000:ff:1f.7"), "device: 0000:ff:1f.7: named twice");
        assert_eq!(refusal("cuda,cuda:0"), "device: cuda:0: named twice");
    }

    #[test]
    fn auto_is_all_there_is() {
        let names = |config: Config| config.devices.iter().map(|device| device.name().to_owned()).collect::<Vec<_>>();
        assert_eq!(names(Config::named("auto", KINDS).unwrap()), names(config().unwrap()));
    }
}
