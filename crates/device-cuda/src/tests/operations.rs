// SPDX-License-Identifier: Apache-2.0
//! Results of mixed keys, sizes and exponents equal libcrypto's.

use super::*;

#[test]
fn private_operations_of_mixed_keys_and_sizes_equal_libcrypto() {
    let device = gpu(512);
    device.test(1024).unwrap();
    // 1,040 bits: primes of 520, which take the length of 1,024.
    let keys = [key(1024), key(1040), key(1024)];
    assert!(keys.iter().all(|key| device.takes_key(key)));
    operate(&device, &keys, 1);
    operate(&device, &keys, 40);
}

#[test]
fn exponentiations_with_exponents_longer_and_shorter_than_the_modulus_equal_libcrypto() {
    let device = gpu(512);
    let modulus = |bits: i32| {
        let mut number = BigNum::new().unwrap();
        number.rand(bits, openssl::bn::MsbOption::ONE, true).unwrap();
        let bytes = number.to_vec_padded(64).unwrap();
        let words: Vec<u64> = bytes.rchunks(8).map(|chunk| u64::from_be_bytes(chunk.try_into().unwrap())).collect();
        Modulus::new(&words).unwrap()
    };
    let moduli = [modulus(512), modulus(511), modulus(300), modulus(448)];
    let exponent_words = [8, 1, 3, 13];
    for base_words in [1, 8, 16, 40] {
        let bases: Vec<Vec<u64>> =
            (0..4).map(|i| (0..base_words).map(|j| (u64::MAX / (i + j + 2)) ^ j).collect()).collect();
        let exponents: Vec<Vec<u64>> = exponent_words
            .iter()
            .map(|words| (0..*words).map(|i| 0x9E37_79B9_7F4A_7C15 << (i % 7)).collect())
            .collect();
        let mut results: Vec<Vec<u64>> = moduli.iter().map(|modulus| vec![0; modulus.words().len()]).collect();
        let mut expected = results.clone();
        for (results, by_device) in [(&mut results, true), (&mut expected, false)] {
            let mut jobs: Vec<Power<'_>> = results
                .iter_mut()
                .enumerate()
                .map(|(i, result)| Power { modulus: &moduli[i], base: &bases[i], exponent: &exponents[i], result })
                .collect();
            if by_device {
                device.exponentiate(&mut jobs).unwrap();
            } else {
                Libcrypto.power_secret(&mut jobs);
            }
        }
        assert_eq!(results, expected, "bases of {base_words} words");
    }
}

#[test]
fn public_operations_of_mixed_keys_sizes_and_exponents_equal_libcrypto() {
    let device = Gpu::new(Emulator::new(Fault::None));
    device.test_public(1024).unwrap();
    let keys: Vec<_> = [1024, 1000].into_iter().flat_map(public_keys).collect();
    let of = |i: usize| &keys[i % keys.len()];
    let bases: Vec<Vec<u64>> = (0..40).map(|i| random_below(of(i).modulus())).collect();
    let mut results: Vec<Vec<u64>> = bases.iter().map(|base| vec![7; base.len()]).collect();
    let mut jobs: Vec<Power<'_>> = bases
        .iter()
        .zip(&mut results)
        .enumerate()
        .map(|(i, (base, result))| Power { modulus: of(i).modulus(), base, exponent: of(i).exponent(), result })
        .collect();
    device.exponentiate_public(&mut jobs).unwrap();
    for (i, (base, result)) in bases.iter().zip(&results).enumerate() {
        assert_eq!(*result, public_power(of(i), base), "number {i}");
    }
}

#[test]
fn a_batch_of_more_than_one_launch_is_split_into_equal_parts() {
    let machine = Emulator { width: 4 * LANES, ..Emulator::new(Fault::None) };
    let seen = Arc::clone(&machine.seen);
    let device = Gpu::new(machine);
    device.test(512).unwrap();
    let modulus = Modulus::new(&[vec![5; 7], vec![1 << 63 | 5]].concat()).unwrap();
    let base = vec![3; 8];
    let most = device.most();
    let mut results = vec![vec![0; 8]; 2 * most + 2];
    let mut jobs: Vec<Power<'_>> =
        results.iter_mut().map(|result| Power { modulus: &modulus, base: &base, exponent: &[5], result }).collect();
    seen.launched.lock().unwrap().clear();
    device.exponentiate(&mut jobs).unwrap();
    // Of each launch the same, but for a tile.
    let tiles = seen.launched.lock().unwrap();
    let (least, most) = (tiles.iter().min().unwrap(), tiles.iter().max().unwrap());
    assert!(most - least <= 1, "{tiles:?}");
    assert!(results.iter().all(|result| *result == results[0]));
}
