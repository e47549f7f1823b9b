# SPDX-License-Identifier: Apache-2.0
"""The host's side of garner_top in simulation: memory behind the AXI4 master, registers, rings, streams.

What a driver does, as docs/integration.md describes it, and nothing else: no look into the design.
"""

import os
import struct
from collections.abc import Sequence
from dataclasses import dataclass

import cocotb
from cocotb.clock import Clock
from cocotb.handle import HierarchyObject
from cocotb.task import Task
from cocotb.triggers import ClockCycles, First, RisingEdge
from cocotbext.axi import AxiBus, AxiLiteBus, AxiLiteMaster, AxiSlave, AxiStreamBus, AxiStreamSink, AxiStreamSource
from cocotbext.axi.axis import AxiStreamPause
from cocotbext.axi.stream import StreamPause

from garner_hw.drivers.handshake import pauses
from garner_hw.interface import load

INTERFACE = load()
REGISTERS = INTERFACE.register_constants()
EVERY_INTERRUPT, EVERY_ERROR = (sum(mask for name, mask in REGISTERS.items() if name.startswith(register))
                                for register in ("INTERRUPT_STATUS_", "ERROR_"))
DESCRIPTOR, COMPLETION = INTERFACE.rsa.descriptor, INTERFACE.ring.completion
LOAD_MODULUS, LOAD_KEY, MULTIPLY, EXPONENTIATE, PRIVATE, ZEROISE = INTERFACE.rsa.operations.of(
    "LoadModulus", "LoadKey", "Multiply", "Exponentiate", "Private", "Zeroise")
(OK, BAD_OP, BAD_SLOT, EMPTY_SLOT, BAD_LENGTH, BAD_MODULUS, BAD_OPERAND, CHECK_FAILED, BUS_FAULT,
 BAD_DESCRIPTOR) = INTERFACE.rsa.statuses.of(
    "Ok", "BadOp", "BadSlot", "EmptySlot", "BadLength", "BadModulus", "BadOperand", "CheckFailed", "BusFault",
    "BadDescriptor")
MEMORY_BASE = 0x1234_5678_0000_0000  # above 4 GiB, so that the upper half of addresses is tried as well


