# SPDX-License-Identifier: Apache-2.0
"""The other end of a serial line in a cocotb test: 8 data bits, no parity, one stop bit."""

from cocotb.handle import LogicObject
from cocotb.triggers import FallingEdge, Timer, with_timeout


class Line:
    """`to`: the design's receiving pin; `of`: its sending one; `bit`: how long a bit takes, in ns."""

    def __init__(self, to: LogicObject | None, of: LogicObject | None, bit: float) -> None:
        self.to, self.of, self.bit = to, of, bit
        if to is not None:
            to.value = 1

    async def send(self, data: bytes) -> None:
        assert self.to is not None
        for byte in data:
            for bit in (0, *(byte >> i & 1 for i in range(8)), 1):
                self.to.value = bit
                await Timer(self.bit, "ns", round_mode="round")

    async def receive(self, limit: int) -> int:
        """The next byte; it may begin within `limit` ns."""
        assert self.of is not None
        await with_timeout(FallingEdge(self.of), limit, "ns")
        await Timer(self.bit / 2, "ns", round_mode="round")
        byte = 0
        for i in range(8):
            await Timer(self.bit, "ns", round_mode="round")
            byte |= int(self.of.value) << i
        await Timer(self.bit, "ns", round_mode="round")
        assert int(self.of.value) == 1, "no stop bit"
        return byte

    async def line(self, limit: int) -> str:
        """What comes up to the next end of a line, each byte within `limit` ns of the last."""
        said = b""
        while not said.endswith(b"\n"):
            said += bytes([await self.receive(limit)])
        return said.decode()
