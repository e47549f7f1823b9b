// SPDX-License-Identifier: Apache-2.0
//! Promises that nobody can keep: refused, and nothing is counted of them.

use garner_reserve::Promise;

#[test]
fn promise_of_more_than_there_can_be_is_refused_and_others_are_still_kept() {
    let small = Promise::of(1 << 20).expect("memory");
    for bytes in [usize::MAX, usize::MAX - 100, usize::MAX - (1 << 20), isize::MAX as usize, 1 << 62] {
        assert!(Promise::of(bytes).is_none(), "{bytes} bytes");
        assert!(Promise::of(1 << 20).is_some(), "after {bytes} bytes");
    }
    drop(small);
}
