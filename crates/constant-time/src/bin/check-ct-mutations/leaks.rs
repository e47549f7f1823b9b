// SPDX-License-Identifier: Apache-2.0
//! The leaks, and what keeps them dormant. Most are what somebody might write: a comparison that stops early, a loop that is
//! left when all is known, a step that is not needed for a zero.

/// One leak: `leaking` in the place of `original` in a file of the library, where `LEAKS` stands for "this leak is awake".
pub struct Leak {
    /// Its name in the table.
    pub name: &'static str,
    /// Below `crates/garner/src`.
    pub file: &'static str,
    /// What is in the file once.
    pub original: &'static str,
    pub leaking: &'static str,
    /// The scenario of `check-ct` that must find it.
    pub scenario: &'static str,
}

/// Goes to the end of the library.
pub const DORMANT: &str = r#"
/// Leaks planted by `check-ct-mutations`.
pub mod planted {
    use std::hint::black_box;
    use std::sync::OnceLock;

    /// Whether the leak of this name is the one that leaks.
    #[inline(never)]
    pub fn awake(name: &str) -> bool {
        static AWAKE: OnceLock<String> = OnceLock::new();
        AWAKE.get_or_init(|| std::env::var("PLANTED_LEAK").unwrap_or_default()) == name
    }

    /// The bit as it is, and nothing that the compiler knows about it: else it might branch on it before it asks which leak
    /// is awake.
    #[inline(always)]
    pub fn secret(bit: bool) -> bool {
        black_box(bit)
    }

    /// Something that takes time.
    #[inline(never)]
    pub fn step() {
        black_box(1);
    }
}
"#;

