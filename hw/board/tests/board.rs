// SPDX-License-Identifier: Apache-2.0
//! The library's board device over a simulated board that does what it should: keys and slots, clients, forks, load.
//! `make test-board` (needs a compiled model, `GARNER_MODEL`). Boards that fail: `faults.rs`.

mod support;

use garner::device::{Device, Private};
use garner::gather::{Config, Gatherer};
use garner::padding::Hash;
use garner::signature;
use garner_device_board::{Board, Direct, Job, Options};
use openssl::bn::BigNum;
use std::io::{BufRead, BufReader, Read, Write};
use std::os::unix::net::UnixStream;
use std::os::unix::process::ExitStatusExt;
use std::process::{Command, Stdio};
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};
use support::signing::{gatherer, jobs, sign_all};
use support::{Key, Simulated, key, power, until, words};

#[test]
#[ignore = "needs a model: make test-board"]
fn signatures_of_more_keys_than_slots_are_made_by_the_board_and_right() {
    let simulated = Simulated::start(&[]);
    let board = simulated.open(120);
    let capability = board.capability();
    assert!(capability.cores >= 1 && capability.max_bits >= 1024, "{capability:?}");
    let keys: Vec<Key> = (0..capability.key_slots + 2).map(|_| key(512)).collect();
    let gatherer = gatherer(&[&board]);
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
#[ignore = "needs a model: make test-board"]
fn every_operation_finds_its_key_while_the_ring_is_full() {
    let simulated = Simulated::start(&[]);
    let board = simulated.open(120);
    let keys: Vec<Key> = (0..board.capability().key_slots + 1).map(|_| key(512)).collect();
    let operate = |key: &Key| {
        let rsa = key.public.rsa().unwrap();
        let input = BigNum::from_u32(3).unwrap();
        let mut output = vec![0; 8];
        let base = words(&input, 8);
        board.operate(&mut [Private { key: &key.key, base: &base, result: &mut output }]).unwrap();
        assert_eq!(output, words(&power(&input, rsa.d(), rsa.n()), 8));
    };
    std::thread::scope(|scope| {
        for i in 0..40 {
            let (key, operate) = (&keys[i % keys.len()], &operate);
            scope.spawn(move || operate(key));
        }
    });
    println!("{:?}", board.events());
    assert_eq!(board.counters(false).unwrap().failed, 0);
}

#[test]
#[ignore = "needs a model: make test-board"]
fn slots_of_dropped_keys_are_wiped_and_serve_on() {
    let simulated = Simulated::start(&[]);
    let board = simulated.open(120);
    let gatherer = gatherer(&[&board]);
    let kept = [key(512)];
    let rounds = board.capability().key_slots as u64;
    for _ in 0..rounds {
        sign_all(&gatherer, &[key(512)], 2);
        sign_all(&gatherer, &kept, 1);
    }
    let (counters, events) = (board.counters(false).unwrap(), board.events());
    println!("{events:?}");
    assert_eq!(events.slots_wiped.load(Ordering::Relaxed), rounds);
    assert_eq!(events.keys_loaded.load(Ordering::Relaxed), rounds + 1, "the key that was kept stayed");
    assert_eq!((counters.jobs, counters.failed), (5 * rounds + 1, 0));
}

#[test]
#[ignore = "needs a model: make test-board"]
fn a_slot_that_was_wiped_holds_no_key_and_the_others_keep_theirs() {
    let simulated = Simulated::start(&[]);
    let mut board = Direct::open(&simulated.address(0)).unwrap();
    let (keys, base) = ([key(512), key(512)], [3; 8]);
    let mut run = |job: &Job<'_>| {
        board.submit(job).unwrap().unwrap();
        board.ring_doorbell().unwrap();
        let start = Instant::now();
        loop {
            if let Some(ended) = board.poll(&mut []).unwrap() {
                return ended.cycles.map_err(|error| error.to_string());
            }
            assert!(start.elapsed() < Duration::from_secs(120), "no answer");
        }
    };
    for (slot, Key { key, .. }) in (0..).zip(&keys) {
        run(&Job::LoadKey { slot, key }).unwrap();
        run(&Job::Private { slot, base: &base }).unwrap();
    }
    run(&Job::Zeroise { slot: 0 }).unwrap();
    let refused = run(&Job::Private { slot: 0, base: &base }).unwrap_err();
    assert!(refused.contains("nothing is loaded in the key slot"), "{refused}");
    run(&Job::Private { slot: 1, base: &base }).unwrap();
}

#[test]
#[ignore = "needs a model: make test-board"]
fn what_the_board_cannot_take_goes_to_the_host() {
    let simulated = Simulated::start(&[]);
    let board = simulated.open(120);
    let gatherer = gatherer(&[&board]);
    sign_all(&gatherer, &[key(600)], 2);
    assert_eq!(board.counters(false).unwrap().jobs, 0);
}

