// SPDX-License-Identifier: Apache-2.0
//! The library's board device over a simulated board that lies, hangs or is gone: no wrong signature is released, and the
//! host or another board goes on. `make test-board` (needs a compiled model, `GARNER_MODEL`).

mod support;

use garner::arithmetic;
use garner::device::Device;
use garner::gather::{Config, Gatherer};
use garner_device_board::{Board, Options};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};
use support::signing::{gatherer, jobs, sign_all};
use support::{Simulated, key, until};

#[test]
#[ignore = "needs a model: make test-board"]
fn lying_board_never_releases_a_wrong_signature_and_is_retired() {
    let simulated = Simulated::start(&["--inject", "flip=1"]);
    let board = simulated.open(120);
    let gatherer = gatherer(&[&board]);
    let keys = [key(512)];
    sign_all(&gatherer, &keys, 12);
    let before = jobs(&board);
    sign_all(&gatherer, &keys, 4);
    assert_eq!(jobs(&board), before, "a retired board gets nothing");
    let statistics = gatherer.statistics();
    assert!(statistics.faults >= 8 && statistics.out_of_service == 1, "{statistics:?}");
}

#[test]
#[ignore = "needs a model: make test-board"]
fn bits_that_flip_in_the_cores_memories_are_found_and_no_wrong_signature_is_released() {
    let simulated = Simulated::start(&["--inject", "flip-memory=5000"]);
    let board = simulated.open(120);
    let gatherer = gatherer(&[&board]);
    sign_all(&gatherer, &[key(512), key(512)], 10);
    let (statistics, found) = (gatherer.statistics(), board.events().checks_failed.load(Ordering::Relaxed));
    println!("{} of {} jobs found wrong by the board, {} by the host", found, jobs(&board), statistics.faults);
    assert_eq!(statistics.private_operations, 20);
    assert!(statistics.faults + statistics.device_failures > 0, "nothing was hit: {statistics:?}");
    assert!(found <= statistics.faults, "what the board finds, the host finds");
}

#[test]
#[ignore = "needs a model: make test-board"]
fn lost_interrupts_cost_time_and_nothing_else() {
    let simulated = Simulated::start(&["--inject", "lost-interrupt=1"]);
    let board = simulated.open(120);
    sign_all(&gatherer(&[&board]), &[key(512)], 4);
    assert_eq!(jobs(&board), 5);
    assert_eq!(board.events().interrupts.load(Ordering::Relaxed), 0);
}

#[test]
#[ignore = "needs a model: make test-board"]
fn hung_board_is_reset_then_retired_and_the_host_goes_on() {
    let simulated = Simulated::start(&["--inject", "hang-after=2"]);
    let board = simulated.open(2);
    let gatherer = gatherer(&[&board]);
    sign_all(&gatherer, &[key(512)], 8);
    sign_all(&gatherer, &[key(512)], 4);
    assert!(board.events().resets.load(Ordering::Relaxed) > 0);
    assert_eq!(gatherer.statistics().out_of_service, 1);
}

#[test]
#[ignore = "needs a model: make test-board"]
fn board_that_completes_a_job_twice_is_retired_and_every_signature_is_right() {
    let simulated = Simulated::start(&["--inject", "twice-after=3"]);
    let board = simulated.open(120);
    let gatherer = gatherer(&[&board]);
    let keys = [key(512)];
    sign_all(&gatherer, &keys, 8);
    sign_all(&gatherer, &keys, 4);
    assert_eq!(gatherer.statistics().out_of_service, 1, "{:?}", gatherer.statistics());
}

/// The first core stops when the board has given two results; then so many callers at a time want a signature each.
fn hang_a_core(callers: usize) {
    let simulated = Simulated::start(&["--inject", "hang-core-after=2"]);
    let board = simulated.open(5);
    let mut config = Config::with(arithmetic::best().unwrap(), vec![Arc::clone(&board) as Arc<dyn Device>]);
    config.failures_allowed = u32::MAX; // on a busy machine a slow board may be reset once more
    let gatherer = Gatherer::new(config);
    let keys = [key(512)];
    for _ in 0..8 / callers {
        sign_all(&gatherer, &keys, callers);
    }
    assert!(board.events().resets.load(Ordering::Relaxed) > 0, "the core did not hang");
    // The reset brought the count to nothing; a core that hangs loads no key.
    until("the board to be in use again", || {
        sign_all(&gatherer, &keys, 2);
        jobs(&board) >= 2
    });
}

#[test]
#[ignore = "needs a model: make test-board"]
fn hung_core_is_healed_by_a_reset_and_the_board_serves_on() {
    hang_a_core(8);
}

/// With one job at a time no core has any when the result of the one before is in memory.
#[test]
#[ignore = "needs a model: make test-board"]
fn core_that_hangs_while_it_is_idle_is_healed_like_a_busy_one() {
    hang_a_core(1);
}

#[test]
#[ignore = "needs a model: make test-board"]
fn yanked_board_fails_at_once_and_the_host_goes_on() {
    let mut simulated = Simulated::start(&[]);
    let board = simulated.open(120);
    let gatherer = gatherer(&[&board]);
    let keys = [key(1024)];
    sign_all(&gatherer, &keys, 1);
    let start = Instant::now();
    std::thread::scope(|scope| {
        scope.spawn(|| sign_all(&gatherer, &keys, 6));
        std::thread::sleep(Duration::from_millis(200));
        simulated.kill();
    });
    sign_all(&gatherer, &keys, 4);
    assert!(start.elapsed() < Duration::from_secs(60), "nobody waited until patience ended");
    assert_eq!(gatherer.statistics().out_of_service, 1);
}

#[test]
#[ignore = "needs a model: make test-board"]
fn board_whose_registers_read_as_ones_is_given_up_at_once() {
    let simulated = Simulated::start(&["--inject", "absent-after=2"]);
    let board = simulated.open(600);
    let gatherer = gatherer(&[&board]);
    let keys = [key(512)];
    let start = Instant::now();
    sign_all(&gatherer, &keys, 6);
    for _ in 0..3 {
        sign_all(&gatherer, &keys, 1);
    }
    assert!(start.elapsed() < Duration::from_secs(60), "nobody waited until patience ended");
    assert_eq!(board.events().resets.load(Ordering::Relaxed), 0);
    assert_eq!(gatherer.statistics().out_of_service, 1);
    let refused = || Board::open(&simulated.address(0), Options::default()).err().expect("no board").to_string();
    let busy = refused();
    assert!(busy.contains("timed out"), "it has a client: {busy}");
    drop((gatherer, board));
    let gone = refused();
    assert!(gone.contains("the board is gone: its registers read as ones"), "{gone}");
}

#[test]
#[ignore = "needs a model: make test-board"]
fn two_boards_share_the_work_and_one_goes_on_when_the_other_is_yanked() {
    let (mut first, second) = (Simulated::start(&[]), Simulated::start(&[]));
    let boards = [first.open(120), second.open(120)];
    let gatherer = gatherer(&[&boards[0], &boards[1]]);
    let keys = [key(512)];
    sign_all(&gatherer, &keys, 24);
    let done = [jobs(&boards[0]), jobs(&boards[1])];
    assert!(done.iter().all(|&jobs| jobs > 1), "{done:?}");
    first.kill();
    sign_all(&gatherer, &keys, 16);
    assert!(jobs(&boards[1]) > done[1], "the other board goes on");
    let statistics = gatherer.statistics();
    assert_eq!((statistics.private_operations, statistics.faults), (40, 0));
    assert!(statistics.out_of_service <= 1 && statistics.device_failures > 0, "{statistics:?}");
}
