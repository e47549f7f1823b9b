// SPDX-License-Identifier: Apache-2.0
//! Passes: up to eight jobs over moduli of one class, from words to words. Passes of equally many jobs share their memory, and what
//! comes with the moduli, as long as those are the same.

use super::class::Class;
use super::field::{Field, write_windows};
use super::kernels::{InTurn, Kernels};
use super::workspace::{Layout, WINDOW_BITS, WINDOWS_PER_WORD, Workspace};
use crate::arithmetic::modulus::{Constants, Modulus};
use crate::arithmetic::{Multiply, Power};
use crate::secret::wipe;
use garner_kernels::LIMB_BITS;
use garner_kernels::two_rows::window::{APART, TURNS};
use std::ptr;
use std::slice::ChunksMut;

/// `a · b` for each job, or `a · (b · c)`.
pub fn multiply<K: Kernels>(kernels: &K, class: &'static Class, passes: ChunksMut<'_, &mut Multiply<'_>>) {
    let layout = Layout::of(class);
    let mut workspace = Workspace::new(layout.without_table);
    let mut field = Field::new(kernels, class, workspace.rows());
    let mut moduli = Moduli::default();
    let [a, b, c] = layout.scratch;
    for jobs in passes {
        moduli.bring(&mut field, jobs.iter().map(|job| job.modulus));
        let mut factor = b;
        field.load(a, 0, |lane| jobs.get(lane).map_or(&[], |job| job.b));
        to_montgomery(&mut field, b, a);
        if jobs.iter().any(|job| job.c.is_some()) {
            field.load(a, 0, |lane| jobs.get(lane).map_or(&[], |job| job.c.unwrap_or(&[1])));
            to_montgomery(&mut field, c, a);
            factor = layout.accumulator;
            field.multiply(factor, b, c);
        }
        field.load(a, 0, |lane| jobs.get(lane).map_or(&[], |job| job.a));
        field.multiply(c, a, factor);
        field.canonical(a, c, 1);
        store(&mut field, jobs.iter_mut().map(|job| &mut *job.result), a);
    }
}

/// Raises to secret powers: fixed windows, every window's table scanned whole.
pub fn secret<K: Kernels>(kernels: &K, class: &'static Class, passes: ChunksMut<'_, &mut Power<'_>>) {
    let mut workspace = Workspace::new(Layout::of(class).with_table);
    let mut field = Field::new(kernels, class, workspace.rows());
    let mut moduli = Moduli::default();
    for jobs in passes {
        begin(&mut field, &mut moduli, jobs);
        let mut words = exponent_words(jobs);
        if let (false, Some(highest)) = (field.has_words(), words.checked_sub(1)) {
            first_windows(&mut field, jobs, highest, WINDOWS_PER_WORD);
            words = highest;
        }
        for word in (0..words).rev() {
            with_word(jobs, word, |exponents| field.exponents(exponents));
            field.windows();
        }
        end(&mut field, jobs);
    }
}

/// As [`secret`] with one pass of jobs, but with the lowest `windows` of each exponent alone: the others count as zero.
pub fn lowest_windows<K: Kernels>(kernels: &K, class: &'static Class, windows: usize, jobs: &mut [&mut Power<'_>]) {
    let mut workspace = Workspace::new(Layout::of(class).with_table);
    let mut field = Field::new(kernels, class, workspace.rows());
    begin(&mut field, &mut Moduli::default(), jobs);
    first_windows(&mut field, jobs, 0, windows);
    end(&mut field, jobs);
}

