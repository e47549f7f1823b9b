# SPDX-License-Identifier: Apache-2.0
"""Files that appear under their name when they are whole: what is killed, or has no room, leaves the former one."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


@contextmanager
def whole(path: Path) -> Iterator[Path]:
    """A file beside it, to be written, that gets its name at the end."""
    unnamed = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        yield unnamed
        unnamed.rename(path)
    finally:
        unnamed.unlink(missing_ok=True)


def write_whole(path: Path, text: str) -> None:
    with whole(path) as unnamed:
        unnamed.write_text(text)
