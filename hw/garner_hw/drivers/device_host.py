# SPDX-License-Identifier: Apache-2.0
"""The host of the compiled device of hw/sim, which runs a hundred times as fast as a simulation by cocotb."""

import random
from collections.abc import Iterable
from pathlib import Path

from garner_hw.device import Device, build
from garner_hw.drivers.host import REGISTERS, Host, Memory
from garner_hw.sources import sources


class DeviceHost(Host):
    """The host of the cocotb tests, with the C++ device below it: time passes in long steps, up to an interrupt."""

    limit = 5_000_000

    def __init__(self, stall: int, parameters: dict[str, int], submission_log2: int = 4, completion_log2: int = 4,
                 instead: Iterable[Path] = (), library: Path | None = None,
                 soon: bool = False) -> None:
        """`instead`: sources in the place of garner_top's; `library`: one that is built already; `soon`: as `build` has it."""
        self.memory = Memory()
        self.device = Device(library or build(sources("garner_top", instead=instead), parameters, soon=soon), self.memory,
                             random.getrandbits(31) | 1)
        self.device.stall(stall, random.getrandbits(32))
        self.place_rings(submission_log2, completion_log2)
        self.cycles = self.interrupts = 0

    async def write(self, name: str, value: int) -> None:
        self.device.write(REGISTERS[name], value)

    async def read(self, name: str, beyond: int = 0) -> int:
        return self.device.read(REGISTERS[name] + beyond)

    async def wait(self) -> int:
        cycles = self.device.run(20_000)
        self.cycles += cycles
        if self.device.interrupts() & 1:
            self.interrupts += 1
            await self.write("INTERRUPT_STATUS", REGISTERS["INTERRUPT_STATUS_COMPLETION"])
        return cycles