/// Raises to secret powers jobs that fill two passes or some multiple of that, of which two take turns.
pub fn secret_in_turn<K: Kernels>(kernels: &K, class: &'static Class, in_turn: InTurn, jobs: &mut [&mut Power<'_>]) {
    let layout = Layout::of(class);
    assert!(layout.with_table <= APART, "a pass has its place before the other's");
    let mut workspace = Workspace::new(APART + layout.with_table);
    let memory = workspace.rows();
    let mut moduli: [Moduli<'_>; TURNS] = Default::default();
    for jobs in jobs.chunks_mut(TURNS * kernels.lanes()) {
        let words = exponent_words(jobs);
        let (first, second) = jobs.split_at_mut(jobs.len().div_ceil(TURNS));
        let mut passes = [(0, first), (APART, second)];
        for ((at, jobs), moduli) in passes.iter().zip(&mut moduli) {
            begin(&mut Field::by(kernels, class, Some(in_turn.direct), &mut memory[*at..]), moduli, jobs);
        }
        for word in (0..words).rev() {
            for (at, jobs) in &passes {
                with_word(jobs, word, |exponents| write_windows(kernels, class, memory, *at, exponents));
            }
            let Layout { accumulator, wanted, modulus, constants, table, selection, .. } = layout;
            kernels.run(in_turn.windows, memory, [accumulator, wanted, modulus, constants, table, selection]);
        }
        for (at, jobs) in &mut passes {
            end(&mut Field::by(kernels, class, Some(in_turn.direct), &mut memory[*at..]), jobs);
        }
    }
}

/// Words of the longest exponent.
fn exponent_words(jobs: &[&mut Power<'_>]) -> usize {
    jobs.iter().map(|job| job.exponent.len()).max().unwrap_or(0)
}

/// Hands over this word of each job's exponent.
fn with_word(jobs: &[&mut Power<'_>], word: usize, then: impl FnOnce(&[u64; 8])) {
    let mut exponents = [0; 8];
    for (exponent, job) in exponents.iter_mut().zip(jobs) {
        *exponent = job.exponent.get(word).copied().unwrap_or(0);
    }
    then(&exponents);
    wipe(&mut exponents);
}

/// Brings moduli and bases to their lanes, fills the table, and begins the power with one.
fn begin<'m, K: Kernels>(field: &mut Field<'_, K>, moduli: &mut Moduli<'m>, jobs: &[&mut Power<'m>]) {
    if moduli.bring(field, jobs.iter().map(|job| job.modulus)) {
        load_one(field, jobs.iter().map(|job| job.modulus));
    }
    let [base, scratch, ..] = field.layout.scratch;
    load_bases(field, jobs, base, scratch);
    fill_table(field);
    field.copy(field.layout.accumulator, field.layout.one);
}

/// So many windows of a word of the exponents, one by one: the first entry wanted takes the place of the power of it.
fn first_windows<K: Kernels>(field: &mut Field<'_, K>, jobs: &[&mut Power<'_>], word: usize, windows: usize) {
    with_word(jobs, word, |exponents| field.exponents(exponents));
    field.want(windows - 1);
    field.scan();
    field.copy_selection(field.layout.accumulator);
    for window in (0..windows - 1).rev() {
        field.want(window);
        field.window();
    }
}

/// Hands out the results.
fn end<K: Kernels>(field: &mut Field<'_, K>, jobs: &mut [&mut Power<'_>]) {
    let (base, accumulator) = (field.layout.scratch[0], field.layout.accumulator);
    field.leave(base, accumulator);
    store(field, jobs.iter_mut().map(|job| &mut *job.result), base);
}

/// Raises to one public power, bit by bit: time depends on the exponent.
pub fn public<K: Kernels>(kernels: &K, class: &'static Class, exponent: &[u64], passes: ChunksMut<'_, &mut Power<'_>>) {
    let bits = crate::words::bit_length(exponent);
    if bits == 0 {
        for job in passes.flatten() {
            job.result.fill(0);
            job.result[0] = 1;
        }
        return;
    }
    let mut workspace = Workspace::new(Layout::of(class).without_table);
    let mut field = Field::new(kernels, class, workspace.rows());
    let mut moduli = Moduli::default();
    for jobs in passes {
        moduli.bring(&mut field, jobs.iter().map(|job| job.modulus));
        public_pass(&mut field, exponent, bits, jobs);
    }
}

/// One pass, the moduli in their lanes; of an exponent that is not zero, and has so many bits.
fn public_pass<K: Kernels>(field: &mut Field<'_, K>, exponent: &[u64], bits: usize, jobs: &mut [&mut Power<'_>]) {
    let [base, raw, _] = field.layout.scratch;
    let chunks = load_bases(field, jobs, base, raw);
    let accumulator = field.layout.accumulator;

    let bit = |i: usize| exponent[i / 64] >> (i % 64) & 1 == 1;
    field.copy(accumulator, base);
    let mut squarings = 0;
    for i in (1..bits - 1).rev() {
        squarings += 1;
        if bit(i) {
            field.square_times(accumulator, std::mem::take(&mut squarings));
            field.multiply(accumulator, accumulator, base);
        }
    }
    if bits > 1 {
        field.square_times(accumulator, squarings + 1);
    }
    if bits > 1 && bit(0) && chunks == 1 {
        // The base as it came has no factor R: the last multiplication leaves Montgomery form on the way. The product
        // is below the accumulator, itself a product, and its own excess.
        field.multiply(accumulator, accumulator, raw);
        field.canonical(base, accumulator, 2);
    } else {
        if bits > 1 && bit(0) {
            field.multiply(accumulator, accumulator, base);
        }
        field.leave(base, accumulator);
    }
    store(field, jobs.iter_mut().map(|job| &mut *job.result), base);
}

/// The moduli that stand in a field's lanes.
#[derive(Default)]
struct Moduli<'m>([Option<&'m Modulus>; 8]);

