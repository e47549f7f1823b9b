# SPDX-License-Identifier: Apache-2.0
"""A running system: its firmware's commands (hw/soc/firmware/main.c) as calls."""

import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from garner_hw import CommandError
from garner_hw.child import ENDS_WITH_PARENT
from garner_hw.interface import load
from garner_hw.model.rsa import Key
from garner_hw.soc import DESCRIPTION, KEYGEN, LEVELS, SCHEMES, build

RSA = load().rsa
# The limit of a simulation, of all its commands together: half an hour. Longer than any operation of the report takes; a key
# of 2,048 bits that software makes takes 4,000 million on average, and only some seeds stay below the limit.
CYCLES = 2_000_000_000
TRAPPED = DESCRIPTION.code("stop", "Trapped")  # the firmware's trap handler stops with this
TIMEOUT = DESCRIPTION.code("failure", "Timeout")  # the status of an accelerator that did not answer


SILENT = -1  # the code of a system that did not say one


class Stopped(CommandError):
    """The system stopped before it answered, or what it said is no answer; `code` as hw/soc/sim/soc.cpp says, or SILENT."""

    def __init__(self, code: int, said: str) -> None:
        super().__init__(said if code == SILENT else f"the system stopped with {code} {said}".strip())
        self.code, self.said = code, said


class Refused(CommandError):
    """The firmware refused the command."""


@dataclass(frozen=True)
class Answer:
    """`cycles` by the processor, the three behind it by the bus monitor; `status`: the core's, 0 if all was well; its
    interrupts, and those without an answer, since the system started."""

    value: int
    load: int
    cycles: int
    monitor: int
    moving: int
    core: int
    fallback: int
    status: int
    interrupts: int
    spurious: int
    in_powers: int = 0  # of a key by prime_search.c: cycles of the processor in powers


def scheme_code(scheme: str) -> int:
    """What the firmware and the core call a scheme of the command line."""
    return RSA.schemes[SCHEMES[scheme]].code


def meaning(status: int) -> str:
    """Why an accelerator failed, by its status or its driver's."""
    codes = (*RSA.statuses.codes, *DESCRIPTION.codes["failure"])
    return next((code.meaning for code in codes if code.code == status), "no status that is described")


def answered(line: str) -> str | None:
    """What is behind `ok` in a line of the firmware; None if it is no answer."""
    said = line.lstrip(">").strip()
    if said.startswith("error "):
        raise Refused(said.removeprefix("error "))
    if said.startswith("ok ") and "trap " not in said:  # an interrupt may come in the middle of a line
        return said.removeprefix("ok ")
    return None


class System:
    """The simulation as a process. `fault`: hang, corrupt, silent or spurious; the ports then are at fault from the start.
    `mbedtls`: the firmware has this release of it. `rows` and `word`: of core and multiplier. `observers` as the simulator's.
    `resets`: how often `reset` may be called. `flags`: of the firmware's compiler; `options`: of the observers."""

    def __init__(self, rows: int = 8, fault: str = "", cycles: int = CYCLES, mbedtls: str = "", word: int = build.WORD,
                 observers: Sequence[Path] = (), resets: int = 0, flags: Sequence[str] = (),
                 options: Sequence[str] = ()) -> None:
        arguments = [f"+memory={build.firmware(mbedtls, flags=flags)}", f"+cycles={cycles}", *[f"+fault={fault}"] * bool(fault),
                     *[f"+resets={resets}"] * bool(resets), *options]
        self.process = subprocess.Popen([*ENDS_WITH_PARENT, build.simulator(rows, word, observers), *arguments], text=True,
                                        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE)

    def __enter__(self) -> "System":
        return self

    def __exit__(self, *exception: object) -> None:
        self.process.kill()
        self.process.communicate()

    def end(self) -> None:
        """Ends the input: the simulation ends at the next prompt, and its observers' files are whole."""
        self.process.communicate()
        if self.process.returncode:
            raise Stopped(self.process.returncode, "after its last command")

    def reset(self) -> None:
        """Has the system reset, as by a board's button: memory stays as it is."""
        assert self.process.stdin
        self.process.stdin.write("stop 0\n")

    def command(self, line: str) -> str:
        """A line in, a line out."""
        assert self.process.stdin and self.process.stdout and self.process.stderr  # pipes
        try:
            self.process.stdin.write(line + "\n")
            self.process.stdin.flush()
        except BrokenPipeError:
            pass  # why is in the code it stopped with
        said = self.process.stdout.readline()
        answer = answered(said)
        if answer is None:
            raise Stopped(self.process.wait(), " ".join([said.lstrip(">").strip(), self.process.stderr.read()]).strip())
        return answer

    def operation(self, line: str) -> Answer:
        said = self.command(line)
        try:
            value, *figures = said.split()
            return Answer(int(value, 16), **{name: int(figure) for name, figure in zip(figures[::2], figures[1::2], strict=True)})
        except (ValueError, TypeError):  # no number; a figure missing, or one too many
            raise Stopped(SILENT, f"the system said \"ok {said}\", which is no answer to this command") from None

    def settings(self, interrupts: bool = False, memory_wait: int = 0) -> None:
        """From now on: the core waited for by interrupt; so many cycles more for an access of memory, at most 255."""
        self.command(f"settings {int(interrupts)} {memory_wait}")

    def exp(self, level: str, scheme: str, bits: int, n: int, base: int, exponent: int) -> Answer:
        return self.operation(f"exp {LEVELS[level]} {scheme_code(scheme)} {bits} {n:x} {base:x} {exponent:x}")

    def private(self, level: str, key: Key, m: int) -> Answer:
        parts = (key.n, key.e, key.p, key.q, key.dp, key.dq, key.qinv, m)
        return self.operation(f"private {LEVELS[level]} {key.bits} " + " ".join(f"{part:x}" for part in parts))

    def mbedtls(self, level: str, key: Key, m: int, seed: int, blinding: int) -> Answer:
        """`blinding`: prime to n."""
        parts = (key.n, key.e, key.p, key.q, key.dp, key.dq, key.qinv, pow(blinding, -key.e, key.n), blinding, m)
        return self.operation(f"mbedtls {LEVELS[level]} {key.bits} {seed} " + " ".join(f"{part:x}" for part in parts))

    def public(self, level: str, key: Key, m: int) -> Answer:
        """m^e mod n, by mbedTLS."""
        return self.operation(f"public {LEVELS[level]} {key.bits} {key.n:x} {key.e:x} {m:x}")

    def keygen(self, level: str, bits: int, seed: int, how: str) -> Answer:
        """`value`: p above q; `load`: how many powers it took."""
        return self.operation(f"keygen {LEVELS[level]} {bits} {seed} {KEYGEN[how]}")

    def toy(self, hardware: bool, count: int, seed: int) -> Answer:
        return self.operation(f"toy {int(hardware)} {count} {seed}")

    def twin(self, bits: int, count: int, seed: int, n: int) -> Answer:
        return self.operation(f"twin {bits} {count} {seed} {n:x}")
