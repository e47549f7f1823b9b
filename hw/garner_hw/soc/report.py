# SPDX-License-Identifier: Apache-2.0
"""`garner-hw soc report`: hw/soc/report and the tables of docs/soc.md, of all runs; those that are not kept are simulated."""

import json
import multiprocessing
import os
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor, as_completed
from functools import partial

from garner_hw import HW, CommandError
from garner_hw.child import begin_worker
from garner_hw.progress import bar
from garner_hw.soc import build, fiu, keys, measure
from garner_hw.tables import filled, markdown

DOCUMENT = HW.parent / "docs" / "soc.md"


def run() -> int:
    make(runs())
    made, short = ([measure.row(*which) for which in rows] for rows in (measure.ROWS_TO_MEASURE, measure.SHORT))
    power, made_keys = fiu.rows(), keys.rows()
    measure.all_checked(made + short + power + made_keys)
    (measure.REPORT / "report.json").write_text(json.dumps(made + short + made_keys, indent=1) + "\n")
    (measure.REPORT / "power.json").write_text(json.dumps(power, indent=1) + "\n")
    tables = {"soc": table(made), "short": table(short), "power": fiu.table(power), "keygen": keys.table(made_keys)}
    print(*tables.values(), sep="\n\n")
    DOCUMENT.write_text(filled(DOCUMENT, tables))
    return 0


def runs() -> list[partial]:
    """Every run behind the report once, those that take longest first: software, and of it the longest numbers."""
    asked = [*measure.ROWS_TO_MEASURE, *measure.SHORT]
    rows = sorted({*asked, *(("software", bits, scheme) for _, bits, scheme, *_ in asked)},
                  key=lambda which: (which[0] != "software", -which[1], which[2]))
    return [*(partial(keys.run, *which) for which in keys.runs()), *(partial(measure.run, *which) for which in rows),
            *(partial(fiu.run, hardware, *which) for which in reversed(fiu.RUNS) for hardware in (False, True))]


def make(wanted: list[partial]) -> None:
    """Makes those that are not kept, one a core. An interrupted report keeps what was made."""
    for release in {"", *measure.RELEASES.values()}:  # once, not in each process
        build.firmware(release)
    for rows in (measure.ROWS, 2 * measure.ROWS):
        build.simulator(rows)
    pool = ProcessPoolExecutor(os.cpu_count(), initializer=begin_worker)
    try:
        with bar(len(wanted), "run") as advance:
            futures = {pool.submit(failure_of, one): one for one in wanted}
            for future in as_completed(futures):
                name = " ".join(map(str, futures[future].args))
                if (failure := future.result()) is not None:
                    raise CommandError(f"{name}: {failure}; what was made is kept")
                advance(name)
    except BaseException:
        pool.shutdown(cancel_futures=True, wait=False)
        for worker in multiprocessing.active_children():  # or the runs under way, minutes, would be waited for
            worker.kill()
        raise
    finally:
        pool.shutdown()


def failure_of(run: Callable[[], object]) -> str | None:
    """What went wrong, as text: not every exception comes through to another process."""
    try:
        run()
    except CommandError as error:
        return str(error)
    return None


def table(rows: list[dict]) -> str:
    return markdown(("level", "bits", "scheme", "software, cycles", "cycles", "speed-up", "moving words", "in the accelerator",
                     "multipliers"),
                    [(row["level"], row["bits"], row["scheme"], f"{row['cycles_software']:,}", f"{row['cycles']:,}",
                      f"{row['speed_up']:.1f}", f"{100 * row['communication_share']:.2f} %",
                      f"{100 * row['core_share']:.1f} %", row["multipliers"]) for row in rows])
