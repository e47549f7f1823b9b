# SPDX-License-Identifier: Apache-2.0
"""What each level takes, against software on the same processor. Each run is kept in hw/soc/report/runs with the hash of
the firmware's image and of the RTL, and measured again when that has changed.
"""

import json
import os
import random
import sys
from collections.abc import Callable, Iterable
from dataclasses import asdict, replace
from pathlib import Path

from garner_hw import HW, CommandError
from garner_hw.records import fingerprint
from garner_hw.soc import build, check
from garner_hw.soc.system import Answer, System

REPORT = HW / "soc" / "report"
ROWS = 8
SEED = 31
# Of a row: level, bits, scheme; then its rows and word, where they are not ROWS and build.WORD
Which = tuple[str, int, str, *tuple[int, ...]]
# The private operation of mbedTLS, by the CRT as well, and its release
MBEDTLS, UNBLINDED, NEW_MBEDTLS = "mbedtls", "mbedtls-unblinded", "mbedtls-3.6"
RELEASES = {MBEDTLS: "2.28", UNBLINDED: "2.28", NEW_MBEDTLS: "3.6"}
POWERS = [(level, bits, scheme) for level in ("mul", "exp") for bits in (512, 1024, 1536, 2048)
          for scheme in ("l2r", "r2l", "fixed", "sliding")]
ROWS_TO_MEASURE: list[Which] = [
    ("row", 512, "sliding"), ("row", 1024, "sliding"), *POWERS,
    *[("op", bits, scheme) for bits in (1024, 2048) for scheme in ("crt", MBEDTLS)],
    *[(level, bits, MBEDTLS) for bits in (1024, 2048) for level in ("exp", "mul")],
    ("op", 1024, UNBLINDED), ("op", 1024, NEW_MBEDTLS),
    ("op", 1024, MBEDTLS, 2 * ROWS), ("op", 2048, MBEDTLS, 2 * ROWS)]

# From which length on an accelerator is faster than software; the core takes none below 512 bits
SHORT: list[Which] = [(level, bits, "sliding") for level in ("mul", "row") for bits in (64, 128, 192, 256, 384)]


def software(scheme: str) -> str:
    """What the software is that a row is compared with."""
    if scheme not in RELEASES:
        return "own CIOS"
    return f"mbedTLS {build.RELEASES[RELEASES[scheme]].version}, {'no ' * (scheme == UNBLINDED)}blinding"


def sources_hash(scheme: str) -> str:
    """Of what runs: the firmware's image and the RTL. Comments in either change nothing."""
    return fingerprint([build.firmware(RELEASES.get(scheme, "")), *build.simulator_sources()])


def measured(level: str, bits: int, scheme: str, rows: int, word: int) -> Answer:
    random.seed(f"{SEED}-{bits}-{scheme}")  # the same operands at every level
    with System(rows, mbedtls=RELEASES.get(scheme, ""), word=word) as system:
        if scheme == "crt":
            return check.private(system, level, bits)
        if scheme in RELEASES:
            return check.mbedtls(system, level, bits, blinding=scheme != UNBLINDED)
        return check.exp(system, level, scheme, bits)


def run(level: str, bits: int, scheme: str, rows: int = ROWS, word: int = build.WORD) -> Answer:
    """One operation, checked; kept. `rows` and `word`: of core and multiplier."""
    name = f"{level}-{bits}-{scheme}" + f"-{rows}-rows" * (rows != ROWS) + f"-words-of-{word}" * (word != build.WORD)
    return kept(name, sources_hash(scheme), lambda: measured(level, bits, scheme, rows, word))


def kept(name: str, now: str, measure: Callable[[], Answer]) -> Answer:
    """The run of this name, if it was made from these sources; else measured and kept."""
    file = REPORT / "runs" / f"{name}.json"
    answer = read(file, now)
    if answer is None:
        answer = measure()
        answer = replace(answer, value=answer.value & 0xFFFFFFFF)  # enough to see that levels say the same
        write(file, {"sources": now, "answer": asdict(answer)})
    return answer


def read(file: Path, now: str) -> Answer | None:
    """None if there is no run of these sources; a damaged one is said."""
    try:
        run = json.loads(file.read_text())
        return Answer(**run["answer"]) if run["sources"] == now else None
    except FileNotFoundError:
        return None
    except (ValueError, KeyError, TypeError) as error:
        print(f"{file}: not the record of a run ({type(error).__name__}: {error}); it is measured again", file=sys.stderr)
        return None


def write(file: Path, run: dict) -> None:
    """Whole or not at all, whoever interrupts."""
    file.parent.mkdir(parents=True, exist_ok=True)
    unfinished = file.with_suffix(f".{os.getpid()}")
    unfinished.write_text(json.dumps(run, indent=1) + "\n")
    unfinished.rename(file)


def row(level: str, bits: int, scheme: str, rows: int = ROWS, word: int = build.WORD) -> dict:
    base, ours = run("software", bits, scheme), run(level, bits, scheme, rows, word)
    return {"level": level, "bits": bits, "scheme": scheme, "cycles_software": base.cycles,
            "cycles": ours.cycles, "speed_up": round(base.cycles / ours.cycles, 2),
            "communication_share": round(ours.moving / ours.cycles, 5),
            "core_share": round(ours.core / ours.cycles, 5), "load": ours.load, "monitor": ours.monitor,
            "multipliers": 2 if level == "row" else 2 * rows, "software": software(scheme),
            "checked": ours.fallback == 0 and ours.value == base.value}


def all_checked(rows: Iterable[dict]) -> None:
    """Raises where a row is of a wrong value, or of software that answered for an accelerator: it is not published."""
    wrong = [" ".join(str(row[name]) for name in ("level", "bits", "bytes", "scheme", "seed") if name in row)
             for row in rows if not row["checked"]]
    if wrong:
        raise CommandError(f"not published, because these rows are not what software says, or were left to software: "
                           f"{', '.join(wrong)}")
