// SPDX-License-Identifier: Apache-2.0
//! What these tests share: a garner-board of their own, keys, and numbers of OpenSSL's as the board has them.
#![allow(dead_code, reason = "each test file uses a part")]

pub mod guest;
pub mod signing;

use garner::key::PrivateKey;
use garner_device_board::{Board, Options};
use openssl::bn::{BigNum, BigNumContext, BigNumRef};
use openssl::pkey::{PKey, Private};
use openssl::rsa::Rsa;
use openssl::symm::{Cipher, Crypter, Mode};
use serde_json::Value;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

/// How long anything may take that must come: a busy machine fails no test.
const PATIENCE: Duration = Duration::from_secs(60);

/// A garner-board of its own; killed when dropped.
pub struct Simulated {
    command: Command,
    process: Child,
    /// Where its boards listen.
    pub sockets: Vec<PathBuf>,
    statistics: PathBuf,
}

impl Simulated {
    /// One board.
    pub fn start(arguments: &[&str]) -> Simulated {
        Simulated::of("GARNER_MODEL", 1, arguments)
    }

    /// So many boards of the model that the environment variable `model` names.
    pub fn of(model: &str, boards: usize, arguments: &[&str]) -> Simulated {
        static NUMBER: AtomicUsize = AtomicUsize::new(0);
        let model = std::env::var_os(model).unwrap_or_else(|| panic!("{model} names no model; run `make test-board`"));
        let number = NUMBER.fetch_add(1, Ordering::Relaxed);
        let name = |what: &str| std::env::temp_dir().join(format!("garner-{}-{number}-{what}", std::process::id()));
        let sockets: Vec<PathBuf> = (0..boards).map(|i| name(&format!("board{i}"))).collect();
        let statistics = name("statistics");
        let mut command = Command::new(env!("CARGO_BIN_EXE_garner-board"));
        command.arg("--model").arg(model).arg("--statistics").arg(&statistics);
        command.args(sockets.iter().flat_map(|socket| [OsString::from("--socket"), socket.into()]));
        command.args(arguments).stdin(Stdio::null());
        let process = command.spawn().expect("garner-board starts");
        let simulated = Simulated { command, process, sockets, statistics };
        until("garner-board to listen", || simulated.sockets.iter().all(|socket| socket.exists()));
        simulated
    }

    /// Starts it again, with the same arguments, after [`Simulated::kill`].
    pub fn restart(&mut self) {
        self.process = self.command.spawn().expect("garner-board starts");
    }

    /// The command of another one, with the same arguments.
    pub fn command(&mut self) -> &mut Command {
        &mut self.command
    }

    /// The address of one of its boards.
    pub fn address(&self, board: usize) -> String {
        format!("vfio-user:{}", self.sockets[board].display())
    }

    /// Opens its first board.
    pub fn open(&self, patience: u64) -> Arc<Board> {
        self.open_one(0, patience)
    }

    /// Opens one of its boards.
    pub fn open_one(&self, board: usize, patience: u64) -> Arc<Board> {
        let options = Options::default().patience(Duration::from_secs(patience));
        Arc::new(Board::open(&self.address(board), options).expect("the board opens"))
    }

    /// What it did for its clients: one object for each that has left, of at least `clients`.
    pub fn statistics(&self, clients: usize) -> Vec<Value> {
        let mut lines = Vec::new();
        until("statistics", || {
            let text = std::fs::read_to_string(&self.statistics).unwrap_or_default();
            lines = text.lines().map(|line| serde_json::from_str(line).expect("a line of JSON")).collect();
            lines.len() >= clients
        });
        lines
    }

    /// Pulls all its boards out.
    pub fn kill(&mut self) {
        self.process.kill().unwrap();
        self.process.wait().unwrap();
    }
}

impl Drop for Simulated {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
        for path in self.sockets.iter().chain([&self.statistics]) {
            let _ = std::fs::remove_file(path);
        }
    }
}

/// Waits until something is so.
#[track_caller]
pub fn until(what: &str, mut so: impl FnMut() -> bool) {
    let start = Instant::now();
    while !so() {
        assert!(start.elapsed() < PATIENCE, "waited in vain for {what}");
        std::thread::sleep(Duration::from_millis(10));
    }
}

/// A key, OpenSSL's and ours.
pub struct Key {
    pub public: PKey<Private>,
    pub key: Arc<PrivateKey>,
}

pub fn key(bits: u32) -> Key {
    let rsa = Rsa::generate(bits).unwrap();
    let key = Arc::new(PrivateKey::from_der(&rsa.private_key_to_der().unwrap()).unwrap());
    Key { public: PKey::from_rsa(rsa).unwrap(), key }
}

/// The words of a number of openssl's, as many as `length`, the lowest first.
pub fn words(number: &BigNumRef, length: usize) -> Vec<u64> {
    let bytes = number.to_vec_padded(8 * length as i32).unwrap();
    bytes.rchunks(8).map(|word| u64::from_be_bytes(word.try_into().unwrap())).collect()
}

/// base^exponent mod modulus.
pub fn power(base: &BigNumRef, exponent: &BigNumRef, modulus: &BigNumRef) -> BigNum {
    let (mut result, mut context) = (BigNum::new().unwrap(), BigNumContext::new().unwrap());
    result.mod_exp(base, exponent, modulus, &mut context).unwrap();
    result
}

/// AES-CBC by libcrypto, of whole blocks.
pub fn aes_cbc(mode: Mode, key: &[u8], iv: &[u8; 16], text: &[u8]) -> Vec<u8> {
    let cipher = match key.len() {
        16 => Cipher::aes_128_cbc(),
        24 => Cipher::aes_192_cbc(),
        _ => Cipher::aes_256_cbc(),
    };
    let mut crypter = Crypter::new(cipher, mode, key, Some(iv)).unwrap();
    crypter.pad(false);
    let mut result = vec![0; text.len() + 16];
    let done = crypter.update(text, &mut result).unwrap();
    result.truncate(done);
    result
}

/// Whether a file is there and not empty.
pub fn is_written(path: &Path) -> bool {
    std::fs::metadata(path).is_ok_and(|file| file.len() > 0)
}
