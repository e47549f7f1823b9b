// SPDX-License-Identifier: Apache-2.0
//! A board without the gatherer and without the kernel's help: one thread, jobs into the rings, results out of them.
//!
//!     cargo run --release -p garner-board --example direct -- vfio-user:/tmp/board0 [BITS [OPERATIONS]]
//!
//! Prints what a job costs the host, and the board. There is no blinding here and no check but what this program does
//! itself: it compares every result with OpenSSL's.

use garner::key::PrivateKey;
use garner_device_board::{Direct, Job};
use openssl::bn::{BigNum, BigNumContext};
use openssl::rsa::Rsa;
use std::error::Error;
use std::time::{Duration, Instant};

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let address = arguments.next().ok_or("usage: direct vfio-user:PATH|PCI-ADDRESS [BITS [OPERATIONS]]")?;
    let bits: u32 = arguments.next().map_or(Ok(1024), |text| text.parse())?;
    let operations: u32 = arguments.next().map_or(Ok(16), |text| text.parse())?;

    let mut board = Direct::open(&address)?;
    let capability = board.capability();
    println!("{address}: {capability:?}");
    let rsa = Rsa::generate(bits)?;
    let key = PrivateKey::from_der(&rsa.private_key_to_der()?)?;
    let length = bits as usize / 64;

    // The key goes into slot 0 of all cores and stays there until this program ends.
    board.submit(&Job::LoadKey { slot: 0, key: &key })?.ok_or("no room in a new ring")?;
    board.ring_doorbell()?;
    let load = wait(&mut board, &mut [])?.cycles?;

    // One job costs: writing operands and descriptor, the doorbell, looking at the ring, taking the answer out.
    let (mut put, mut bell, mut look, mut take) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    let mut cycles = 0;
    for i in 0..operations {
        let base = BigNum::from_u32(i + 2)?;
        let words = words(&base, length)?;
        put.push(timed(|| board.submit(&Job::Private { slot: 0, base: &words }))?);
        bell.push(timed(|| board.ring_doorbell())?);
        look.push(timed(|| board.poll(&mut []))?);
        let mut result = vec![0; length];
        loop {
            let start = Instant::now();
            if let Some(ended) = board.poll(&mut result)? {
                take.push(start.elapsed());
                cycles = ended.cycles?;
                break;
            }
        }
        let (mut right, mut context) = (BigNum::new()?, BigNumContext::new()?);
        right.mod_exp(&base, rsa.d(), rsa.n(), &mut context)?;
        if result != self::words(&right, length)? {
            return Err("the board returned a wrong result".into());
        }
    }

    println!("RSA-{bits}, {operations} private operations, one after the other, each compared with OpenSSL's");
    println!("  host, median:  put into the ring {:?}", median(&mut put));
    println!("                 doorbell {:?} (a message to the simulation; on a card, one write)", median(&mut bell));
    println!("                 a look that finds nothing {:?}", median(&mut look));
    println!(
        "                 taking the result out {:?} (with a write of a register, as the doorbell)",
        median(&mut take)
    );
    println!("  board:         {cycles} cycles of a core an operation, {load} to load the key");
    Ok(())
}

fn wait(board: &mut Direct, result: &mut [u64]) -> Result<garner_device_board::Ended, garner::Error> {
    let mut looked = Instant::now();
    loop {
        if let Some(ended) = board.poll(result)? {
            return Ok(ended);
        }
        // A board that was pulled out never answers; its registers tell.
        if looked.elapsed() > Duration::from_millis(20) {
            board.check_presence()?;
            looked = Instant::now();
        }
    }
}

fn timed<T>(work: impl FnOnce() -> Result<T, garner::Error>) -> Result<Duration, garner::Error> {
    let start = Instant::now();
    work()?;
    Ok(start.elapsed())
}

fn median(times: &mut [Duration]) -> Duration {
    times.sort_unstable();
    times[times.len() / 2]
}

/// The words of a number, the lowest first.
fn words(number: &BigNum, length: usize) -> Result<Vec<u64>, Box<dyn Error>> {
    let bytes = number.to_vec_padded(8 * length as i32)?;
    Ok(bytes.rchunks(8).map(|word| u64::from_be_bytes(word.try_into().expect("eight bytes"))).collect())
}
