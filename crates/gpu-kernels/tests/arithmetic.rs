// SPDX-License-Identifier: Apache-2.0
//! Every kernel, run by the interpreter and compared with libcrypto's big integers.

use garner_gpu_kernels::interpreter::{Array, run};
use garner_gpu_kernels::kernels::{ENTRIES, KEY_PARTS, public_steps};
use garner_gpu_kernels::program::ROW_WORDS;
use garner_gpu_kernels::{HALF_WORDS, Kernel, LANES, PUBLIC_WORDS, Role};
use openssl::bn::{BigNum, BigNumContext, MsbOption};

/// One number for each lane.
type Numbers = Vec<BigNum>;

fn words_of(number: &BigNum, words: usize) -> Vec<u32> {
    let bytes = number.to_vec_padded(4 * words as i32).expect("the number fits");
    bytes.rchunks(4).map(|chunk| u32::from_be_bytes(chunk.try_into().unwrap())).collect()
}

fn number_of(words: &[u32]) -> BigNum {
    let bytes: Vec<u8> = words.iter().rev().flat_map(|word| word.to_be_bytes()).collect();
    BigNum::from_slice(&bytes).unwrap()
}

/// Numbers as one tile.
fn tile(numbers: &[BigNum], words: usize) -> Vec<u32> {
    assert_eq!(numbers.len(), LANES);
    let mut tile = vec![0; words * LANES];
    for (lane, number) in numbers.iter().enumerate() {
        for (i, word) in words_of(number, words).into_iter().enumerate() {
            tile[(i / ROW_WORDS * LANES + lane) * ROW_WORDS + i % ROW_WORDS] = word;
        }
    }
    tile
}

fn numbers(tile: &[u32], words: usize) -> Numbers {
    let of_lane = |lane: usize| {
        let word = |i: usize| tile[(i / ROW_WORDS * LANES + lane) * ROW_WORDS + i % ROW_WORDS];
        number_of(&(0..words).map(word).collect::<Vec<_>>())
    };
    (0..LANES).map(of_lane).collect()
}

fn copies(numbers: &[BigNum]) -> Numbers {
    numbers.iter().map(|number| (**number).to_owned().unwrap()).collect()
}

fn power_of_two(bits: usize) -> BigNum {
    let mut power = BigNum::new().unwrap();
    power.set_bit(bits as i32).unwrap();
    power
}

fn modulo(a: &BigNum, n: &BigNum) -> BigNum {
    let mut result = BigNum::new().unwrap();
    result.nnmod(a, n, &mut BigNumContext::new().unwrap()).unwrap();
    result
}

fn power(a: &BigNum, e: &BigNum, n: &BigNum) -> BigNum {
    let mut result = BigNum::new().unwrap();
    result.mod_exp(a, e, n, &mut BigNumContext::new().unwrap()).unwrap();
    result
}

fn times(a: &BigNum, b: &BigNum) -> BigNum {
    let mut result = BigNum::new().unwrap();
    result.checked_mul(a, b, &mut BigNumContext::new().unwrap()).unwrap();
    result
}

fn random(bits: usize) -> BigNum {
    let mut number = BigNum::new().unwrap();
    number.rand(bits as i32, MsbOption::MAYBE_ZERO, false).unwrap();
    number
}

fn below(n: &BigNum) -> BigNum {
    let mut number = BigNum::new().unwrap();
    n.rand_range(&mut number).unwrap();
    number
}

/// 2^bits − less
fn just_below(bits: usize, less: u32) -> BigNum {
    let mut number = power_of_two(bits);
    number.sub_word(less).unwrap();
    number
}

