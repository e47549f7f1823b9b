// SPDX-License-Identifier: Apache-2.0
//! What AES-CBC costs with the board driven from user space: batches of equal messages.
//!
//! ```text
//! aes_costs BOARD encrypt|decrypt BYTES DEPTH BATCHES      BYTES of a message, DEPTH messages in a batch
//! ```
//!
//! Prints messages, and the engine's cycles for one. `make linux-bench` runs it under callgrind, which counts the processor's
//! instructions.

use garner_device_board::aes::{Aes, IV, Message};
use std::env::args;
use std::error::Error;

fn main() -> Result<(), Box<dyn Error>> {
    let [board, way, bytes, depth, batches] = <[String; 5]>::try_from(args().skip(1).collect::<Vec<_>>())
        .map_err(|_| "see the head of this file for its arguments")?;
    let (bytes, depth, batches): (usize, usize, usize) = (bytes.parse()?, depth.parse()?, batches.parse()?);
    let mut aes = Aes::open(&board)?;
    let key = aes.load_key(&vec![0x2B; aes.key_bytes()])?;
    let text = vec![0x5A; bytes];
    let mut results = vec![vec![0; bytes]; depth];
    let mut cycles = 0;
    for _ in 0..batches {
        let messages = results.iter_mut().map(|result| Message::new(key, [0; IV], &text, result));
        let mut messages = messages.collect::<Result<Vec<_>, _>>()?;
        match way.as_str() {
            "decrypt" => aes.decrypt(&mut messages)?,
            "encrypt" => aes.encrypt(&mut messages)?,
            _ => return Err("a direction is encrypt or decrypt".into()),
        }
        assert!(messages.iter().all(Message::is_done));
        cycles += messages.iter().map(Message::cycles).sum::<u64>();
    }
    println!("{} {}", depth * batches, cycles as f64 / (depth * batches) as f64);
    Ok(())
}
