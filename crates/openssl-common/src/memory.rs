// SPDX-License-Identifier: Apache-2.0
//! Whether a call from libcrypto has the memory it may need: asked before anything else, see [`garner_reserve`].

use crate::libcrypto::raise_out_of_memory;
use garner::thread;

fn prepare() -> bool {
    static AT_START: fn() -> bool = enter;
    thread::at_start(&AT_START);
    thread::prepare()
}

/// Whether a call may go on. If not, it can still be OpenSSL's.
pub fn enter() -> bool {
    garner_reserve::enter(prepare)
}

/// Whether a call may go on that nobody else can do; if not, the reason is on the thread's queue of errors.
pub fn enter_or_raise() -> bool {
    let entered = enter();
    if !entered {
        raise_out_of_memory();
    }
    entered
}

/// Whether a call that frees something may go on. If not, it leaves that behind.
pub fn enter_to_free() -> bool {
    garner_reserve::enter_to_free(prepare)
}
