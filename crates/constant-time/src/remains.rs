// SPDX-License-Identifier: Apache-2.0
//! What is left in memory of a key that was used and dropped, and of the candidates for primes that key generation drew:
//! nothing, in the heap and in pages of secrets.
//!
//! The key is made in another process. This one gets it through a pipe, with fingerprints of its numbers: words of them,
//! masked, so that the fingerprints are not themselves what is searched for. Candidates come from a source whose words can
//! be had again.

use crate::filter::Filter;
use crate::scenarios::{Words, reference};
use crate::verdict::{Table, Verdict, of_process};
use garner::Error;
use garner::arithmetic::vectors::Native;
use garner::arithmetic::{self, Arithmetic, libcrypto::Libcrypto};
use garner::device::Cpu;
use garner::key::PrivateKey;
use garner::keygen::{Generator, Options};
use garner::private_op::{PrivateOp, run as run_private};
use garner::secret::wipe;
use openssl::rsa::Rsa;
use std::cell::Cell;
use std::collections::{BTreeSet, HashSet};
use std::fs::File;
use std::io::Read;
use std::os::unix::fs::FileExt;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

const KEY: &str = "memory: a key that was used and dropped is gone";
const CANDIDATES: &str = "memory: random bits of key generation are gone, kept or thrown away";
const MASK: u64 = 0x5bd1_e995_9d1b_54a5;
const BITS: u32 = 2048;

/// The scenarios.
pub fn run(table: &mut Table, filter: Filter<'_>) {
    let chosen: Vec<&str> = [KEY, CANDIDATES].into_iter().filter(|name| filter.takes(name)).collect();
    if !chosen.is_empty() {
        table.section("memory: all of it is searched for words of a secret, before and after the secret is dropped");
    }
    for name in chosen {
        table.row(name, if name == KEY { judge_key() } else { of_process(&["remains", "candidates"], &[]) });
    }
}

fn judge_key() -> Verdict {
    let rsa = Rsa::generate(BITS).map_err(|error| error.to_string())?;
    let der = rsa.private_key_to_der().map_err(|error| error.to_string())?;
    let parts = [rsa.p(), rsa.q(), rsa.dmp1(), rsa.dmq1(), rsa.iqmp()].map(|part| part.expect("a CRT key"));
    let mut message = (der.len() as u64).to_le_bytes().to_vec();
    for part in parts {
        // The third word, as words and as big-endian bytes have it.
        let word = reference::low(part, 4)[2];
        for form in [word, word.swap_bytes()] {
            message.extend_from_slice(&(form ^ MASK).to_le_bytes());
        }
    }
    message.extend_from_slice(&der);
    of_process(&["remains", "key"], &message)
}

/// The body of the process that has the secret.
///
/// # Panics
/// When something of it is left, or was not found while it was there.
pub fn run_one(subject: &str) {
    match subject {
        "key" => run_key(),
        "candidates" => run_candidates(),
        other => panic!("nothing is searched for {other}"),
    }
}

fn run_key() {
    // Not `stdin()`, whose buffer would keep a copy.
    let mut input = File::open("/dev/stdin").expect("a pipe");
    let mut number = || {
        let mut bytes = [0; 8];
        input.read_exact(&mut bytes).expect("the parent's message");
        u64::from_le_bytes(bytes)
    };
    let length = number();
    let masked: [u64; 10] = std::array::from_fn(|_| number());
    let mut der = vec![0; length as usize];
    input.read_exact(&mut der).expect("the parent's message");
    let key = PrivateKey::from_der(&der).expect("a valid key");
    wipe(&mut der);
    let mut arithmetics: Vec<Arc<dyn Arithmetic>> = vec![Arc::new(Libcrypto)];
    arithmetics.extend(Native::available().into_iter().map(|native| Arc::new(native) as Arc<dyn Arithmetic>));
    for arithmetic in &arithmetics {
        let device = Cpu::new(arithmetic.clone());
        let input = Words(12).below(key.public().modulus().words());
        let mut output = vec![0; input.len()];
        let mut operations = [PrivateOp { key: &key, input: &input, output: &mut output }];
        run_private(&**arithmetic, &device, &mut operations).expect("the batch runs");
    }
    let position = |word: u64| masked.iter().position(|&masked| masked == word ^ MASK);
    let with = search(position);
    assert!(with.iter().filter(|(part, _)| part % 2 == 0).count() >= 5, "the key is there: {with:?}");
    drop(key);
    report(with.len(), &search(position));
}

