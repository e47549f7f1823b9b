# SPDX-License-Identifier: Apache-2.0
"""What only one process may make at a time: a lock beside the folder that is made."""

import fcntl
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


@contextmanager
def alone(folder: Path) -> Iterator[int]:
    """Waits until no other process makes `folder`; it may be there then. Gives the lock's descriptor: programs that get it
    (`pass_fds`) hold the lock until they have ended, even where this process is killed before them.
    """
    folder.parent.mkdir(parents=True, exist_ok=True)
    with open(f"{folder}.lock", "w") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            print(f"{folder.name}: another process makes it; waiting", file=sys.stderr, flush=True)
            fcntl.flock(lock, fcntl.LOCK_EX)
        yield lock.fileno()