/// Odd moduli of `words` words: random ones, the largest, one with a long run of zeros, and shorter ones.
fn moduli(words: usize) -> Numbers {
    let bits = 32 * words;
    // Those between R/4 and R/2 are where the most carries are left over.
    let part = |times: u32, of: u32| {
        let mut number = power_of_two(bits);
        number.mul_word(times).unwrap();
        number.div_word(of).unwrap();
        number
    };
    let modulus = |lane: usize| {
        let mut modulus = match lane {
            0 => just_below(bits, 1),
            1 => just_below(bits, 0xFFFF_FFFF),
            2 => power_of_two(bits - 1),
            3 => just_below(bits - 1, 1),
            4 => random(bits - 5),
            5 => random(bits / 2),
            6 => just_below(bits - 2, 1),
            7 => BigNum::from_u32(3).unwrap(),
            8 => part(5, 11),
            9 => part(2, 7),
            10 => part(10, 39),
            _ => random(bits),
        };
        modulus.set_bit(0).unwrap();
        if lane > 10 {
            modulus.set_bit(bits as i32 - 1).unwrap();
        }
        modulus
    };
    (0..LANES).map(modulus).collect()
}

/// Runs a kernel on one tile of each of `arrays`; they hold its results afterwards.
fn run_kernel(role: Role, words: usize, arrays: &mut [Vec<u32>], number: u32) {
    let places: Vec<Array> = (0..arrays.len()).map(|buffer| Array { buffer, offset: 0 }).collect();
    let mut buffers: Vec<&mut [u32]> = arrays.iter_mut().map(|array| &mut array[..]).collect();
    run(&Kernel::new(role, words).program, &mut buffers, &places, 1, number);
}

fn remainders_of_r(moduli: &[BigNum], words: usize) -> Numbers {
    moduli.iter().map(|n| modulo(&power_of_two(32 * words), n)).collect()
}

fn exponent_tile(exponents: &[BigNum], words: usize, exponent_words: usize) -> Vec<u32> {
    let reversed = |e: &BigNum| {
        let mut all = words_of(e, exponent_words);
        all.reverse();
        all.resize(words, 0);
        number_of(&all)
    };
    tile(&exponents.iter().map(reversed).collect::<Vec<_>>(), words)
}

/// Runs `prepare`. Its arrays: moduli, R modulo them, bases, tables and powers.
fn prepared(words: usize, moduli: &[BigNum], bases: &[BigNum]) -> [Vec<u32>; 5] {
    let mut arrays = [
        tile(moduli, words),
        tile(&remainders_of_r(moduli, words), words),
        tile(bases, 2 * words),
        vec![7; ENTRIES * words * LANES],
        vec![7; words * LANES],
    ];
    run_kernel(Role::Prepare, words, &mut arrays, 0);
    arrays
}

/// Runs `prepare` and looks at all that it makes.
fn powers_are_right(words: usize, moduli: &[BigNum], bases: &[BigNum]) {
    let (ones, arrays) = (remainders_of_r(moduli, words), prepared(words, moduli, bases));
    for (i, entry) in arrays[3].chunks(words * LANES).enumerate() {
        for (lane, value) in numbers(entry, words).iter().enumerate() {
            let n = &moduli[lane];
            let expected = times(&power(&bases[lane], &BigNum::from_u32(i as u32).unwrap(), n), &ones[lane]);
            assert_eq!(modulo(value, n), modulo(&expected, n), "{words} words, entry {i}, lane {lane}");
        }
    }
    assert_eq!(numbers(&arrays[4], words), ones);
}

#[test]
fn prepare_makes_sixteen_powers_in_montgomery_form() {
    for words in HALF_WORDS {
        let largest = |lane: usize| if lane < 12 { just_below(64 * words, 1) } else { random(64 * words) };
        powers_are_right(words, &moduli(words), &(0..LANES).map(largest).collect::<Numbers>());
    }
}

