# SPDX-License-Identifier: Apache-2.0
"""What may be chosen of the system for a ULX3S board; bitstream.py builds it."""

import argparse
from dataclasses import dataclass

from garner_hw.soc.arguments import whole

# MHz: what the PLL divides the board's 25 MHz by, and multiplies them with. Its phase detector wants 10 MHz or more.
CLOCKS = {25.0: (1, 1), 37.5: (2, 3), 50.0: (1, 2), 62.5: (2, 5), 75.0: (1, 3)}


@dataclass(frozen=True)
class Build:
    """What is built: memory in KiB, rows of core and multiplier (two multipliers each), the clock in MHz."""

    memory: int = 256
    rows: int = 8
    clock: float = 50.0
    baud: int = 115200
    mbedtls: str = "2.28"

    def parameters(self) -> dict[str, int]:
        divide, multiply = CLOCKS[self.clock]
        return {"Words": self.memory * 256, "Rows": self.rows, "Input": divide, "Feedback": multiply, "Baud": self.baud}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    given = Build()
    parser.add_argument("--memory", type=int, choices=(128, 256), default=given.memory,
                        help=f"KiB of block RAM; with 128 the firmware is without mbedTLS (default: {given.memory})")
    parser.add_argument("--rows", type=whole(1, 255), default=given.rows, metavar="N",
                        help=f"of core and multiplier (default: {given.rows})")
    parser.add_argument("--clock", type=float, choices=CLOCKS, default=given.clock, help=f"MHz (default: {given.clock:g})")
    parser.add_argument("--baud", type=whole(1), default=given.baud, metavar="N", help=f"of the console (default: {given.baud})")
    parser.add_argument("--seed", type=whole(0), default=1, metavar="N", help="of nextpnr (default: 1)")
