// SPDX-License-Identifier: Apache-2.0
//! The device where no daemon is. With one: `crates/garnerd/tests/lending.rs`.

use super::*;
use garner::device::{Kind, Opening};
use garner::gather::{Config, Gatherer, Operation};
use openssl::rsa::{Padding, Rsa};
use std::sync::Arc;

#[test]
fn where_no_daemon_is_the_next_device_computes_and_nothing_is_taken_out_of_service() {
    let folder = tempfile::tempdir().unwrap();
    let name = format!("garnerd:{}", folder.path().join("socket").display());
    let config = Config::named(&name, &[&Daemons]).unwrap();
    let gatherer = Gatherer::new(config);
    let rsa = Rsa::generate(1024).unwrap();
    let key = Arc::new(PrivateKey::from_der(&rsa.private_key_to_der().unwrap()).unwrap());
    let mut right = [0; 128];
    rsa.private_encrypt(&[7; 128], &mut right, Padding::NONE).unwrap();
    for _ in 0..10 {
        let answer = gatherer.run(Operation::private(&key, &[7; 128]).unwrap()).unwrap();
        assert_eq!(answer[..], right);
    }
    let statistics = gatherer.statistics();
    assert_eq!((statistics.device_failures, statistics.out_of_service), (1, 0));
}

#[test]
fn one_that_must_be_ready_at_once_is_refused_by_its_name_where_it_is_not_there() {
    let error = Daemons.open("garnerd:/nonexistent/socket", &Opening::default().at_once()).err().unwrap().to_string();
    let expected = "device: garnerd:/nonexistent/socket: garnerd does not answer at /nonexistent/socket: ";
    assert!(error.starts_with(expected), "{error}");
    let error = Daemons.open("garnerd:", &Opening::default()).err().unwrap().to_string();
    assert_eq!(error, "device: garnerd:: the path of a socket is missing");
}

#[test]
fn names_of_other_devices_are_not_the_daemons() {
    for name in ["garnerdd", "cpu", "vfio-user:/garnerd", "garner:www"] {
        assert_eq!(Daemons.resolve(name), None, "{name}");
    }
    assert!(Daemons.present().unwrap().is_empty());
}