impl<'m> Moduli<'m> {
    /// Brings these, unless they stand there; returns whether it did.
    fn bring<K: Kernels>(
        &mut self,
        field: &mut Field<'_, K>,
        moduli: impl Iterator<Item = &'m Modulus> + Clone,
    ) -> bool {
        let mut wanted = Moduli::default();
        wanted.0.iter_mut().zip(moduli.clone()).for_each(|(place, modulus)| *place = Some(modulus));
        let same = |(a, b): (&Option<&Modulus>, &Option<&Modulus>)| a.map(ptr::from_ref) == b.map(ptr::from_ref);
        if self.0.iter().zip(&wanted.0).all(same) {
            return false;
        }
        load_moduli(field, moduli);
        *self = wanted;
        true
    }
}

/// Brings the moduli and their constants to the lanes. A lane without a job keeps the modulus 0, under which every
/// result is 0.
pub(super) fn load_moduli<'m, K: Kernels>(field: &mut Field<'_, K>, moduli: impl Iterator<Item = &'m Modulus>) {
    let layout = field.layout;
    let mut jobs = [const { None }; 8];
    for (job, modulus) in moduli.enumerate() {
        jobs[job] = Some(modulus.constants());
    }
    let jobs = &jobs;
    let of = |limbs: fn(&Constants<'m>) -> &'m [u64]| move |job: usize| jobs[job].as_ref().map_or(&[][..], limbs);
    field.load_moduli(
        of(|job| job.modulus),
        of(|job| job.limb_reducer),
        of(|job| job.half_inverse),
        of(|job| job.reducer),
        of(|job| job.negative_inverse),
    );
    field.load_limbs(layout.to_montgomery[0], of(|job| job.to_montgomery));
    field.load_limbs(layout.to_montgomery[1], of(|job| job.to_montgomery_shifted));
    layout.to_montgomery.into_iter().for_each(|place| field.prepare(place));
}

/// Brings one, in Montgomery form, to its place.
fn load_one<'m, K: Kernels>(field: &mut Field<'_, K>, moduli: impl Iterator<Item = &'m Modulus>) {
    let mut jobs = [[].as_slice(); 8];
    for (job, modulus) in moduli.enumerate() {
        jobs[job] = modulus.constants().one;
    }
    field.load_limbs(field.layout.one, |job| jobs[job]);
}

/// `to = a · R`, below 3n + 2^(−52)·n, or 4n in double precision; `a` may be anything below 2^(52·N).
fn to_montgomery<K: Kernels>(field: &mut Field<'_, K>, to: usize, a: usize) {
    let [whole, shifted] = field.layout.to_montgomery;
    field.half_multiply(to, whole, shifted, a);
}

/// Brings the bases to `base`, in Montgomery form and below 8n, in chunks of N limbs; returns how many. The last chunk
/// stays in `raw`.
///
/// Horner's rule with R for the variable: `base = base · R + chunk`, both brought to Montgomery form.
fn load_bases<K: Kernels>(field: &mut Field<'_, K>, jobs: &[&mut Power<'_>], base: usize, raw: usize) -> usize {
    let limbs = field.limbs();
    let bits = 64 * jobs.iter().map(|job| job.base.len()).max().unwrap_or(0);
    let chunks = bits.div_ceil(limbs * LIMB_BITS).max(1);
    let term = field.layout.scratch[2];
    for chunk in (0..chunks).rev() {
        field.load(raw, chunk * limbs * LIMB_BITS, |lane| jobs.get(lane).map_or(&[], |job| job.base));
        if chunk == chunks - 1 {
            to_montgomery(field, base, raw);
        } else {
            to_montgomery(field, base, base);
            to_montgomery(field, term, raw);
            field.add(base, base, term);
        }
    }
    chunks
}

/// The powers 0 to 15 of the base, each with its form for half multiplications.
fn fill_table<K: Kernels>(field: &mut Field<'_, K>) {
    let [base, base_shifted, shifted] = field.layout.scratch;
    let power = field.layout.power;
    field.half_reduce(shifted, field.layout.one);
    field.set_entry(0, field.layout.one, shifted);
    field.half_reduce(base_shifted, base);
    field.set_entry(1, base, base_shifted);
    field.copy(power, base);
    [base, base_shifted].into_iter().for_each(|place| field.prepare(place));
    for entry in 2..1 << WINDOW_BITS {
        field.half_multiply(power, base, base_shifted, power);
        field.half_reduce(shifted, power);
        field.set_entry(entry, power, shifted);
    }
}

/// Brings the numbers at `from` to the results.
fn store<'r, K: Kernels>(field: &mut Field<'_, K>, results: impl Iterator<Item = &'r mut [u64]>, from: usize) {
    field.unload(from);
    for (job, result) in results.enumerate() {
        result.copy_from_slice(&field.words(job)[..result.len()]);
    }
}