#[test]
fn prepare_loses_no_carry_modulo_numbers_that_do_not_fill_their_length() {
    let minus = |a: &BigNum, b: &BigNum| {
        let mut difference = BigNum::new().unwrap();
        difference.checked_sub(a, b).unwrap();
        difference
    };
    for (words, rounds) in [(16, 64), (32, 4)] {
        for _ in 0..rounds {
            // From R / 2 down to R / 5, where most is left over that has to be folded back.
            let modulus = |lane: usize| {
                let mut modulus = power_of_two(32 * words);
                modulus.mul_word(20).unwrap();
                modulus.div_word(40 + 2 * lane as u32).unwrap();
                let mut modulus = minus(&modulus, &random(20));
                modulus.set_bit(0).unwrap();
                modulus
            };
            let base = |_| minus(&just_below(64 * words, 1), &random(32 * words - 3));
            let [moduli, bases]: [Numbers; 2] = [(0..LANES).map(modulus).collect(), (0..LANES).map(base).collect()];
            powers_are_right(words, &moduli, &bases);
        }
    }
}

/// base^exponent mod modulus for each lane, by the three kernels.
fn exponentiate(
    words: usize,
    moduli: &[BigNum],
    bases: &[BigNum],
    exponents: &[BigNum],
    exponent_words: usize,
) -> Numbers {
    let [modulus, _, _, table, power] = prepared(words, moduli, bases);
    let mut arrays = [modulus, exponent_tile(exponents, words, exponent_words), table, power];
    run_kernel(Role::Walk, words, &mut arrays, (exponent_words / ROW_WORDS) as u32);
    let [modulus, _, _, power] = arrays;
    let mut arrays = [modulus, power];
    run_kernel(Role::Finish, words, &mut arrays, 0);
    numbers(&arrays[1], words)
}

fn exponentiations_are_right(words: usize, exponent_words: usize) {
    let moduli = moduli(words);
    let exponents: Numbers = (0..LANES)
        .map(|lane| match lane {
            10 => BigNum::new().unwrap(),
            11 => BigNum::from_u32(1).unwrap(),
            12 => just_below(32 * exponent_words, 1),
            _ => random(32 * exponent_words),
        })
        .collect();
    let bases: Numbers = (0..LANES)
        .map(|lane| match lane {
            13 => BigNum::new().unwrap(),
            14 => just_below(64 * words, 1),
            15 => moduli[15].to_owned().unwrap(),
            16 => just_below(32 * words, 1),
            _ => random(64 * words),
        })
        .collect();
    let results = exponentiate(words, &moduli, &bases, &exponents, exponent_words);
    for lane in 0..LANES {
        let expected = power(&bases[lane], &exponents[lane], &moduli[lane]);
        assert_eq!(results[lane], expected, "{words} words, lane {lane}");
    }
}

#[test]
fn exponentiations_of_every_length_equal_big_integers() {
    // The first rows of the exponent; the whole of it is the next test's.
    HALF_WORDS.into_iter().for_each(|words| exponentiations_are_right(words, 4));
}

#[test]
fn exponentiation_with_an_exponent_of_full_length_equals_big_integers() {
    [16, 32].into_iter().for_each(|words| exponentiations_are_right(words, words));
}

#[test]
fn recombination_is_garners_formula_whichever_prime_is_larger() {
    for words in HALF_WORDS {
        let bits = 32 * words;
        let odd = |lane: usize, other: usize| {
            let mut number = if lane == other { just_below(bits, 1) } else { random(bits) };
            number.set_bit(0).unwrap();
            number.set_bit(bits as i32 - 1).unwrap();
            number
        };
        let mut context = BigNumContext::new().unwrap();
        let (mut p, mut q, mut inverses) = (Vec::new(), Vec::new(), Vec::new());
        while p.len() < LANES {
            let (a, b) = (odd(p.len(), 3), odd(p.len(), 4));
            let mut inverse = BigNum::new().unwrap();
            if inverse.mod_inverse(&b, &a, &mut context).is_ok() {
                inverses.push(inverse);
                p.push(a);
                q.push(b);
            }
        }
        let values: Numbers = (0..LANES)
            .map(|lane| match lane {
                5 => BigNum::new().unwrap(),
                6 => {
                    let mut last = times(&p[lane], &q[lane]);
                    last.sub_word(1).unwrap();
                    last
                }
                _ => below(&times(&p[lane], &q[lane])),
            })
            .collect();
        let of = |f: &dyn Fn(usize) -> BigNum| -> Numbers { (0..LANES).map(f).collect() };
        let in_montgomery_form = of(&|i| modulo(&times(&inverses[i], &power_of_two(bits)), &p[i]));
        let mut arrays = [
            tile(&p, words),
            tile(&q, words),
            tile(&in_montgomery_form, words),
            tile(&of(&|i| modulo(&values[i], &p[i])), words),
            tile(&of(&|i| modulo(&values[i], &q[i])), words),
            vec![7; 2 * words * LANES],
        ];
        run_kernel(Role::Recombine, words, &mut arrays, 0);
        assert!(numbers(&arrays[5], 2 * words) == values, "{words} words");
    }
}

