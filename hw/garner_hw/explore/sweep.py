# SPDX-License-Identifier: Apache-2.0
"""Many points, on a Dask cluster: one on this machine by default, any other by its address.

Every circuit is evaluated once, however many points it is. What a worker measured comes back with its outcome and is kept
here, too, so that workers need no common disk.
"""

import os
import sys
import uuid
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from garner_hw import CommandError
from garner_hw.explore import OWN
from garner_hw.explore.evaluate import Effort, Outcome, evaluate, figures, key_of, name_of
from garner_hw.explore.point import Point
from garner_hw.explore.store import Folder, Record, Store
from garner_hw.explore.toolchain import Toolchain

if TYPE_CHECKING:
    from distributed import Client, Future


# A cluster on this machine. A worker's death is enough for the verdict: `sweep` tries again, alone, what it had. A dead worker
# has all the time it needs to be started again: one that took longer than Dask's 15 seconds, on a loaded machine, would be
# given up, and the sweep would wait forever. And workers that say nothing for long were asleep with the machine. Dask's
# profile of its workers and the watches over its own event loops are left out: with them two idle workers, scheduler and client
# took 18 % of a core (Zen 3), without them 4 %. Circuits that wait do so at the scheduler, all but the first few of a design: one
# that waited behind a long one at its worker would still be there when another worker has nothing to do. Ctrl-C in a terminal
# reaches workers too: what it means is the client's affair, and they would each print where they were.
LOCAL = {"distributed.worker.preload": ["import signal\nsignal.signal(signal.SIGINT, signal.SIG_IGN)\n"],
         "distributed.scheduler.allowed-failures": 0, "distributed.deploy.lost-worker-timeout": "1 day",
         "distributed.scheduler.worker-ttl": None, "distributed.scheduler.worker-saturation": 1.0,
         "distributed.worker.profile.enabled": False, "distributed.admin.tick.interval": "1s",
         "distributed.admin.system-monitor.interval": "10s"}


# Seconds until a cluster without workers is spoken of. Its workers may come later, as a batch system starts them.
ALONE = 10.0


@dataclass(frozen=True)
class Row:
    """A point with its figures, or why it has none."""

    point: Point
    figures: dict | None
    failure: str | None


@contextmanager
def cluster(address: str | None, workers: int | None) -> "Iterator[Client]":
    """A client of the cluster at this address, or of one on this machine that ends with it."""
    import dask
    from distributed import Client, LocalCluster

    if address:
        try:
            client = Client(address)  # waits as long as distributed.comm.timeouts.connect says
        except (OSError, ValueError) as error:
            raise CommandError(f"--dask {address}: no Dask scheduler answers there") from error
        with client:
            await_workers(client, address)
            yield client
        return
    # One point a worker: the tools are programs of their own, and one is enough for a core.
    with dask.config.set(LOCAL), LocalCluster(n_workers=workers or os.cpu_count() or 1, threads_per_worker=1,
                                              dashboard_address=":0", silence_logs="ERROR") as local, Client(local) as client:
        yield client


def await_workers(client: "Client", address: str) -> None:
    """Until the cluster has a worker, or for a while: then says that there is none, as the sweep would wait silently."""
    try:
        client.wait_for_workers(1, timeout=ALONE)
    except TimeoutError:
        print(f"garner-hw: the scheduler at {address} has no workers; the sweep waits for them. On each machine: "
              f".venv/bin/dask worker {address} --nthreads 1 --nworkers CORES", file=sys.stderr, flush=True)


def circuits(points: list[Point], toolchain: Toolchain) -> dict[str, list[Point]]:
    """The points by the circuit that they are. The sources of a design are read once for all its points."""
    found: dict[str, list[Point]] = {}
    sources: dict[str, str] = {}
    for point in points:
        if point.design not in sources:
            sources[point.design] = toolchain.sources(point)
        found.setdefault(name_of(point, sources[point.design], toolchain.versions()), []).append(point)
    return found


def sweep(todo: dict[str, list[Point]], toolchain: Toolchain, store: Store, effort: Effort, client: "Client",
          done: Callable[[str], None] = lambda name: None, record: Record | None = None, remote: bool = False) -> Iterator[Row]:
    """The rows of all points of these circuits, as they come. `done` is told of every circuit. What the store or the record has
    is not measured again. `remote`: the workers are on other machines, and keep what they measure where those keep it."""
    from distributed import KilledWorker, as_completed

    futures = {}

    def submit(name: str) -> "Future":
        # A name that no other sweep of the cluster has, or Dask would hand out that one's outcomes, failures too.
        known = store.folder(name).steps() | (record.steps(name) if record else {})
        future = client.submit(work, todo[name][0], name, toolchain, None if remote else str(store.root), effort, known,
                               key=f"{name}-{uuid.uuid4()}", pure=False, retries=0)
        futures[future] = name
        return future

    def rows(future: "Future") -> Iterator[Row]:
        name = futures[future]
        outcome = kept(outcome_of(future), store.folder(name))
        done(name)
        for point in todo[name]:
            yield Row(point, None if outcome.failure else figures(point, outcome.steps, effort) | {"circuit": name},
                      outcome.failure)

    try:
        suspects = []
        for future in as_completed([submit(name) for name in todo]):
            if isinstance(future.exception(), KilledWorker):
                suspects.append(futures[future])
            else:
                yield from rows(future)
        # Dask blames the deaths of a worker on every point that it had been given. Alone, only the guilty fail again.
        for name in suspects:
            yield from rows(submit(name))
    finally:
        client.cancel(list(futures))


def work(point: Point, name: str, toolchain: Toolchain, root: str | None, effort: Effort, known: dict[str, dict]) -> Outcome:
    """What a worker does. `root`: where circuits have their folders; None where its own sweeps have them."""
    os.nice(max(0, 5 - os.nice(0)))
    here = key_of(point, toolchain)
    if here != name:
        return Outcome({}, "the worker has other sources or tools than the machine that asks: update it")
    folder = Store(Path(root) if root else OWN / "points").folder(name)
    before = kept(Outcome(known), folder)
    return before if before.failure else evaluate(point, toolchain, folder, effort)


def outcome_of(future: "Future") -> Outcome:
    try:
        return future.result()
    except Exception as error:  # noqa: BLE001  (a worker that died, or a fault of ours: neither ends the sweep)
        return Outcome({}, f"the worker failed: {type(error).__name__}: {error}")


def kept(outcome: Outcome, folder: Folder) -> Outcome:
    """Keeps steps in the folder: those of a worker, or those that were known before."""
    try:
        for step, figures in outcome.steps.items():
            if folder.kept(step) != figures:
                folder.keep(step, figures)
    except OSError as error:
        return Outcome(outcome.steps, outcome.failure or f"{error.filename or folder.path}: {error.strerror}")
    return outcome
