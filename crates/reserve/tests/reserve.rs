// SPDX-License-Identifier: Apache-2.0
//! The reserve in a process whose address space is at its limit.

use garner_reserve::{Allocator, Promise, THREAD, enter, enter_to_free, in_use, most_in_use};
use std::alloc::{GlobalAlloc, Layout};
use std::thread;

/// Larger than what [`Limited`] leaves.
fn layout(i: usize) -> Layout {
    Layout::from_size_align((200 << 10) + 1000 * i, 1 << (i % 13)).unwrap()
}

fn ready() -> bool {
    true
}

/// Lets the process have no large blocks of the system any more, until it is dropped.
struct Limited {
    before: libc::rlimit,
    taken: Vec<*mut libc::c_void>,
}

impl Limited {
    fn new() -> Limited {
        let mut before = libc::rlimit { rlim_cur: 0, rlim_max: 0 };
        let mut taken = Vec::with_capacity(4096);
        // SAFETY: a place for the limit, and one that is lower.
        unsafe {
            libc::getrlimit(libc::RLIMIT_AS, &mut before);
            libc::setrlimit(libc::RLIMIT_AS, &libc::rlimit { rlim_cur: 1 << 20, rlim_max: before.rlim_max });
        }
        // What the C library has ahead.
        // SAFETY: has no preconditions.
        taken
            .extend(std::iter::repeat_with(|| unsafe { libc::malloc(100 << 10) }).take_while(|block| !block.is_null()));
        Limited { before, taken }
    }
}

impl Drop for Limited {
    fn drop(&mut self) {
        // SAFETY: the limit as it was, and blocks that are freed once.
        unsafe {
            libc::setrlimit(libc::RLIMIT_AS, &self.before);
            self.taken.iter().for_each(|&block| libc::free(block));
        }
    }
}

/// Writes `mark` all over a block.
fn fill(block: *mut u8, layout: Layout, mark: u8) {
    assert!(!block.is_null() && block.addr().is_multiple_of(layout.align()));
    // SAFETY: a live block of that size.
    unsafe { block.write_bytes(mark, layout.size()) };
}

fn holds(block: *mut u8, layout: Layout, mark: u8) -> bool {
    // SAFETY: a live block of that size, written to.
    unsafe { std::slice::from_raw_parts(block, layout.size()) }.iter().all(|&byte| byte == mark)
}

#[test]
fn what_was_promised_is_there_when_the_system_has_nothing() {
    assert!(enter(ready) && enter_to_free(ready));
    let promise = Promise::of(2 << 20).expect("memory");
    assert_eq!((in_use(), most_in_use()), (0, 0));
    let limited = Limited::new();
    // SAFETY: layouts of more than nothing; each block goes back with its own, once.
    unsafe {
        let blocks: Vec<_> = (0..8).map(|i| (Allocator.alloc(layout(i)), layout(i))).collect();
        for (i, &(block, layout)) in blocks.iter().enumerate() {
            fill(block, layout, i as u8);
        }
        assert!(in_use() > 8 * (200 << 10), "{} bytes are in use", in_use());
        assert!(Promise::of(64 << 20).is_none(), "nothing can be promised that is not there");
        let grown = Layout::from_size_align(300 << 10, blocks[0].1.align()).unwrap();
        let moved = Allocator.realloc(blocks[0].0, blocks[0].1, grown.size());
        assert!(holds(moved, blocks[0].1, 0));
        let zeroed = Allocator.alloc_zeroed(layout(1));
        assert!(holds(zeroed, layout(1), 0));
        for (i, &(block, layout)) in blocks.iter().enumerate().skip(1) {
            assert!(holds(block, layout, i as u8), "block {i} was changed");
            Allocator.dealloc(block, layout);
        }
        Allocator.dealloc(zeroed, layout(1));
        // A block of the reserve goes back to it when there is memory again.
        drop(limited);
        assert!(in_use() > 0);
        Allocator.dealloc(moved, grown);
        assert_eq!(in_use(), 0);
        assert!(most_in_use() > 8 * (200 << 10));
    }
    drop(promise);

    // Threads that end take their promises with them: a hundred in turn need no more than one at a time.
    for _ in 0..100 {
        thread::spawn(|| assert!(enter(ready))).join().unwrap();
    }
    let _limited = Limited::new();
    assert!(Promise::of(THREAD).is_some(), "promises of threads that ended are kept");
}
