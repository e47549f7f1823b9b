# SPDX-License-Identifier: Apache-2.0
"""Processes that end with the one that started them, also when that one is killed."""

import ctypes
import os
import signal
import subprocess

SET_PARENT_DEATH_SIGNAL = 1  # of prctl(2)
LIBC = ctypes.CDLL(None)

# In front of a program and its arguments: the kernel kills it when the thread that started it has ended, so that this
# thread waits for it, as subprocess.run does. A program of ours that starts others calls `ends_what_it_starts`. Not by
# prctl(2) in subprocess's preexec_fn: with one Python runs its hooks of fork, and what a signal raises in a hook is
# printed and lost, so that an interrupt at that moment ends nothing.
ENDS_WITH_PARENT = ("setpriv", "--pdeathsig", "KILL", "--")


def ends_what_it_starts() -> None:
    """All that this process starts is killed when it has ended, however it did, and so is what that has started.

    They are a process group, and one of them waits for the end of a pipe that this process alone holds open. For programs
    that other programs start: in a shell's pipeline the group has the whole pipeline.
    """
    if os.getpgrp() != os.getpid():
        os.setpgid(0, 0)
    end, _ = os.pipe()
    subprocess.Popen(["sh", "-c", "read -r nothing; kill -KILL 0"], stdin=end, stdout=subprocess.DEVNULL,
                     stderr=subprocess.DEVNULL)
    os.close(end)


def begin_worker() -> None:
    """Of a pool: interrupts are its parent's affair, SIGTERM, which the parent turns into an exception, ends it, and so does
    its parent's end.
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    LIBC.prctl(SET_PARENT_DEATH_SIGNAL, signal.SIGKILL)