pub const LEAKS: &[Leak] = &[
    Leak {
        name: "blinding: branch on a random number as it is drawn",
        file: "private_op/blinding.rs",
        original: "        let inverses = inverses(arithmetic, public, &mut bases)?;\n",
        leaking: "        if LEAKS && crate::planted::secret(bases[0][0] & 1 == 1) {
            crate::planted::step();
        }
        let inverses = inverses(arithmetic, public, &mut bases)?;\n",
        scenario: "private operation: run, pairs made anew",
    },
    Leak {
        name: "blinding: branch on a pair, in batches of more than eight of a key",
        file: "private_op/blinding.rs",
        original: "        for (&i, pair) in served.iter().zip(made) {\n",
        leaking: "        for (&i, pair) in served.iter().zip(made) {
            if LEAKS && served.len() > 8 && crate::planted::secret(pair.factors()[1][0] & 1 == 1) {
                crate::planted::step();
            }\n",
        scenario: "private operation: run, nine operations of a key",
    },
    Leak {
        name: "blinding: branch on a pair of a key's second set",
        file: "private_op/blinding.rs",
        original: "            let mut unused = Unused::all(set);\n",
        leaking: "            let second = set.members() > 3;
            let mut unused = Unused::all(set);
            if LEAKS && second && crate::planted::secret(unused.take(1)[0].inverses()[0][0] & 1 == 1) {
                crate::planted::step();
            }\n",
        scenario: "private operation: run, more operations than a set has pairs",
    },
    Leak {
        name: "unblinding: zero is not multiplied",
        file: "private_op/blinding.rs",
        original: "    for step in steps {\n        step.y.copy_from_slice(step.x);\n",
        leaking: "    for step in steps {
        if LEAKS && step.y.iter().all(|&word| word == 0) {
            continue;
        }
        step.y.copy_from_slice(step.x);\n",
        scenario: "private operation: run, pairs from the pool",
    },
    Leak {
        name: "recombination: p is added where the difference is negative",
        file: "private_op/recombine.rs",
        original: "        words::add_masked(step.y_p, p, borrow.wrapping_neg());\n",
        leaking: "        if LEAKS {
            if crate::planted::secret(borrow == 1) {
                words::add_assign(step.y_p, p);
            }
        } else {
            words::add_masked(step.y_p, p, borrow.wrapping_neg());
        }\n",
        scenario: "private operation: run, two keys in a batch",
    },
    Leak {
        name: "recombination: a copy of p is left in memory",
        file: "private_op/recombine.rs",
        original: "        let p = step.key.p().words();\n",
        leaking: "        let p = step.key.p().words();
        if LEAKS {
            std::mem::forget(std::hint::black_box(p.to_vec()));
        }\n",
        scenario: "memory: a key that was used and dropped is gone",
    },
    Leak {
        name: "check: comparison that stops at the first difference",
        file: "private_op/check.rs",
        original: "            released(below & words::equal(step.x, operation.input))\n",
        leaking: "            if LEAKS {
                return crate::planted::secret(below.into()) && *step.x == *operation.input;
            }
            released(below & words::equal(step.x, operation.input))\n",
        scenario: "private operation: a wrong result is refused",
    },
    Leak {
        name: "windows: those of zero are not multiplied",
        file: "arithmetic/vectors/power.rs",
        original: "        field.window();\n",
        leaking: "        let zero = |job: &&mut Power<'_>| job.exponent[highest] >> (WINDOW_BITS * window) & 15 == 0;
        if LEAKS && crate::planted::secret(jobs.iter().all(zero)) {
            field.square_times(accumulator, WINDOW_BITS);
            continue;
        }
        field.window();\n",
        scenario: "twin: power_secret, 512-bit moduli",
    },
    Leak {
        name: "table: the wanted entry is read where it lies",
        file: "arithmetic/vectors/field/table.rs",
        original: "    let shift = class.lanes().trailing_zeros();\n",
        leaking: "    if LEAKS {
        std::hint::black_box(rows[(words[0] & 15) as usize]);
    }
    let shift = class.lanes().trailing_zeros();\n",
        scenario: "twin: power_secret, 512-bit moduli, folded over two lanes",
    },
    Leak {
        name: "transposition: words of zero are not shifted",
        file: "words.rs",
        original: "    let length = words.len().min(to.len());\n",
        leaking: "    if LEAKS && words.iter().all(|&word| word == 0) {
        return to.fill(0);
    }
    let length = words.len().min(to.len());\n",
        scenario: "twin: multiply, 250 to 1,500 bits",
    },
    Leak {
        name: "words: comparison from the top that stops at a difference",
        file: "words.rs",
        original: "pub fn less(a: &[u64], b: &[u64]) -> Choice {\n",
        leaking: "pub fn less(a: &[u64], b: &[u64]) -> Choice {
    if LEAKS {
        let less = a.iter().rev().zip(b.iter().rev()).find(|(a, b)| a != b).is_some_and(|(a, b)| a < b);
        return Choice::from(u8::from(less));
    }\n",
        scenario: "words: less",
    },
    Leak {
        name: "constants of a modulus: subtraction only where it is due",
        file: "arithmetic/powers.rs",
        original: "        let borrow = sub_assign(a, self.n);\n",
        leaking: "        if LEAKS && crate::planted::secret(carry == 0 && a[a.len() - 1] < self.n[a.len() - 1]) {
            return;
        }
        let borrow = sub_assign(a, self.n);\n",
        scenario: "twin: a modulus and its constants",
    },
    Leak {
        name: "libcrypto: zero words are left out",
        file: "arithmetic/libcrypto.rs",
        original: "        let mut bytes = Zeroizing::new(vec![1; 1 + words.len() * 8]);\n",
        leaking: "        let words = if LEAKS {
            &words[..words.iter().rposition(|&word| word != 0).map_or(0, |last| last + 1)]
        } else {
            words
        };
        let mut bytes = Zeroizing::new(vec![1; 1 + words.len() * 8]);\n",
        scenario: "libcrypto: the code around its functions",
    },
    Leak {
        name: "OAEP: a first byte that is not zero is refused at once",
        file: "padding/oaep.rs",
        original: "    let (seed, db) = rest.split_at_mut(label.len());\n    mgf1::mask(functions.mgf1_hash, db, seed)?;\n    mgf1::mask(functions.mgf1_hash, seed, db)?;\n",
        leaking: "    if LEAKS && crate::planted::secret(first[0] != 0) {
        return Err(crate::error::Error::Verification);
    }
    let (seed, db) = rest.split_at_mut(label.len());
    mgf1::mask(functions.mgf1_hash, db, seed)?;
    mgf1::mask(functions.mgf1_hash, seed, db)?;\n",
        scenario: "padding: OAEP, decoding",
    },
    Leak {
        name: "OAEP: the search for the message stops where it is",
        file: "padding/oaep.rs",
        original: "        before &= !one;\n",
        leaking: "        before &= !one;
        if LEAKS && crate::planted::secret(one.into()) {
            break;
        }\n",
        scenario: "padding: OAEP, bad blocks",
    },
    Leak {
        name: "PKCS#1 v1.5: the search for the message stops where it is",
        file: "padding/pkcs1v15_encryption.rs",
        original: "        before &= !zero;\n",
        leaking: "        before &= !zero;
        if LEAKS && crate::planted::secret(zero.into()) {
            break;
        }\n",
        scenario: "padding: PKCS#1 v1.5, decoding with an error",
    },
    Leak {
        name: "PKCS#1 v1.5: division by where the message starts",
        file: "padding/pkcs1v15_encryption.rs",
        original: "    let long_enough = start.ct_gt(",
        leaking: "    if LEAKS {
        std::hint::black_box(block.len() / std::hint::black_box(start as usize + 1));
    }
    let long_enough = start.ct_gt(",
        scenario: "padding: PKCS#1 v1.5, badly padded blocks",
    },
    Leak {
        name: "implicit rejection: the stand-in is kept only where it is needed",
        file: "padding/implicit_rejection.rs",
        original: "        for (stand_in, byte) in merged.iter_mut().zip(block) {\n",
        leaking: "        if LEAKS && crate::planted::secret(good.into()) {
            merged.copy_from_slice(block);
        }
        for (stand_in, byte) in merged.iter_mut().zip(block) {\n",
        scenario: "padding: implicit rejection, well and badly padded blocks",
    },
    Leak {
        name: "sieve: branch on what the lowest word leaves when it is divided",
        file: "keygen/sieve.rs",
        original: "        for group in &self.groups {\n",
        leaking: "        for candidate in block.chunks(self.words) {
            if LEAKS && crate::planted::secret(candidate[0] % 5 == 0) {
                crate::planted::step();
            }
        }
        for group in &self.groups {\n",
        scenario: "keygen: sieve",
    },
    Leak {
        name: "Miller-Rabin: a power of one passes at once",
        file: "miller_rabin.rs",
        original: "        let mut passed: Choice = equal(&self.power, &one)",
        leaking: "        if LEAKS && *self.power == *one {
            return true;
        }
        let mut passed: Choice = equal(&self.power, &one)",
        scenario: "keygen: Miller-Rabin round on a prime",
    },
];
