# SPDX-License-Identifier: Apache-2.0
"""A bar with the time left, on a terminal; elsewhere a line for each one done, with it."""

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from tqdm import tqdm


@contextmanager
def bar(total: int, unit: str) -> Iterator[Callable[[str], None]]:
    """Gives `advance(text)`, to be called for each one done."""
    if sys.stderr.isatty():
        with tqdm(total=total, unit=unit, file=sys.stderr, dynamic_ncols=True, smoothing=0.1) as shown:
            def advance(text: str) -> None:
                shown.set_postfix_str(text, refresh=False)
                shown.update()
            yield advance
        return
    count, start = 0, time.monotonic()

    def say(text: str) -> None:
        nonlocal count
        count += 1
        left = (time.monotonic() - start) / count * (total - count)
        print(f"{count}/{total} {text}, {tqdm.format_interval(left)} left", file=sys.stderr, flush=True)
    yield say
