// SPDX-License-Identifier: Apache-2.0
//! Valgrind's client requests, the four that are needed here. Outside valgrind they do nothing.
//!
//! Source: `valgrind.h` and `memcheck.h` of Valgrind 3.19, whose request numbers are stable by design.

use std::sync::atomic::{AtomicUsize, Ordering};

const RUNNING_ON_VALGRIND: u64 = 0x1001;
const MEMCHECK: u64 = (b'M' as u64) << 24 | (b'C' as u64) << 16;
const MAKE_MEM_UNDEFINED: u64 = MEMCHECK + 1;
const MAKE_MEM_DEFINED: u64 = MEMCHECK + 2;
const GET_VBITS: u64 = MEMCHECK + 8;

/// Asks valgrind; 0 where there is none.
fn request(number: u64, argument: [u64; 3]) -> u64 {
    let block = [number, argument[0], argument[1], argument[2], 0, 0];
    let mut answer = 0u64;
    // SAFETY: four rotations by 128 bits in all leave rdi as it was and the exchange does nothing; valgrind takes this
    // sequence for a request, reads the block in rax and writes rdx.
    unsafe {
        std::arch::asm!(
            "rol rdi, 3", "rol rdi, 13", "rol rdi, 61", "rol rdi, 51", "xchg rbx, rbx",
            in("rax") block.as_ptr(), in("rdi") 0u64, inout("rdx") answer, options(nostack),
        );
    }
    answer
}

/// Whether valgrind runs this process.
pub fn running() -> bool {
    request(RUNNING_ON_VALGRIND, [0; 3]) != 0
}

/// Marks `data` undefined: from here on every branch and address computed from it is an error.
///
/// The values stay; the exclusive reference makes the compiler read them again, so that none survives in a register
/// where it would still count as defined.
pub fn secret<T: Copy>(data: &mut [T]) {
    request(MAKE_MEM_UNDEFINED, [data.as_mut_ptr() as u64, size_of_val(data) as u64, 0]);
}

/// Marks memory undefined that is somebody else's: for wrappers that see it on its way through a `dyn` call.
pub fn secret_of_others<T: Copy>(data: &[T]) {
    request(MAKE_MEM_UNDEFINED, [data.as_ptr() as u64, size_of_val(data) as u64, 0]);
}

/// Marks `count` values at `start` undefined, which need not be one slice: nothing is read or written.
pub fn secret_range<T>(start: *const T, count: usize) {
    request(MAKE_MEM_UNDEFINED, [start as u64, (count * size_of::<T>()) as u64, 0]);
}

/// Marks `data` defined.
pub fn public<T: Copy>(data: &mut [T]) {
    request(MAKE_MEM_DEFINED, [data.as_mut_ptr() as u64, size_of_val(data) as u64, 0]);
}

/// Marks memory defined that is somebody else's.
pub fn public_of_others<T: Copy>(data: &[T]) {
    request(MAKE_MEM_DEFINED, [data.as_ptr() as u64, size_of_val(data) as u64, 0]);
}

/// Whether any bit of `data` depends on a secret.
pub fn depends_on_secret<T: Copy>(data: &[T]) -> bool {
    let mut undefined = vec![0u8; size_of_val(data)];
    let answer = request(GET_VBITS, [data.as_ptr() as u64, undefined.as_mut_ptr() as u64, undefined.len() as u64]);
    assert_eq!(answer, 1, "memcheck did not say which bits are undefined");
    undefined.iter().any(|&bits| bits != 0)
}

/// Marks an output defined so that it can be compared, once it has been shown to depend on the secrets: a scenario
/// whose secrets went nowhere proves nothing.
pub fn reveal<T: Copy>(data: &mut [T]) {
    assert!(depends_on_secret(data), "{NOWHERE}");
    public(data);
}

/// What a scenario says whose secrets went nowhere.
pub const NOWHERE: &str = "no output depends on a secret";

static RELEASED: AtomicUsize = AtomicUsize::new(0);

/// How many bits `garner::secret::released` has let go.
pub fn released_bits() -> usize {
    RELEASED.load(Ordering::Relaxed)
}

/// Takes the place of `garner::secret::released` under valgrind, by Valgrind's function replacement (manual, section
/// 3.3; the name says: in the executable itself, any name that contains `6garner6secret8released`): the one bit that
/// leaves is public from there on.
#[unsafe(export_name = "_vgr00000ZZ_NONE_Za6garner6secret8releasedZa")]
#[inline(never)]
pub extern "C" fn released(bit: u8) -> bool {
    RELEASED.fetch_add(1, Ordering::Relaxed);
    let mut bit = [bit];
    public(&mut bit);
    bit[0] != 0
}

/// Keeps the replacement, which nothing calls, in the executable.
#[used]
static KEPT: extern "C" fn(u8) -> bool = released;
