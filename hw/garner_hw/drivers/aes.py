# SPDX-License-Identifier: Apache-2.0
"""The host's side of aes_engine in simulation: garner_top's host, with fragments for descriptors and without streams."""

import cocotb
from cocotb.clock import Clock
from cocotb.handle import HierarchyObject
from cocotbext.axi import AxiBus, AxiLiteBus, AxiLiteMaster, AxiSlave
from cocotbext.axi.stream import StreamPause

from garner_hw.drivers.host import INTERFACE, Host, Memory

DESCRIPTOR = INTERFACE.aes.descriptor
OK, BAD_SLOT, EMPTY_SLOT, BAD_LENGTH, BUS_FAULT, BAD_DESCRIPTOR, BROKEN_CHAIN = INTERFACE.aes.statuses.of(
    "Ok", "BadSlot", "EmptySlot", "BadLength", "BusFault", "BadDescriptor", "BrokenChain")


class EngineHost(Host):
    def __init__(self, dut: HierarchyObject, submission_log2: int = 4, completion_log2: int = 4) -> None:
        self.dut = dut
        cocotb.start_soon(Clock(dut.clk_i, 10, "ns").start())
        dut.rst_ni.value = 0
        self.memory = Memory()
        reset = dict(reset=dut.rst_ni, reset_active_level=False)
        self.registers = AxiLiteMaster(AxiLiteBus.from_prefix(dut, "s_axil"), dut.clk_i, **reset)
        self.axi = AxiSlave(AxiBus.from_prefix(dut, "m_axi"), dut.clk_i, target=self.memory, **reset)
        for part in (self.registers.write_if, self.registers.read_if, self.axi.write_if, self.axi.read_if):
            part.log.setLevel("ERROR")
        self.place_rings(submission_log2, completion_log2)

    def channels(self) -> list[StreamPause]:
        return [self.axi.read_if.ar_channel, self.axi.read_if.r_channel, self.axi.write_if.aw_channel,
                self.axi.write_if.w_channel, self.axi.write_if.b_channel]

    def key(self, key: bytes, slot: int, message: int = 0, tag: int = 0) -> bytes:
        """The descriptor that loads a key, which is put at a byte address of its own; behind one of 192 bits is anything."""
        text = key if len(key) == 16 else key.ljust(32, b"\xA5")
        address = self.memory.allocate(len(text), 1, 1)
        self.memory.put(address, text)
        return DESCRIPTOR.pack(load_key=1, slot=slot, message=message, length=len(text), source_address=address, tag=tag)

    def fragment(self, source: int, destination: int, length: int, iv: bytes | None = None, last: bool = False,
                 slot: int = 0, message: int = 0, tag: int = 0, mark: bool = False) -> bytes:
        """A descriptor. With an IV it is the first of its message."""
        low, high = (int.from_bytes(part, "little") for part in ((iv or b"")[:8], (iv or b"")[8:]))
        return DESCRIPTOR.pack(first=int(iv is not None), last=int(last), slot=slot, message=message, tag=tag,
                               length=length, source_address=source, destination_address=destination, iv_low=low,
                               iv_high=high, raise_interrupt=int(mark))