/// The first of ten keys, of words that can be made again; the next are under way.
fn run_candidates() {
    const SEED: u64 = 24;
    let drawn = AtomicUsize::new(0);
    let mut words = Words(SEED);
    let source = |bytes: &mut [u8]| -> Result<(), Error> {
        drawn.fetch_add(bytes.len() / 8, Ordering::Relaxed);
        words.fill(bytes);
        Ok(())
    };
    let arithmetic = arithmetic::best().expect("an arithmetic");
    let options = Options { below_fips: true, ..Options::default() };
    let mut generator = Generator::new(&*arithmetic, 1024, 10, &options).expect("allowed").with_random(source);
    let key = generator.next().expect("ten were asked for").expect("a key");
    let mut again = Words(SEED);
    let masked: HashSet<u64> = (0..drawn.load(Ordering::Relaxed))
        .flat_map(|_| {
            let word = again.next();
            [word ^ MASK, word.swap_bytes() ^ MASK]
        })
        .collect();
    let count = Cell::new(0);
    let position = |word: u64| {
        let found = masked.contains(&(word ^ MASK));
        count.set(count.get() + usize::from(found));
        found.then_some(0)
    };
    search(position);
    let with = count.replace(0);
    assert!(with > 12, "the primes of the key are there: {with} words");
    drop(key);
    drop(generator);
    report(with, &search(position));
}

/// Prints what was found, and ends the process if any of it is not on the stack.
fn report(with: usize, without: &BTreeSet<(usize, String)>) {
    println!("{with} places while it was there, after that {}: {without:?}", without.len());
    if without.iter().any(|(_, mapping)| mapping != "[stack]") {
        std::process::exit(1);
    }
}

/// Which of the words that `position` knows are in this process's memory, and in which mappings.
fn search(position: impl Fn(u64) -> Option<usize>) -> BTreeSet<(usize, String)> {
    let mut found = BTreeSet::new();
    let maps = std::fs::read_to_string("/proc/self/maps").expect("a list of mappings");
    let memory = File::open("/proc/self/mem").expect("this process's memory");
    let mut window = vec![0; (1 << 16) + 7];
    let own = window.as_ptr_range();
    let own = own.start.addr()..own.end.addr();
    for line in maps.lines() {
        let mut fields = line.split_whitespace();
        let (Some(range), Some(rights)) = (fields.next(), fields.next()) else { continue };
        let Some((from, to)) = range.split_once('-') else { continue };
        let parse = |text| usize::from_str_radix(text, 16).expect("an address");
        let (from, to) = (parse(from), parse(to));
        if !rights.starts_with("rw") {
            continue;
        }
        let name = fields.nth(3).unwrap_or("anonymous").to_owned();
        let mut start = from;
        while start < to {
            let Ok(read) = memory.read_at(&mut window, start as u64) else { break };
            let read = read.min(to - start);
            for (i, bytes) in window[..read].windows(8).enumerate() {
                let word = u64::from_le_bytes(bytes.try_into().expect("eight bytes"));
                // The window shows what it held before, where it sees itself.
                if !own.contains(&(start + i))
                    && let Some(part) = position(word)
                {
                    found.insert((part, name.clone()));
                }
            }
            start += read.saturating_sub(7).max(1);
        }
    }
    window.fill(0);
    found
}