#[test]
#[ignore = "needs a model: make test-board"]
fn a_board_is_found_by_its_address() {
    let simulated = Simulated::start(&[]);
    let address = simulated.address(0);
    let config = Config::named(&address, &[&garner_device_board::Boards]).unwrap();
    assert_eq!(config.devices[0].name(), format!("board:{address}"));
    sign_all(&Gatherer::new(config), &[key(512)], 4);
}

/// A second garner-board refuses a socket in use and leaves its clients alone; one that was left behind it replaces.
#[test]
#[ignore = "needs a model: make test-board"]
fn a_socket_in_use_is_left_alone_and_a_stale_one_replaced() {
    let mut simulated = Simulated::start(&[]);
    let board = simulated.open(120);
    let second = simulated.command().output().unwrap();
    let said = String::from_utf8_lossy(&second.stderr);
    assert!(!second.status.success() && said.contains("address in use"), "{said}");
    sign_all(&gatherer(&[&board]), &[key(512)], 1);
    assert!(jobs(&board) > 0, "the first board serves no more");

    simulated.kill();
    simulated.restart();
    until("the stale socket to be replaced", || Board::open(&simulated.address(0), Options::default()).is_ok());
}

#[test]
#[ignore = "needs a model: make test-board"]
fn one_process_hosts_several_boards_that_know_nothing_of_each_other() {
    let simulated = Simulated::of("GARNER_MODEL", 2, &[]);
    let boards = [simulated.open_one(0, 120), simulated.open_one(1, 120)];
    for (i, board) in boards.iter().enumerate() {
        sign_all(&gatherer(&[board]), &[key(512)], 2);
        assert_eq!([jobs(&boards[0]), jobs(&boards[1])], [3, 3 * i as u64]);
    }
}

#[test]
#[ignore = "needs a model: make test-board"]
fn child_of_a_fork_computes_for_itself_and_leaves_the_parents_board_alone() {
    let simulated = Simulated::start(&[]);
    let board = simulated.open(120);
    let gatherer = gatherer(&[&board]);
    let keys = [key(512)];
    sign_all(&gatherer, &keys, 2);
    let before = jobs(&board);
    // SAFETY: the child runs code that this library keeps usable after a fork, and ends by `_exit`.
    let child = unsafe { libc::fork() };
    if child == 0 {
        let message = b"the child's";
        let signed = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
            let signature = signature::sign(&gatherer, &keys[0].key, Hash::Sha256, message).unwrap();
            assert_eq!(gatherer.statistics().device_failures, 0, "the board is not asked");
            drop((gatherer, board));
            signature.len()
        }));
        // SAFETY: ends the child without running what is the parent's.
        unsafe { libc::_exit(if signed.is_ok_and(|length| length == 64) { 0 } else { 1 }) };
    }
    assert!(child > 0);
    let mut status = -1;
    // SAFETY: waits for the child made above.
    assert_eq!(unsafe { libc::waitpid(child, &raw mut status, 0) }, child);
    assert_eq!(status, 0, "the child signed");
    assert_eq!(jobs(&board), before, "not with the board");
    sign_all(&gatherer, &keys, 2);
    assert_eq!(jobs(&board), before + 2, "which the parent still has, key and all");
}

#[test]
#[ignore = "needs a model: make test-board"]
fn a_waveform_has_exactly_the_window_that_was_chosen() {
    let file = std::env::temp_dir().join(format!("garner-{}.fst", std::process::id()));
    let path = file.display().to_string();
    let wave = ["--wave", &path, "--wave-from", "3000", "--wave-cycles", "500"];
    let simulated = Simulated::of("GARNER_WAVE_MODEL", 1, &wave);
    let board = simulated.open(120);
    sign_all(&gatherer(&[&board]), &[key(512)], 1);
    drop(board);
    let done = &simulated.statistics(1)[0];
    assert!(done["cycles"].as_u64().unwrap() > 3500, "{done}");
    // The header block of FST: its kind, its length, the first and the last time; times are half cycles.
    let bytes = std::fs::read(&file).unwrap();
    let _ = std::fs::remove_file(&file);
    let number = |at: usize| u64::from_be_bytes(bytes[at..at + 8].try_into().unwrap());
    assert_eq!((bytes[0], number(9), number(17)), (0, 6000, 6999));
}

