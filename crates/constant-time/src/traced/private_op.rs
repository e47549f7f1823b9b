// SPDX-License-Identifier: Apache-2.0
//! The private operation as it runs: one call, two exponentiations by the real kernels, and everything around them.

use super::{Expected, SECRETS, Traced};
use crate::scenarios::{Words, reference};
use crate::trace::Case;
use garner::arithmetic::Arithmetic;
use garner::arithmetic::vectors::Native;
use garner::device::Cpu;
use garner::key::PrivateKey;
use garner::private_op::{PrivateOp, run};
use openssl::rsa::Rsa;
use std::sync::Arc;

/// One key and one input.
struct Numbers {
    der: Vec<u8>,
    input: Vec<u64>,
    expected: Vec<u64>,
}

struct Call {
    arithmetic: Native,
    device: Cpu,
    secrets: [Numbers; SECRETS],
    key: Option<PrivateKey>,
    secret: usize,
    /// The same memory for every secret.
    input: Vec<u64>,
    output: Vec<u64>,
}

impl Call {
    /// Another key for every secret, with primes of the same length; the last two inputs are 0 and n - 1.
    fn new(arithmetic: Native, bits: u32) -> Call {
        let mut random = Words(bits.into());
        let words = bits as usize / 64;
        let secrets = std::array::from_fn(|secret| {
            let rsa = Rsa::generate(bits).expect("a key");
            let modulus = reference::low(rsa.n(), words);
            let input = match SECRETS - secret {
                2 => vec![0; words],
                1 => {
                    let mut input = modulus.clone();
                    input[0] -= 1;
                    input
                }
                _ => random.below(&modulus),
            };
            let expected = reference::power(&input, &reference::low(rsa.d(), words), &modulus);
            Numbers { der: rsa.private_key_to_der().expect("encoding"), input, expected }
        });
        let device = Cpu::new(Arc::new(arithmetic));
        let (input, output) = (vec![0; words], vec![0; words]);
        Call { arithmetic, device, secrets, key: None, secret: 0, input, output }
    }

    fn run(&mut self) {
        let key = self.key.as_ref().expect("selected");
        let mut operations = [PrivateOp { key, input: &self.input, output: &mut self.output }];
        let wrong = run(&self.arithmetic, &self.device, &mut operations).expect("the batch runs");
        assert!(!wrong[0]);
    }
}

impl Case for Call {
    fn select(&mut self, secret: usize) {
        self.key = None;
        self.key = Some(PrivateKey::from_der(&self.secrets[secret].der).expect("a valid key"));
        self.secret = secret;
        self.input.copy_from_slice(&self.secrets[secret].input);
        // Leaves a blinding pair in the key's pool, as every operation but the first finds it.
        self.run();
    }

    fn call(&mut self) {
        self.run();
    }

    fn verify(&mut self) -> bool {
        self.output == self.secrets[self.secret].expected
    }
}

pub fn all(long: bool) -> Vec<Traced> {
    let sizes: &[u32] = if long { &[1024, 2048] } else { &[1024] };
    let call = |arithmetic: Native, bits| {
        let name = format!("{}: private operation whole, RSA-{bits}", arithmetic.name());
        Traced::new(name, Expected::Equal, move || Call::new(arithmetic, bits))
    };
    Native::available()
        .into_iter()
        .flat_map(|arithmetic| sizes.iter().map(move |&bits| call(arithmetic, bits)))
        .collect()
}
