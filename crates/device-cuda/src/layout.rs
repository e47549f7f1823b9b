// SPDX-License-Identifier: Apache-2.0
//! How numbers lie in a GPU's buffers: tiles of 32, four words of each in a row.

use garner_gpu_kernels::program::{LANES, ROW_WORDS};
use garner_gpu_kernels::{HALF_WORDS, PUBLIC_WORDS};

/// The 32-bit words of the shortest length in which a modulus of `bits` bits fits, with its place in [`HALF_WORDS`].
pub fn length_for(bits: usize) -> Option<(usize, usize)> {
    shortest(&HALF_WORDS, bits)
}

/// The same among the lengths for public operations, [`PUBLIC_WORDS`].
pub fn public_length_for(bits: usize) -> Option<(usize, usize)> {
    shortest(&PUBLIC_WORDS, bits)
}

fn shortest(lengths: &[usize], bits: usize) -> Option<(usize, usize)> {
    lengths.iter().enumerate().find(|(_, words)| bits <= 32 * **words).map(|(i, words)| (*words, i))
}

/// Tiles for so many numbers.
pub fn tiles_for(count: usize) -> usize {
    count.div_ceil(LANES)
}

/// Words of a tile of numbers of `words` words.
pub const fn tile_words(words: usize) -> usize {
    words * LANES
}

/// Where row `row` of number `number` starts.
fn place(number: usize, words: usize, row: usize) -> usize {
    number / LANES * tile_words(words) + (row * LANES + number % LANES) * ROW_WORDS
}

/// Writes `from` as number `number` of tiles of numbers of `words` words; words above it are left.
pub fn put(tiles: &mut [u32], number: usize, words: usize, from: &[u64]) {
    for (row, pair) in from.chunks(2).enumerate() {
        let at = place(number, words, row);
        for (i, word) in pair.iter().enumerate() {
            tiles[at + 2 * i] = *word as u32;
            tiles[at + 2 * i + 1] = (word >> 32) as u32;
        }
    }
}

/// Reads number `number`, as many words as `to` has.
pub fn take(tiles: &[u32], number: usize, words: usize, to: &mut [u64]) {
    for (row, pair) in to.chunks_mut(2).enumerate() {
        let at = place(number, words, row);
        for (i, word) in pair.iter_mut().enumerate() {
            *word = u64::from(tiles[at + 2 * i]) | u64::from(tiles[at + 2 * i + 1]) << 32;
        }
    }
}

/// Writes `words` words of an exponent, most significant first, as number `number`.
pub fn put_exponent(tiles: &mut [u32], number: usize, words: usize, from: &[u32]) {
    for (i, word) in from.iter().rev().enumerate() {
        tiles[place(number, words, i / ROW_WORDS) + i % ROW_WORDS] = *word;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_come_back_from_tiles_and_do_not_overlap() {
        let words = 16;
        let count = 70;
        let mut tiles = vec![0; tiles_for(count) * tile_words(words)];
        let number = |i: usize| -> Vec<u64> { (0..8).map(|j| (i * 8 + j) as u64 | 7 << 60).collect() };
        (0..count).for_each(|i| put(&mut tiles, i, words, &number(i)));
        for i in 0..count {
            let mut back = vec![0; 8];
            take(&tiles, i, words, &mut back);
            assert_eq!(back, number(i));
        }
        let mut odd = vec![0; 7];
        take(&tiles, 69, words, &mut odd);
        assert_eq!(odd, number(69)[..7]);
    }

    #[test]
    fn lengths_are_the_shortest_that_fit() {
        let words = |bits| length_for(bits).map(|(words, _)| words);
        assert_eq!([2, 512, 513, 1024, 1536, 1537, 2048].map(words), [16, 16, 32, 32, 48, 64, 64].map(Some));
        assert_eq!(words(2049), None);
        assert_eq!(
            [1024, 1025, 4096, 4097].map(public_length_for),
            [Some((32, 0)), Some((64, 1)), Some((128, 3)), None]
        );
    }

    #[test]
    fn exponents_are_turned_round() {
        let mut tiles = vec![0; tile_words(16)];
        put_exponent(&mut tiles, 3, 16, &[5, 6, 7, 8]);
        assert_eq!(tiles[12..16], [8, 7, 6, 5]);
    }
}
