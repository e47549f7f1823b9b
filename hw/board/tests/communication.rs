// SPDX-License-Identifier: Apache-2.0
//! What share of device time communication takes at each offload level, over the real rings, with the bus model on. `make
//! test-board` prints the table.

mod support;

use garner::key::PrivateKey;
use garner_device_board::{Direct, Job, Scheme};
use openssl::bn::{BigNum, BigNumContext, BigNumRef};
use support::{Simulated, key, power, words};

/// Cycles of one session's jobs, without what preparing its slots took.
#[derive(Debug, Clone, Copy)]
struct Cycles {
    jobs: f64,
    /// With a job under way, from doorbell to completion.
    occupied: f64,
    /// Of cores, from taking a job to its answer.
    computing: f64,
}

/// One offload level of RSA-2048.
struct Level<'a> {
    name: &'static str,
    prepare: Vec<Job<'a>>,
    /// With the right results. All at once; and so many of them one after the other.
    jobs: Vec<(Job<'a>, Vec<u64>)>,
    alone: usize,
    /// How many such jobs make a private operation.
    each: u64,
}

/// Runs jobs and compares their results; each alone, or all put into the ring before the doorbell is rung.
///
/// Returns the cycles with a job under way but for those in which a core computed to prepare, which depend on when the
/// board was found; and those of cores computing the jobs.
fn session(simulated: &Simulated, client: usize, level: &Level<'_>, alone: Option<bool>) -> (f64, f64) {
    let mut board = Direct::open(&simulated.address(0)).unwrap();
    let mut run = |jobs: &[(Job<'_>, Vec<u64>)]| {
        let mut wanted = vec![None; 64];
        for (job, result) in jobs {
            let ticket = board.submit(job).unwrap().expect("room in the ring");
            wanted[ticket] = Some(result);
        }
        board.ring_doorbell().unwrap();
        let mut computing = 0;
        for _ in jobs {
            let mut result = [0; 64];
            let ended = loop {
                match board.poll(&mut result).unwrap() {
                    Some(ended) => break ended,
                    None => std::thread::sleep(std::time::Duration::from_micros(200)),
                }
            };
            computing += u64::from(ended.cycles.unwrap());
            let right = wanted[ended.ticket].take().expect("a job that was under way");
            assert_eq!(&result[..right.len()], &right[..], "{}", level.name);
        }
        computing
    };
    let preparing: u64 = level.prepare.iter().map(|job| run(&[(*job, Vec::new())])).sum();
    let computing = match alone {
        Some(true) => level.jobs[..level.alone].iter().map(|job| run(std::slice::from_ref(job))).sum(),
        Some(false) => run(&level.jobs),
        None => 0,
    };
    drop(board);
    let done = &simulated.statistics(client)[client - 1];
    assert_eq!(done["computing_cycles"].as_u64().unwrap(), preparing + computing);
    (done["occupied_cycles"].as_f64().unwrap() - preparing as f64, computing as f64)
}

fn product(a: &BigNumRef, b: &BigNumRef, modulus: &BigNumRef) -> BigNum {
    let (mut result, mut context) = (BigNum::new().unwrap(), BigNumContext::new().unwrap());
    result.mod_mul(a, b, modulus, &mut context).unwrap();
    result
}

/// R^-1 mod n of a board, as it multiplies 1 by 1.
fn inverse_of_r(simulated: &Simulated, modulus: &[u64]) -> BigNum {
    let mut one = vec![0; modulus.len()];
    one[0] = 1;
    let mut board = Direct::open(&simulated.address(0)).unwrap();
    let mut result = vec![0; modulus.len()];
    for job in [Job::LoadModulus { slot: 0, modulus }, Job::Multiply { slot: 0, a: &one, b: &one }] {
        board.submit(&job).unwrap().unwrap();
        board.ring_doorbell().unwrap();
        let ended = loop {
            if let Some(ended) = board.poll(&mut result).unwrap() {
                break ended;
            }
        };
        ended.cycles.unwrap();
    }
    let bytes: Vec<u8> = result.iter().rev().flat_map(|word| word.to_be_bytes()).collect();
    BigNum::from_slice(&bytes).unwrap()
}

#[test]
#[ignore = "needs a model of MaxBits=2048: make test-board"]
fn communication_takes_less_than_a_hundredth_at_offload_level_operation() {
    let simulated = Simulated::start(&[]);
    let key = key(2048);
    let rsa = key.public.rsa().unwrap();
    let private: &PrivateKey = &key.key;
    let (n, p, q) = (rsa.n(), rsa.p().unwrap(), rsa.q().unwrap());
    let numbers: Vec<BigNum> = (0..60u32).map(|i| power(&BigNum::from_u32(i + 3).unwrap(), p, n)).collect();
    let cores = {
        let board = Direct::open(&simulated.address(0)).unwrap();
        board.capability().cores
    };

    let (n_words, p_words, q_words) = (words(n, 32), words(p, 16), words(q, 16));
    let (dp, dq) = (words(rsa.dmp1().unwrap(), 16), words(rsa.dmq1().unwrap(), 16));
    let reduced = |x: &BigNum, modulus: &BigNumRef| product(x, &BigNum::from_u32(1).unwrap(), modulus);
    let full: Vec<Vec<u64>> = numbers.iter().map(|x| words(x, 32)).collect();
    let half: Vec<Vec<u64>> = numbers.iter().map(|x| words(&reduced(x, p), 16)).collect();
    let other: Vec<Vec<u64>> = numbers.iter().map(|x| words(&reduced(x, q), 16)).collect();
    let r_half = inverse_of_r(&simulated, &p_words);
    let r_full = inverse_of_r(&simulated, &n_words);
    // Squarings of 1024 bits, a table of 32 powers and a multiplication for each five bits, twice; and into and out of
    // Montgomery form.
    let products = |bits: u64| bits + bits.div_ceil(5) + 32 + 2;
    let levels = [
        Level {
            name: "op",
            prepare: vec![Job::LoadKey { slot: 0, key: private }],
            jobs: (0..2 * cores)
                .map(|i| (Job::Private { slot: 0, base: &full[i] }, words(&power(&numbers[i], rsa.d(), n), 32)))
                .collect(),
            alone: 1,
            each: 1,
        },
        Level {
            name: "exp, 1024 bits (p and q)",
            prepare: vec![
                Job::LoadModulus { slot: 0, modulus: &p_words },
                Job::LoadModulus { slot: 1, modulus: &q_words },
            ],
            jobs: (0..cores)
                .flat_map(|i| {
                    let of_p = words(&power(&numbers[i], rsa.dmp1().unwrap(), p), 16);
                    let of_q = words(&power(&numbers[i], rsa.dmq1().unwrap(), q), 16);
                    [
                        (
                            Job::Exponentiate { slot: 0, scheme: Scheme::FixedWindow, base: &half[i], exponent: &dp },
                            of_p,
                        ),
                        (
                            Job::Exponentiate { slot: 1, scheme: Scheme::FixedWindow, base: &other[i], exponent: &dq },
                            of_q,
                        ),
                    ]
                })
                .collect(),
            alone: 2,
            each: 2,
        },
        Level {
            name: "mul, 1024 bits (by the CRT)",
            prepare: vec![Job::LoadModulus { slot: 0, modulus: &p_words }],
            jobs: (0..48)
                .map(|i| {
                    let right = product(&product(&numbers[i], &numbers[i + 1], p), &r_half, p);
                    (Job::Multiply { slot: 0, a: &half[i], b: &half[i + 1] }, words(&right, 16))
                })
                .collect(),
            alone: 48,
            each: 2 * products(1024),
        },
        Level {
            name: "mul, 2048 bits (without)",
            prepare: vec![Job::LoadModulus { slot: 0, modulus: &n_words }],
            jobs: (0..48)
                .map(|i| {
                    let right = product(&product(&numbers[i], &numbers[i + 1], n), &r_full, n);
                    (Job::Multiply { slot: 0, a: &full[i], b: &full[i + 1] }, words(&right, 32))
                })
                .collect(),
            alone: 48,
            each: products(2048),
        },
    ];

    let mut client = 3;
    let mut next = |level: &Level<'_>, alone: Option<bool>| {
        client += 1;
        session(&simulated, client, level, alone)
    };
    let mut shares = Vec::new();
    let mut table = String::new();
    for level in &levels {
        let (before, _) = next(level, None);
        let mut measure = |alone: bool| {
            let (occupied, computing) = next(level, Some(alone));
            let jobs = if alone { level.alone } else { level.jobs.len() } as f64;
            Cycles { jobs, occupied: occupied - before, computing }
        };
        let (alone, together) = (measure(true), measure(false));
        assert!(alone.occupied > alone.computing, "{}: {alone:?}", level.name);
        let share = 1.0 - alone.computing / alone.occupied;
        let load = together.computing / (cores as f64 * together.occupied);
        table += &format!(
            "{:<28}{:>10.0}{:>12.0}{:>12.2} %{:>12.2} %{:>14.0}\n",
            level.name,
            alone.computing / alone.jobs,
            alone.occupied / alone.jobs,
            100.0 * share,
            100.0 * (1.0 - load),
            level.each as f64 * alone.occupied / alone.jobs,
        );
        shares.push((share, load));
    }
    let clock = simulated.statistics(1)[0]["clock_mhz"].as_f64().unwrap();
    println!(
        "RSA-2048, {cores} cores, link of 1 us and 1820 MB/s, {clock} MHz\n\
         {:<28}{:>10}{:>12}{:>14}{:>14}{:>14}\n{:<28}{:>10}{:>12}{:>14}{:>14}{:>14}\n{table}",
        "offload level",
        "computing",
        "with link",
        "communication",
        "core idle",
        "RSA-2048",
        "",
        "cycles",
        "cycles",
        "one at a time",
        "ring full",
        "cycles",
    );
    let (share, load) = shares[0];
    assert!(share < 0.01 && 1.0 - load < 0.01, "at level op: {share}, {load}");
    assert!(shares[1].0 < shares[2].0, "more at `mul` than at `exp`");
}
