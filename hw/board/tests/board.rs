//! The library's board device over a simulated board: `make board-test` (needs a compiled model, `GARNER_MODEL`).

use garner::arithmetic;
use garner::device::Device;
use garner::device::board::{Board, Options};
use garner::gather::{Config, Gatherer};
use garner::key::PrivateKey;
use garner::padding::Hash;
use garner::signature;
use openssl::bn::{BigNum, BigNumContext, BigNumRef};
use openssl::hash::MessageDigest;
use openssl::pkey::{PKey, Private};
use openssl::rsa::Rsa;
use openssl::sign::Verifier;
use std::io::{Read, Write};
use std::os::unix::net::UnixStream;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

/// A garner-board of its own; killed when dropped.
struct Simulated {
    process: Child,
    socket: PathBuf,
}

impl Simulated {
    fn start(name: &str, arguments: &[&str]) -> Simulated {
        let model = std::env::var_os("GARNER_MODEL").expect("GARNER_MODEL names a model; run `make board-test`");
        let socket = std::env::temp_dir().join(format!("garner-board-{}-{name}", std::process::id()));
        let process = Command::new(env!("CARGO_BIN_EXE_garner-board"))
            .arg("--model")
            .arg(model)
            .arg("--socket")
            .arg(&socket)
            .args(arguments)
            .stdin(Stdio::null())
            .spawn()
            .expect("garner-board starts");
        let start = Instant::now();
        while !socket.exists() {
            assert!(start.elapsed() < Duration::from_secs(30), "garner-board does not listen");
            std::thread::sleep(Duration::from_millis(10));
        }
        Simulated { process, socket }
    }

    fn open(&self, patience: u64) -> Arc<Board> {
        let options = Options::default().patience(Duration::from_secs(patience));
        Arc::new(Board::open(&format!("vfio-user:{}", self.socket.display()), options).expect("the board opens"))
    }

    fn kill(&mut self) {
        self.process.kill().unwrap();
        self.process.wait().unwrap();
    }
}

impl Drop for Simulated {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
        let _ = std::fs::remove_file(&self.socket);
    }
}

struct Key {
    public: PKey<Private>,
    key: Arc<PrivateKey>,
}

fn key(bits: u32) -> Key {
    let rsa = Rsa::generate(bits).unwrap();
    let key = Arc::new(PrivateKey::from_der(&rsa.private_key_to_der().unwrap()).unwrap());
    Key { public: PKey::from_rsa(rsa).unwrap(), key }
}

fn gatherer(board: &Arc<Board>) -> Gatherer {
    Gatherer::new(Config::with(arithmetic::best().unwrap(), vec![Arc::clone(board) as Arc<dyn Device>]))
}

/// Signs with every key from some threads; OpenSSL verifies each signature.
fn sign_all(gatherer: &Gatherer, keys: &[Key], each: usize) {
    std::thread::scope(|scope| {
        for key in keys {
            for caller in 0..each {
                scope.spawn(move || {
                    let message = format!("message {caller}");
                    let signature = signature::sign(gatherer, &key.key, Hash::Sha256, message.as_bytes()).unwrap();
                    let mut verifier = Verifier::new(MessageDigest::sha256(), &key.public).unwrap();
                    verifier.update(message.as_bytes()).unwrap();
                    assert!(verifier.verify(&signature).unwrap(), "a wrong signature was released");
                });
            }
        }
    });
}

#[test]
#[ignore = "needs a model: make board-test"]
fn signatures_of_more_keys_than_slots_are_made_by_the_board_and_right() {
    let simulated = Simulated::start("keys", &[]);
    let board = simulated.open(120);
    let capability = board.capability();
    assert!(capability.cores >= 1 && capability.max_bits >= 1024, "{capability:?}");
    let keys: Vec<Key> = (0..capability.key_slots + 2).map(|_| key(512)).collect();
    let gatherer = gatherer(&board);
    sign_all(&gatherer, &keys, 2);
    let counters = board.counters(false).unwrap();
    let loaded = board.events().keys_loaded.load(Ordering::Relaxed);
    println!("{capability:?} {counters:?} {:?}", board.events());
    assert_eq!(counters.failed, 0);
    assert_eq!(counters.jobs, loaded + 2 * keys.len() as u64, "the board did all of it");
    assert!(loaded as usize > capability.key_slots, "keys gave way");
    assert!(board.events().interrupts.load(Ordering::Relaxed) > 0, "completions came by interrupt");
}

#[test]
#[ignore = "needs a model: make board-test"]
fn what_the_board_cannot_take_goes_to_the_host() {
    let simulated = Simulated::start("host", &[]);
    let board = simulated.open(120);
    let gatherer = gatherer(&board);
    sign_all(&gatherer, &[key(600)], 2);
    assert_eq!(board.counters(false).unwrap().jobs, 0);
}

#[test]
#[ignore = "needs a model: make board-test"]
fn lying_board_never_releases_a_wrong_signature_and_is_retired() {
    let simulated = Simulated::start("flip", &["--inject", "flip=1"]);
    let board = simulated.open(120);
    let gatherer = gatherer(&board);
    let keys = [key(512)];
    sign_all(&gatherer, &keys, 12);
    let jobs = board.counters(false).unwrap().jobs;
    sign_all(&gatherer, &keys, 4);
    assert_eq!(board.counters(false).unwrap().jobs, jobs, "a retired board gets nothing");
}

