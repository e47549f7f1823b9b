# SPDX-License-Identifier: Apache-2.0
"""Processes that end with the one that started them, also when that one is killed."""

import ctypes
import signal

SET_PARENT_DEATH_SIGNAL = 1  # of prctl(2)
LIBC = ctypes.CDLL(None)  # here, not in the child: between fork and exec nothing should be loaded


def end_with_parent() -> None:
    """Called in the child: the kernel kills it when the thread that started it has ended."""
    LIBC.prctl(SET_PARENT_DEATH_SIGNAL, signal.SIGKILL)


def begin_worker() -> None:
    """Of a pool: interrupts are its parent's affair, and SIGTERM, which the parent turns into an exception, ends it."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    end_with_parent()
