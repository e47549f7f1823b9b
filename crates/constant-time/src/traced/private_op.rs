// SPDX-License-Identifier: Apache-2.0
//! The private operation as it runs: one call, the exponentiations by the real kernels, and everything around them.

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
    outputs: Vec<Vec<u64>>,
}

impl Call {
    /// So many operations on one input. Another key for every secret, with primes of the same length; the last two inputs are
    /// 0 and n - 1.
    fn new(arithmetic: Native, bits: u32, operations: usize) -> Call {
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
        let (input, outputs) = (vec![0; words], vec![vec![0; words]; operations]);
        Call { arithmetic, device, secrets, key: None, secret: 0, input, outputs }
    }

    fn run(&mut self) {
        let key = self.key.as_ref().expect("selected");
        let operation = |output| PrivateOp { key, input: &self.input, output };
        let mut operations: Vec<PrivateOp<'_>> = self.outputs.iter_mut().map(|output| operation(output)).collect();
        let wrong = run(&self.arithmetic, &self.device, &mut operations).expect("the batch runs");
        assert!(!wrong.contains(&true));
    }
}

impl Case for Call {
    fn select(&mut self, secret: usize) {
        self.key = None;
        self.key = Some(PrivateKey::from_der(&self.secrets[secret].der).expect("a valid key"));
        self.secret = secret;
        self.input.copy_from_slice(&self.secrets[secret].input);
        // Leaves blinding pairs in the key's pool, as every batch but the first finds them.
        self.run();
    }

    fn call(&mut self) {
        self.run();
    }

    fn verify(&mut self) -> bool {
        self.outputs.iter().all(|output| *output == self.secrets[self.secret].expected)
    }
}

pub fn all(long: bool) -> Vec<Traced> {
    let sizes: &[u32] = if long { &[1024, 2048] } else { &[1024] };
    let whole = |arithmetic: Native, bits| {
        let name = format!("{}: private operation whole, RSA-{bits}", arithmetic.name());
        Traced::new(name, Expected::Equal, move || Call::new(arithmetic, bits, 1))
    };
    let nine = |arithmetic: Native| {
        let name = format!("{}: nine private operations of a key whole, RSA-512", arithmetic.name());
        Traced::new(name, Expected::Equal, move || Call::new(arithmetic, 512, 9))
    };
    Native::available()
        .into_iter()
        .flat_map(|arithmetic| sizes.iter().map(move |&bits| whole(arithmetic, bits)).chain([nine(arithmetic)]))
        .collect()
}