#[test]
#[ignore = "needs a model: make board-test"]
fn lost_interrupts_cost_time_and_nothing_else() {
    let simulated = Simulated::start("lost", &["--inject", "lost-interrupt=1"]);
    let board = simulated.open(120);
    sign_all(&gatherer(&board), &[key(512)], 4);
    assert_eq!(board.counters(false).unwrap().jobs, 5);
    assert_eq!(board.events().interrupts.load(Ordering::Relaxed), 0);
}

#[test]
#[ignore = "needs a model: make board-test"]
fn hung_board_is_reset_then_retired_and_the_host_goes_on() {
    let simulated = Simulated::start("hang", &["--inject", "hang-after=2"]);
    let board = simulated.open(2);
    let gatherer = gatherer(&board);
    sign_all(&gatherer, &[key(512)], 8);
    assert!(board.events().resets.load(Ordering::Relaxed) > 0);
}

#[test]
#[ignore = "needs a model: make board-test"]
fn yanked_board_fails_at_once_and_the_host_goes_on() {
    let mut simulated = Simulated::start("yank", &[]);
    let board = simulated.open(120);
    let gatherer = gatherer(&board);
    let keys = [key(1024)];
    sign_all(&gatherer, &keys, 1);
    std::thread::scope(|scope| {
        scope.spawn(|| sign_all(&gatherer, &keys, 6));
        std::thread::sleep(Duration::from_millis(200));
        simulated.kill();
    });
    sign_all(&gatherer, &keys, 2);
}

#[test]
#[ignore = "needs a model: make board-test"]
fn clients_that_die_or_babble_leave_a_board_that_serves_the_next() {
    let simulated = Simulated::start("babble", &[]);
    // Gone at once, gone within a message, an impossible size, a long message of nonsense.
    let cases: [&[u8]; 4] = [&[], &[1, 0, 1, 0, 9], &[0xFF; 64], &[0, 0, 8, 0, 48, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]];
    for case in cases {
        let mut stream = UnixStream::connect(&simulated.socket).unwrap();
        stream.write_all(case).unwrap();
        stream.shutdown(std::net::Shutdown::Write).unwrap();
        let mut rest = Vec::new();
        let _ = stream.read_to_end(&mut rest);
    }
    // A driver that dies with jobs under way: its descriptors are closed with it.
    drop(simulated.open(120));
    let board = simulated.open(120);
    sign_all(&gatherer(&board), &[key(512)], 1);
    assert_eq!(board.counters(false).unwrap().jobs, 2);
}

/// The words of a number of openssl's, as many as `length`.
fn words(number: &BigNumRef, length: usize) -> Vec<u64> {
    let bytes = number.to_vec_padded(8 * length as i32).unwrap();
    bytes.rchunks(8).map(|word| u64::from_be_bytes(word.try_into().unwrap())).collect()
}

/// Exactly twice as many jobs under way as there are cores: so many threads with one operation each, again and again.
#[test]
#[ignore = "needs a model: make board-test"]
fn results_are_right_with_twice_as_many_jobs_as_cores_and_the_load_is_shown() {
    let simulated = Simulated::start("load", &[]);
    let board = simulated.open(600);
    let bits = std::env::var("GARNER_BOARD_BITS").map_or(1024, |bits| bits.parse().unwrap());
    let each = std::env::var("GARNER_BOARD_OPERATIONS").map_or(8, |count| count.parse().unwrap());
    let key = key(bits);
    let rsa = key.public.rsa().unwrap();
    let operate = |seed: u32| {
        let base = BigNum::from_u32(seed + 2).unwrap();
        let length = bits as usize / 64;
        let (input, mut output) = (words(&base, length), vec![0; length]);
        board.operate(&mut [garner::device::Private { key: &key.key, base: &input, result: &mut output }]).unwrap();
        let (mut right, mut context) = (BigNum::new().unwrap(), BigNumContext::new().unwrap());
        right.mod_exp(&base, rsa.d(), rsa.n(), &mut context).unwrap();
        assert_eq!(output, words(&right, length));
    };
    operate(0); // loads the key
    let alone = board.events().last_cycles.load(Ordering::Relaxed);
    board.counters(true).unwrap();
    let threads = 2 * board.capability().cores as u32;
    let start = Instant::now();
    std::thread::scope(|scope| {
        for thread in 0..threads {
            let operate = &operate;
            scope.spawn(move || (0..each).for_each(|i| operate(thread * each + i)));
        }
    });
    let (counters, wall) = (board.counters(false).unwrap(), start.elapsed().as_secs_f64());
    let cores = board.capability().cores;
    println!(
        "RSA-{bits}, {cores} cores, {threads} jobs under way: {} operations in {} cycles, {alone} of one alone; \
         load {:.4}; bus busy {:.3} % of the time; {:.2} s an operation, {:.1} kcycles/s",
        counters.jobs,
        counters.cycles,
        counters.load(cores),
        100.0 * counters.bus_cycles as f64 / counters.cycles as f64,
        wall / counters.jobs as f64,
        counters.cycles as f64 / wall / 1e3,
    );
    assert_eq!((counters.jobs, counters.failed), (u64::from(threads * each), 0));
}
