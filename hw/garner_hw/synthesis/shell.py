# SPDX-License-Identifier: Apache-2.0
"""LUT, flip-flops and block RAM of the shell alone (registers, DMA, streams; no dispatcher, no core) on an ECP5.

Its clock, with the dispatcher: `garner-hw measure full --only shell`.
"""

from garner_hw.sources import sources
from garner_hw.synthesis.synthesise import ecp5, synthesise


def write() -> None:
    """Prints a line for each width of the bus."""
    for name, parameters in (("64-bit master, streams", {"BusWidth": 64, "StreamPort": 1}),
                             ("64-bit master", {"BusWidth": 64, "StreamPort": 0}),
                             ("32-bit master", {"BusWidth": 32, "StreamPort": 0})):
        _, cells = synthesise("shell", sources("shell", "ecp5"), parameters, "ecp5")
        counts = ecp5(cells)
        print(f"{name:24} {counts['LUT']:6} LUT  {counts['FF']:6} FF  {counts['EBR']:3} EBR", flush=True)
