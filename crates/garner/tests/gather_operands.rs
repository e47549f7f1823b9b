// SPDX-License-Identifier: Apache-2.0
//! Which operands an operation admits.

mod gather_support;

use garner::Error;
use garner::gather::Operation;
use gather_support::{Known, TestDevice, gatherer};
use std::sync::Arc;

#[test]
fn operands_out_of_range_are_refused() {
    let known = Known::new(512);
    let modulus = {
        let mut bytes = vec![0; 64];
        garner::words::to_be_bytes(known.key.public().modulus().words(), &mut bytes);
        bytes
    };
    assert!(matches!(Operation::private(&known.key, &modulus), Err(Error::Argument { name: "input", .. })));
    assert!(matches!(Operation::public(known.key.public(), &[255; 65]), Err(Error::Argument { name: "input", .. })));
    let odd = Arc::new(garner::arithmetic::Modulus::new(&[9]).unwrap());
    assert!(matches!(Operation::exponentiation(&odd, &[9], &[1]), Err(Error::Argument { name: "base", .. })));
    assert!(matches!(Operation::exponentiation(&odd, &[2], &[]), Err(Error::Argument { name: "exponent", .. })));
    assert!(matches!(Operation::exponentiation(&odd, &[2], &[1; 1025]), Err(Error::Argument { name: "exponent", .. })));
    let gatherer = gatherer(&Arc::new(TestDevice::sound(8)), 1);
    assert_eq!(*gatherer.run(Operation::exponentiation(&odd, &[0, 2], &[0, 5]).unwrap()).unwrap(), [5]);
    // Leading zeros are no error, and zero is a value like any other.
    let zero = Operation::private(&known.key, &[0; 100]).unwrap();
    assert_eq!(*gatherer.run(zero).unwrap(), [0; 64]);
}