class Memory:
    """Host memory; outside of it, and where `faults` says so, the bus answers with an error."""

    def __init__(self, size: int = 1 << 22) -> None:
        self.data = bytearray(size)
        self.read_faults: list[range] = []
        self.write_faults: list[range] = []
        self.used = 0

    def allocate(self, size: int, align: int = 64, offset: int = 0) -> int:
        """The address of fresh memory, `offset` beyond a multiple of `align`."""
        start = -(-self.used // align) * align + offset
        self.used = start + size
        assert self.used <= len(self.data), "memory of the test is used up"
        return MEMORY_BASE + start

    def free_all(self, keep: int) -> None:
        self.used = keep

    def place(self, address: int, length: int, faults: list[range]) -> int:
        start = address - MEMORY_BASE
        if not 0 <= start <= len(self.data) - length:
            raise ValueError(f"no memory at {address:#x}")
        if any(fault.start < address + length and address < fault.stop for fault in faults):
            raise ValueError(f"faulty memory at {address:#x}")
        return start

    def bus_read(self, address: int, length: int) -> bytes:
        """What the bus reads there; ValueError is its error."""
        start = self.place(address, length, self.read_faults)
        return bytes(self.data[start:start + length])

    def bus_write(self, address: int, data: bytes) -> None:
        start = self.place(address, len(data), self.write_faults)
        self.data[start:start + len(data)] = data

    async def read(self, address: int, length: int) -> bytes:
        return self.bus_read(address, length)

    async def write(self, address: int, data: bytes) -> None:
        self.bus_write(address, data)

    def get(self, address: int, length: int) -> bytes:
        return bytes(self.data[address - MEMORY_BASE:address - MEMORY_BASE + length])

    def put(self, address: int, data: bytes) -> None:
        self.data[address - MEMORY_BASE:address - MEMORY_BASE + len(data)] = data

    def words(self, address: int, count: int) -> list[int]:
        return list(struct.unpack(f"<{count}I", self.get(address, 4 * count)))

    def put_words(self, address: int, words: list[int]) -> None:
        self.put(address, struct.pack(f"<{len(words)}I", *words))


@dataclass
class Completion:
    tag: int
    status: int
    cycles: int
    index: int
    head: int


def header(op: int, tag: int = 0, slot: int = 0, bits: int = 0, exponent_bits: int = 0, scheme: int = 0) -> list[int]:
    """The words that begin a descriptor and a packet."""
    words = DESCRIPTOR.pack_words(op=op, tag=tag, slot=slot, bits=bits, exponent_bits=exponent_bits, scheme=scheme)
    return words[:INTERFACE.ring["header_words"]]


def answer(packet: list[int]) -> tuple[int, int, int, list[int]]:
    """Of a packet's answer: status, tag, cycles, the result."""
    words = INTERFACE.ring["header_words"]
    fields = COMPLETION.unpack(struct.pack(f"<{words}I", *packet[:words]))
    return fields["status"], fields["tag"], fields["cycles"], packet[words:]


class Host:
    stalling: Task | None = None  # what pauses the handshakes

    def __init__(self, dut: HierarchyObject, submission_log2: int = 4, completion_log2: int = 4) -> None:
        self.dut = dut
        cocotb.start_soon(Clock(dut.clk_i, 10, "ns").start())
        dut.rst_ni.value = 0
        self.memory = Memory()
        reset = dict(reset=dut.rst_ni, reset_active_level=False)
        self.registers = AxiLiteMaster(AxiLiteBus.from_prefix(dut, "s_axil"), dut.clk_i, **reset)
        self.axi = AxiSlave(AxiBus.from_prefix(dut, "m_axi"), dut.clk_i, target=self.memory, **reset)
        self.stream_in = AxiStreamSource(AxiStreamBus.from_prefix(dut, "s_axis"), dut.clk_i, **reset)
        self.stream_out = AxiStreamSink(AxiStreamBus.from_prefix(dut, "m_axis"), dut.clk_i, **reset)
        for part in (self.registers.write_if, self.registers.read_if, self.axi.write_if, self.axi.read_if,
                     self.stream_in, self.stream_out):
            part.log.setLevel("ERROR")
        self.place_rings(submission_log2, completion_log2)

    def place_rings(self, submission_log2: int, completion_log2: int) -> None:
        self.log2 = (submission_log2, completion_log2)
        self.submission = self.memory.allocate(DESCRIPTOR.bytes << submission_log2, 4096)
        self.completion = self.memory.allocate(COMPLETION.bytes << completion_log2, 4096)
        self.ring_memory = self.memory.used
        self.tail = self.head = self.completed = 0

    def channels(self) -> list[StreamPause | AxiStreamPause]:
        return [self.axi.read_if.ar_channel, self.axi.read_if.r_channel, self.axi.write_if.aw_channel,
                self.axi.write_if.w_channel, self.axi.write_if.b_channel, self.registers.write_if.aw_channel,
                self.registers.write_if.w_channel, self.registers.write_if.b_channel,
                self.registers.read_if.ar_channel, self.registers.read_if.r_channel, self.stream_in, self.stream_out]

    def stall(self, share: float) -> None:
        """Every handshake pauses at random, on average `share` of the cycles, in runs."""
        if self.stalling:
            self.stalling.cancel()
        self.stalling = cocotb.start_soon(self.pause_at_random(share)) if share else None
        for channel in self.channels():
            channel.pause = False

    async def pause_at_random(self, share: float) -> None:
        """One task for all channels: a task for each, as they offer, is half of the time of a simulation."""
        channels = [(channel, pauses(share)) for channel in self.channels()]
        while True:
            for channel, pause in channels:
                channel.pause = next(pause)
            await RisingEdge(self.dut.clk_i)

    async def reset(self) -> None:
        self.dut.rst_ni.value = 0
        await ClockCycles(self.dut.clk_i, 5)
        self.dut.rst_ni.value = 1
        await ClockCycles(self.dut.clk_i, 2)

    async def write(self, name: str, value: int) -> None:
        await self.registers.write_dword(REGISTERS[name], value)

    async def read(self, name: str, beyond: int = 0) -> int:
        return await self.registers.read_dword(REGISTERS[name] + beyond)

    async def counter(self, name: str) -> int:
        low = await self.read(name)
        return low | await self.read(name, 4) << 32

    async def field(self, name: str) -> int:
        """The value of a field: its register's name and its own, as in the Rust constants."""
        register = max((key for key in REGISTERS if name.startswith(key) and name != key), key=len)
        mask = REGISTERS[name]
        return (await self.read(register) & mask) // (mask & -mask)

    async def idle(self) -> None:
        """Waits until the hardware holds no job: one is in flight until the write of its completion is answered, which the
        host may read before that."""
        while await self.field("STATUS_IN_FLIGHT"):
            pass

    async def start(self) -> None:
        """Sets up the rings and enables them, from index 0."""
        self.memory.put(self.completion, bytes(COMPLETION.bytes << self.log2[1]))
        self.tail = self.head = self.completed = 0
        for name, value in (("SUBMISSION_BASE_LOW", self.submission & 0xFFFF_FFFF),
                            ("SUBMISSION_BASE_HIGH", self.submission >> 32), ("SUBMISSION_SIZE", self.log2[0]),
                            ("SUBMISSION_TAIL", 0), ("COMPLETION_BASE_LOW", self.completion & 0xFFFF_FFFF),
                            ("COMPLETION_BASE_HIGH", self.completion >> 32), ("COMPLETION_SIZE", self.log2[1]),
                            ("COMPLETION_HEAD", 0), ("CONTROL", REGISTERS["CONTROL_ENABLE"])):
            await self.write(name, value)

    async def stop(self) -> None:
        await self.write("CONTROL", 0)
        while not await self.field("STATUS_IDLE"):
            pass

    def descriptor(self, op: int, operands: Sequence[int] = (), result_words: int = 0, tag: int = 0, slot: int = 0,
                   bits: int = 0, exponent_bits: int = 0, scheme: int = 0, mark: bool = False,
                   operand_address: int | None = None, result_address: int | None = None, operand_bytes: int | None = None,
                   result_bytes: int | None = None) -> bytes:
        """64 bytes; operands are put into fresh memory unless an address is given."""
        if operand_address is None:
            operand_address = self.memory.allocate(4 * len(operands), 8) if operands else 0
            self.memory.put_words(operand_address, list(operands)) if operands else None
        if result_address is None:
            result_address = self.memory.allocate(4 * result_words, 8) if result_words else 0
        return DESCRIPTOR.pack(op=op, scheme=scheme, slot=slot, tag=tag, bits=bits, exponent_bits=exponent_bits,
                               operand_bytes=4 * len(operands) if operand_bytes is None else operand_bytes,
                               result_bytes=4 * result_words if result_bytes is None else result_bytes,
                               operand_address=operand_address, result_address=result_address,
                               raise_interrupt=int(mark))

    def result(self, descriptor: bytes) -> list[int]:
        fields = DESCRIPTOR.unpack(descriptor)
        return self.memory.words(fields["result_address"], fields["result_bytes"] // 4)

    def space(self) -> int:
        """Descriptors that fit into the ring now, as far as completions have told."""
        return (1 << self.log2[0]) - (self.tail - self.head) % 65536

    def put(self, descriptor: bytes) -> int:
        """Into the ring, without ringing the bell; its index."""
        assert self.space() > 0
        index = self.tail
        self.memory.put(self.submission + DESCRIPTOR.bytes * (index % (1 << self.log2[0])), descriptor)
        self.tail = (self.tail + 1) % 65536
        return index

    async def ring(self) -> None:
        await self.write("SUBMISSION_TAIL", self.tail)

    def poll(self) -> list[Completion]:
        """Completions that are there, taken out of the ring; COMPLETION_HEAD is not yet written."""
        found: list[Completion] = []
        size = 1 << self.log2[1]
        while True:
            record = self.memory.get(self.completion + COMPLETION.bytes * (self.completed % size), COMPLETION.bytes)
            fields = COMPLETION.unpack(record)
            if fields.pop("phase") != (self.completed & size == 0):
                return found
            assert COMPLETION.reserved(record) == 0, "reserved bits of a completion are 0"
            found.append(Completion(**fields))
            self.head = found[-1].head
            self.completed = (self.completed + 1) % 65536

    limit = int(os.environ.get("HOST_LIMIT", "150000"))  # cycles of `run` in which nothing is completed, of `receive`

    async def run(self, descriptors: Sequence[bytes], limit: int | None = None) -> dict[int, Completion]:
        """Runs any number of descriptors through the rings; their completions by their place in the list."""
        done: dict[int, Completion]
        waiting, places, done, cycles = list(enumerate(descriptors)), {}, {}, 0
        limit = limit or self.limit
        while len(done) < len(descriptors):
            if waiting and self.space():
                while waiting and self.space():
                    place, descriptor = waiting.pop(0)
                    places[self.put(descriptor)] = place
                await self.ring()
            found = self.poll()
            for completion in found:
                place = places.pop(completion.index)
                done[place] = completion
            if found:
                await self.write("COMPLETION_HEAD", self.completed)
                cycles = 0
            else:
                cycles += await self.wait()
                assert cycles < limit, f"{len(descriptors) - len(done)} descriptors were not completed"
        return done

    async def wait(self) -> int:
        """Lets some time pass; the cycles."""
        await ClockCycles(self.dut.clk_i, 20)
        return 20

    async def one(self, descriptor: bytes) -> Completion:
        return (await self.run([descriptor]))[0]

    async def interrupt(self, line: int, cycles: int) -> bool:
        """Whether the line comes up within so many cycles."""
        for _ in range(cycles):
            if int(self.dut.irq_o.value) >> line & 1:
                return True
            await RisingEdge(self.dut.clk_i)
        return False

    async def send(self, words: list[int]) -> None:
        await self.stream_in.send(struct.pack(f"<{len(words)}I", *words))

    async def receive(self) -> list[int]:
        """A packet of the stream, as words."""
        task = cocotb.start_soon(self.stream_out.recv())
        await First(task.complete, ClockCycles(self.dut.clk_i, self.limit))
        assert task.done(), "no packet came"
        data = bytes(task.result().tdata)
        return list(struct.unpack(f"<{len(data) // 4}I", data))
