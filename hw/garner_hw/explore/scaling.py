# SPDX-License-Identifier: Apache-2.0
"""What more workers would be worth to a sweep, on paper: circuits are independent, and each takes the seconds that it took."""

import heapq
from collections.abc import Iterable
from dataclasses import dataclass

WORKERS = (1, 2, 10, 100)


@dataclass(frozen=True)
class Scaling:
    """So many circuits by so many workers. The sweep's own start and its page come on top."""

    circuits: int
    workers: int
    seconds: float
    gain: float     # over one worker
    longest: float  # seconds of the circuit that takes longest: no number of workers is faster


def on_paper(rows: list[dict]) -> list[Scaling]:
    """Of the circuits of these rows whose time is known; nothing if there are none."""
    took = list({row["circuit"]: row["seconds"] for row in rows if "circuit" in row and row.get("seconds")}.values())
    return [Scaling(len(took), workers, until := makespan(took, workers), sum(took) / until, max(took))
            for workers in WORKERS if took]


def makespan(seconds: Iterable[float], workers: int) -> float:
    """Seconds until the last is done, when the worker that is free first takes the next, as the sweep's scheduler does."""
    free = [0.0] * workers
    for one in seconds:
        heapq.heapreplace(free, free[0] + one)
    return max(free)
