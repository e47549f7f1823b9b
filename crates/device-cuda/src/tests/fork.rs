// SPDX-License-Identifier: Apache-2.0
//! Children of a process that has a GPU, and how a test makes one.

use super::*;

/// Whether `work` is true in a child made by `fork`.
pub fn in_child(work: impl FnOnce() -> bool) -> bool {
    // SAFETY: the child runs `work`, which takes no lock that another thread of the tests may hold but memory's, and leaves.
    let child = unsafe { libc::fork() };
    if child == 0 {
        let good = std::panic::catch_unwind(std::panic::AssertUnwindSafe(work)).unwrap_or(false);
        // SAFETY: without the test harness's clean-up.
        unsafe { libc::_exit(i32::from(!good)) };
    }
    let mut status = 1;
    // SAFETY: `child` is ours and `status` has room.
    assert_eq!(unsafe { libc::waitpid(child, &mut status, 0) }, child);
    status == 0
}

#[test]
fn a_child_made_by_fork_leaves_its_parents_gpu_alone() {
    let device = gpu(512);
    let key = key(1024);
    operate(&device, std::slice::from_ref(&key), 1);
    let (base, mut result) = (vec![2; 16], vec![0; 16]);
    assert!(in_child(|| {
        let operated = device.operate(&mut [Private { key: &key, base: &base, result: &mut result }]);
        let taken = device.takes_key(&key) || device.takes_bits(512);
        operated.is_err() && !taken && device.test(512).is_err() && device.test_public(1024).is_err()
    }));
    operate(&device, &[key], 1);
}
