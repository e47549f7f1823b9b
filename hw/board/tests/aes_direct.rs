// SPDX-License-Identifier: Apache-2.0
//! AES from user space: the library's own driver of both engines over a simulated board, and libcrypto beside it.
//! `make test-board`.

mod support;

use garner_device_board::aes::{Aes, IV, Key, Message};
use openssl::rand::rand_bytes;
use openssl::symm::Mode;
use support::{Simulated, aes_cbc};

fn random<const N: usize>() -> [u8; N] {
    let mut bytes = [0; N];
    rand_bytes(&mut bytes).unwrap();
    bytes
}

/// A key as long as the board's are.
fn secret(aes: &Aes) -> Vec<u8> {
    let mut bytes = vec![0; aes.key_bytes()];
    rand_bytes(&mut bytes).unwrap();
    bytes
}

struct Text {
    key: usize,
    iv: [u8; IV],
    bytes: Vec<u8>,
}

impl Text {
    fn random(keys: usize, blocks: usize) -> Text {
        let mut bytes = vec![0; IV * blocks];
        rand_bytes(&mut bytes).unwrap();
        Text { key: usize::from(random::<1>()[0]) % keys, iv: random(), bytes }
    }
}

fn convert(aes: &mut Aes, keys: &[Key], mode: Mode, texts: &[Text]) -> (Vec<Vec<u8>>, garner::error::Result<()>) {
    let mut results: Vec<Vec<u8>> = texts.iter().map(|text| vec![0xA5; text.bytes.len()]).collect();
    let mut messages: Vec<Message<'_>> = texts
        .iter()
        .zip(&mut results)
        .map(|(text, result)| Message::new(keys[text.key], text.iv, &text.bytes, result).unwrap())
        .collect();
    let said = match mode {
        Mode::Encrypt => aes.encrypt(&mut messages),
        Mode::Decrypt => aes.decrypt(&mut messages),
    };
    assert!(said.is_err() || messages.iter().all(|message| message.is_done() && message.cycles() > 0));
    drop(messages);
    (results, said)
}

#[test]
#[ignore = "needs a model: make test-board"]
fn batches_of_depth_1_8_and_64_with_several_keys_equal_libcrypto() {
    let simulated = Simulated::start(&[]);
    let mut aes = Aes::open(&simulated.address(0)).unwrap();
    let secrets: [Vec<u8>; 5] = std::array::from_fn(|_| secret(&aes));
    let keys = secrets.each_ref().map(|secret| aes.load_key(secret).unwrap());
    let mut fragments = 0;
    for depth in [1, 8, 64] {
        // Some are longer than a fragment of 8 KiB, so that a chain goes on from one to the next.
        let texts: Vec<Text> =
            (0..depth).map(|i| Text::random(keys.len(), if i % 8 == 0 { 1100 } else { 1 + i % 40 })).collect();
        fragments += texts.iter().map(|text| text.bytes.len().div_ceil(8192)).sum::<usize>();
        for mode in [Mode::Encrypt, Mode::Decrypt] {
            let (results, said) = convert(&mut aes, &keys, mode, &texts);
            said.unwrap();
            for (text, result) in texts.iter().zip(results) {
                assert!(result == aes_cbc(mode, &secrets[text.key], &text.iv, &text.bytes), "{depth} at once");
            }
        }
    }
    for counters in aes.counters(false).unwrap() {
        assert_eq!((counters.jobs, counters.failed), ((fragments + keys.len()) as u64, 0));
    }
}

#[test]
#[ignore = "needs a model: make test-board"]
fn keys_that_are_unloaded_are_gone_from_the_board_and_another_process_finds_none() {
    let simulated = Simulated::start(&[]);
    let text = [Text { key: 0, iv: random(), bytes: vec![7; 64] }];
    let mut aes = Aes::open(&simulated.address(0)).unwrap();
    let [first, second] = [secret(&aes), secret(&aes)];
    let key = aes.load_key(&first).unwrap();
    aes.unload_key(key).unwrap();
    assert!(convert(&mut aes, &[key], Mode::Encrypt, &text).1.is_err());
    let key = aes.load_key(&second).unwrap();
    let (results, said) = convert(&mut aes, &[key], Mode::Encrypt, &text);
    said.unwrap();
    assert_eq!(results[0], aes_cbc(Mode::Encrypt, &second, &text[0].iv, &text[0].bytes));
    drop(aes);
    // The next owner begins with empty slots, and with engines that work.
    let mut aes = Aes::open(&simulated.address(0)).unwrap();
    let key = aes.load_key(&first).unwrap();
    let (results, said) = convert(&mut aes, &[key], Mode::Decrypt, &text);
    said.unwrap();
    assert_eq!(results[0], aes_cbc(Mode::Decrypt, &first, &text[0].iv, &text[0].bytes));
}

#[test]
#[ignore = "needs a model: make test-board"]
fn a_board_that_dies_under_a_batch_is_an_error_and_leaves_no_part_of_a_result() {
    let mut simulated = Simulated::start(&[]);
    let mut aes = Aes::open(&simulated.address(0)).unwrap();
    let key = aes.load_key(&secret(&aes)).unwrap();
    let texts = [Text { key: 0, iv: random(), bytes: vec![7; 1 << 20] }];
    let (results, said) = std::thread::scope(|scope| {
        let converting = scope.spawn(|| convert(&mut aes, &[key], Mode::Encrypt, &texts));
        std::thread::sleep(std::time::Duration::from_millis(300));
        simulated.kill();
        converting.join().unwrap()
    });
    let said = said.unwrap_err().to_string();
    assert!(said.contains("out of use"), "{said}");
    assert!(results[0].iter().all(|&byte| byte == 0));
}