#[test]
#[ignore = "needs a model: make test-board"]
fn clients_that_die_or_babble_leave_a_board_that_serves_the_next() {
    if let Ok(address) = std::env::var(CLIENT_OF) {
        wait_with_jobs_under_way(&address);
    }
    let simulated = Simulated::start(&[]);
    // Gone at once, gone within a message, an impossible size, a long message of nonsense.
    let cases: [&[u8]; 4] = [&[], &[1, 0, 1, 0, 9], &[0xFF; 64], &[0, 0, 8, 0, 48, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]];
    for case in cases {
        let mut stream = UnixStream::connect(&simulated.sockets[0]).unwrap();
        stream.write_all(case).unwrap();
        stream.shutdown(std::net::Shutdown::Write).unwrap();
        let mut rest = Vec::new();
        let _ = stream.read_to_end(&mut rest);
    }
    // A process that is killed with a key loaded and jobs under way: this test again, as a client.
    let mut client = Command::new(std::env::current_exe().unwrap());
    client.args(["clients_that_die_or_babble_leave_a_board_that_serves_the_next", "--exact", "--include-ignored"]);
    let mut client = client.env(CLIENT_OF, simulated.address(0)).stdout(Stdio::piped()).spawn().unwrap();
    let said = BufReader::new(client.stdout.take().unwrap()).lines();
    assert!(said.map_while(Result::ok).any(|line| line.contains(UNDER_WAY)), "the client has jobs under way");
    client.kill().unwrap();
    assert_eq!(client.wait().unwrap().signal(), Some(libc::SIGKILL));
    let board = simulated.open(120);
    sign_all(&gatherer(&[&board]), &[key(512)], 1);
    assert_eq!(board.counters(false).unwrap().jobs, 2);
    let killed = &simulated.statistics(cases.len() + 1)[cases.len()];
    let done = killed["jobs"].as_u64().unwrap();
    assert!((2..=JOBS as u64).contains(&done), "its key was loaded, and jobs were under way: {killed}");
}

/// The address of the board of which this process is to be a client; what that client says.
const CLIENT_OF: &str = "GARNER_TEST_CLIENT_OF";
const UNDER_WAY: &str = "jobs are under way";
/// More of them than cores, long enough not to end before the client does.
const JOBS: usize = 16;

/// Waits to be killed.
fn wait_with_jobs_under_way(address: &str) -> ! {
    let mut direct = Direct::open(address).unwrap();
    let key = key(1024);
    let load = direct.submit(&Job::LoadKey { slot: 0, key: &key.key }).unwrap();
    direct.ring_doorbell().unwrap();
    until("the key to be loaded", || {
        direct.poll(&mut []).unwrap().is_some_and(|ended| Some(ended.ticket) == load && ended.cycles.is_ok())
    });
    for _ in 0..JOBS {
        direct.submit(&Job::Private { slot: 0, base: &[3; 16] }).unwrap();
    }
    direct.ring_doorbell().unwrap();
    until("the cores to be at work", || direct.poll(&mut []).unwrap().is_some_and(|ended| ended.cycles.is_ok()));
    let mut stdout = std::io::stdout(); // what is printed by println a test keeps until it ends
    writeln!(stdout, "{UNDER_WAY}").unwrap();
    std::thread::sleep(Duration::from_secs(120));
    panic!("nobody kills it");
}

/// A board that nobody uses takes no processor: its thread sleeps.
#[test]
#[ignore = "needs a model: make test-board"]
fn device_time_stands_still_while_there_is_nothing_to_do() {
    let simulated = Simulated::start(&[]);
    let board = simulated.open(600);
    let cycles = || board.counters(false).unwrap().cycles;
    // Reading the counters is some 5,000 cycles; a second awake is 100,000 and more.
    until("a second without device time", || {
        let before = cycles();
        std::thread::sleep(Duration::from_secs(1));
        cycles() - before < 15_000
    });
}

/// Exactly twice as many jobs under way as there are cores: so many threads with one operation each, again and again.
#[test]
#[ignore = "needs a model: make test-board"]
fn results_are_right_with_twice_as_many_jobs_as_cores_and_the_load_is_shown() {
    let simulated = Simulated::start(&[]);
    let board = simulated.open(600);
    let bits = std::env::var("GARNER_BOARD_BITS").map_or(1024, |bits| bits.parse().unwrap());
    let each = std::env::var("GARNER_BOARD_OPERATIONS").map_or(8, |count| count.parse().unwrap());
    let key = key(bits);
    let rsa = key.public.rsa().unwrap();
    let operate = |seed: u32| {
        let base = BigNum::from_u32(seed + 2).unwrap();
        let length = bits as usize / 64;
        let (input, mut output) = (words(&base, length), vec![0; length]);
        board.operate(&mut [Private { key: &key.key, base: &input, result: &mut output }]).unwrap();
        assert_eq!(output, words(&power(&base, rsa.d(), rsa.n()), length));
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