/// x^exponent mod N for each lane, by as many launches as it takes.
fn public(words: usize, moduli: &[BigNum], bases: &[BigNum], exponent: &BigNum) -> Numbers {
    let squares: Numbers = moduli.iter().map(|n| modulo(&power_of_two(64 * words), n)).collect();
    let launch = |power: &[BigNum], factor: &[BigNum], squarings: u32| {
        let mut arrays = [tile(moduli, words), tile(power, words), tile(factor, words), vec![7; words * LANES]];
        run_kernel(Role::Public, words, &mut arrays, squarings);
        numbers(&arrays[3], words)
    };
    let in_montgomery_form = launch(bases, &squares, 0);
    let steps = public_steps(&words_of(exponent, (exponent.num_bits() as usize).div_ceil(32)));
    let (last, before) = steps.split_last().unwrap();
    let power = before.iter().fold(copies(&in_montgomery_form), |power, k| launch(&power, &in_montgomery_form, *k));
    launch(&power, bases, *last)
}

fn public_operations_are_right(words: usize, exponent: &BigNum) {
    let moduli = moduli(words);
    let bases: Numbers = moduli.iter().map(below).collect();
    let expected: Numbers = (0..LANES).map(|lane| power(&bases[lane], exponent, &moduli[lane])).collect();
    assert!(public(words, &moduli, &bases, exponent) == expected, "{words} words, exponent {exponent}");
}

#[test]
fn public_operations_of_every_length_equal_big_integers() {
    for words in PUBLIC_WORDS {
        for exponent in [3, 37, 65_537] {
            public_operations_are_right(words, &BigNum::from_u32(exponent).unwrap());
        }
    }
}

#[test]
fn public_exponents_of_many_digits_equal_big_integers() {
    let mut longest = random(256);
    longest.set_bit(255).unwrap();
    longest.set_bit(0).unwrap();
    for exponent in [longest, just_below(64, 1), just_below(33, 0xFFFF_FFFF)] {
        public_operations_are_right(PUBLIC_WORDS[0], &exponent);
    }
}

#[test]
fn gather_gives_each_lane_the_parts_of_its_key() {
    for words in HALF_WORDS {
        let keys = 5;
        let records: Vec<u32> = (0..keys * KEY_PARTS * words).map(|i| i as u32).collect();
        let key_of = |lane: usize| lane * 7 % keys;
        let first_part = |lane| BigNum::from_u32((key_of(lane) * KEY_PARTS) as u32).unwrap();
        let indices: Numbers = (0..LANES).map(first_part).collect();
        let mut arrays = vec![tile(&indices, ROW_WORDS), records.clone()];
        arrays.extend((0..KEY_PARTS).map(|_| vec![7; words * LANES]));
        run_kernel(Role::Gather, words, &mut arrays, 0);
        for part in 0..KEY_PARTS {
            for (lane, number) in numbers(&arrays[2 + part], words).iter().enumerate() {
                let start = (key_of(lane) * KEY_PARTS + part) * words;
                assert_eq!(*number, number_of(&records[start..start + words]), "lane {lane}, part {part}");
            }
        }
    }
}
