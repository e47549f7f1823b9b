# SPDX-License-Identifier: Apache-2.0
"""A tool chain that measures nothing, counts what it is asked, and fails as it is told: by step and design."""

import errno
import os
import time
from dataclasses import dataclass, field
from pathlib import Path

from garner_hw import ToolError
from garner_hw.explore.designs import design_of
from garner_hw.explore.point import Point
from garner_hw.explore.roofline import bound
from garner_hw.explore.tools import run


@dataclass
class FakeTools:
    """`faults`: (step, design) to what happens: "fails", "full" (the disk), "dies" (the worker), "bug", "lasts" (a
    program that writes its pid beside the log), "hangs" (a program, for as long as `patience` allows), "edit" (of the
    sources meanwhile)."""

    log: Path                      # a line for each step that is done
    faults: dict[tuple[str, str], str] = field(default_factory=dict)
    seconds: float = 0.0
    version: str = "1"
    rtl: Path | None = None        # its text is the sources; without, `content` is
    content: str = "rtl"
    patience: float = 1.0          # seconds

    def versions(self) -> dict[str, str]:
        return {"fake": self.version}

    def sources(self, point: Point) -> str:
        return self.rtl.read_text() if self.rtl else self.content

    def step(self, name: str, point: Point, figures: dict) -> dict:
        with self.log.open("a") as log:
            log.write(f"{name} {point}\n")
        with self.log.with_name("workers").open("a") as workers:
            workers.write(f"{os.getpid()} {point}\n")
        time.sleep(self.seconds)
        fault = self.faults.get((name.split("-")[0], point.design))
        if fault == "fails":
            raise ToolError(f"{name} failed")
        if fault == "full":
            raise OSError(errno.ENOSPC, "No space left on device", "somewhere")
        if fault == "dies":
            os._exit(1)
        if fault == "lasts":
            run(["sh", "-c", "echo $$ > pid.new; mv pid.new pid; exec sleep 600"], name, self.log)
        if fault == "hangs":
            run(["sleep", "600"], name, self.log.with_name("hanging.log"), self.patience)
        if fault == "edit":
            assert self.rtl
            self.rtl.write_text("edited")
        if fault == "bug":
            raise KeyError("surprise")
        return figures

    def simulate(self, point: Point, folder: Path) -> dict:
        cycles = round(1.1 * bound(point).cycles)
        words = round(2 * point.words() ** 2 * design_of(point).words_per_product(point))
        return self.step("simulation", point, {"cycles": cycles, "words_moved": words, "processor_products": point.words(),
                                               "checked": 7})

    def synthesise(self, point: Point, dsp: bool, folder: Path) -> dict:
        k = design_of(point).multipliers(point)
        return self.step("synthesis", point, {"lut": round(100 + (0 if dsp else point.word ** 2 * k)), "ff": 100,
                                              "dsp": round(k) if dsp else 0, "memory": 0})

    def place(self, point: Point, seed: int, folder: Path) -> dict:
        return self.step(f"placement-{seed}", point, {"mhz": 100.0 + seed, "lut": 150, "ff": 100, "dsp": 0, "memory": 0})

    def energy(self, point: Point, cycles: int, folder: Path) -> dict:
        return self.step("energy", point, {"energy_nj": cycles / 1000})
