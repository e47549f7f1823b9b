# SPDX-License-Identifier: Apache-2.0
"""aes_cbc_decrypt: published vectors, random messages against libcrypto, cycles, back-pressure, changes of slot and key,
refusals, erasure."""

import os
import random

import cocotb
import pytest
from cocotb.clock import Clock
from cocotb.triggers import ReadOnly, RisingEdge

from garner_hw.simulate import simulate
from garner_hw.sources import cells, sources
from tb.aes.reference import decrypted
from tb.aes.test_encrypt import CIPHER, IV, KEY, KEY_BITS, ROUNDS, TEXT, number

SLOTS = 3
LOAD_CYCLES = 4 * ROUNDS + 7


def run(stages, table, instead=(), variant="", module=__name__, family="generic", key_bits=128):
    simulate("aes_cbc_decrypt", sources("aes_cbc_decrypt", family, instead) + cells(family), module,
             {"KeyBits": key_bits, "Stages": stages, "KeySlots": SLOTS, "Table": table},
             {"STAGES": str(stages), "KEY_BITS": str(key_bits)}, variant=variant,
             inside=("aes_inverse_round", "aes_inverse_schedule", "aes_long_schedule"), soon=True)


@pytest.mark.parametrize("stages, table, key_bits", [
    (10, 1, 128), *(pytest.param(*other, marks=pytest.mark.soak)
                    for other in ((5, 1, 128), (2, 0, 128), (1, 0, 128), (4, 1, 192), (1, 1, 192), (14, 1, 256), (2, 1, 256)))])
def test_decrypt(stages, table, key_bits):
    run(stages, table, key_bits=key_bits)


@pytest.mark.soak
def test_decrypt_of_cells():
    """The twins that are made of an ECP5's cells."""
    run(1, 1, variant="ecp5", family="ecp5")


class Engine:
    """Drives aes_cbc_decrypt. `step` is one cycle; blocks are offered and taken as `share` and `pause` say."""

    def __init__(self, dut):
        self.dut, self.passes = dut, ROUNDS // int(os.environ["STAGES"])
        self.waiting, self.answers = [], []  # (first, slot, iv, block); (cycle, refused, block)
        self.cycle, self.share, self.pause, self.full = 0, 1.0, 0.0, 0

    async def start(self):
        dut = self.dut
        for name in ("zeroise_i", "empty_i", "key_valid_i", "in_valid_i", "out_ready_i", "in_first_i", "in_slot_i", "in_iv_i",
                     "in_data_i", "key_slot_i", "key_i"):
            getattr(dut, name).value = 0
        dut.rst_ni.value = 0
        cocotb.start_soon(Clock(dut.clk_i, 10, "ns").start())
        for _ in range(3):
            await RisingEdge(dut.clk_i)
        dut.rst_ni.value = 1
        return self

    async def step(self):
        """One cycle. Returns whether a key could be loaded in it."""
        dut = self.dut
        offered = bool(self.waiting) and random.random() < self.share
        ready = random.random() >= self.pause
        if offered:
            first, slot, iv, block = self.waiting[0]
            dut.in_first_i.value, dut.in_slot_i.value = int(first), slot
            dut.in_iv_i.value, dut.in_data_i.value = number(iv), number(block)
        dut.in_valid_i.value, dut.out_ready_i.value = int(offered), int(ready)
        await ReadOnly()
        if offered and int(dut.in_ready_o.value):
            self.waiting.pop(0)
        if ready and int(dut.out_valid_o.value):
            block = int(dut.out_data_o.value).to_bytes(16, "little")
            self.answers.append((self.cycle, int(dut.out_refused_o.value), block))
        key_ready, self.full = int(dut.key_ready_o.value), int(dut.slot_full_o.value)
        await RisingEdge(dut.clk_i)
        self.cycle += 1
        return key_ready

    async def load(self, slot, key):
        """Hands over a key and waits until its slot is full: the cycles of it."""
        dut = self.dut
        dut.key_valid_i.value, dut.key_slot_i.value, dut.key_i.value = 1, slot, number(key)
        for _ in range(500):
            if await self.step():
                break
        dut.key_valid_i.value = dut.key_i.value = 0
        for cycles in range(1, 100):
            await self.step()
            if self.full >> slot & 1:
                assert cycles > 1
                return cycles
        raise AssertionError("the slot is never full")

    def message(self, slot, iv, text):
        self.waiting += [(place == 0, slot, iv, text[place:place + 16]) for place in range(0, len(text), 16)]

    async def drain(self, count):
        for _ in range(1000 + 100 * count):
            if len(self.answers) >= count:
                break
            await self.step()
        for _ in range(40):  # none comes that was not asked for
            await self.step()
        assert len(self.answers) == count

    def text(self):
        return b"".join(block for _, _, block in self.answers)


@cocotb.test(timeout_time=1, timeout_unit="ms")
async def published_vectors_come_out(dut):
    engine = await Engine(dut).start()
    assert await engine.load(2, KEY) == LOAD_CYCLES
    engine.message(2, IV, CIPHER)
    await engine.drain(4)
    assert engine.text() == TEXT
    if KEY_BITS == 128:
        engine.message(2, bytes(16), bytes.fromhex("3925841d02dc09fbdc118597196a0b32"))  # FIPS 197, appendix B
        await engine.drain(5)
        assert engine.text() == TEXT + bytes.fromhex("3243f6a8885a308d313198a2e0370734")


@cocotb.test(timeout_time=10, timeout_unit="ms")
async def random_messages_of_all_slots_are_those_of_libcrypto_under_back_pressure(dut):
    engine = await Engine(dut).start()
    keys = [random.randbytes(len(KEY)) for _ in range(SLOTS)]
    for slot, key in enumerate(keys):
        await engine.load(slot, key)
    for engine.share, engine.pause in ((1, 0), (0.1, 0), (1, 0.9), (0.5, 0.5)):
        engine.answers, expected = [], b""
        for _ in range(30):
            slot, iv, cipher = random.randrange(SLOTS), random.randbytes(16), random.randbytes(16 * random.randint(1, 6))
            engine.message(slot, iv, cipher)
            expected += decrypted(keys[slot], iv, cipher)
        await engine.drain(len(expected) // 16)
        assert engine.text() == expected
        assert not any(refused for _, refused, _ in engine.answers)


@cocotb.test(timeout_time=1, timeout_unit="ms")
async def a_reader_that_stands_still_loses_nothing(dut):
    engine = await Engine(dut).start()
    await engine.load(0, KEY)
    cipher = random.randbytes(16 * 70)
    engine.message(0, IV, cipher)
    engine.pause = 1.0
    for _ in range(600):
        await engine.step()
    assert engine.waiting and not engine.answers
    engine.pause = 0.0
    await engine.drain(70)
    assert engine.text() == decrypted(KEY, IV, cipher)


@cocotb.test(timeout_time=1, timeout_unit="ms")
async def a_block_takes_as_many_cycles_as_there_are_passes(dut):
    engine = await Engine(dut).start()
    await engine.load(0, KEY)
    await engine.load(1, KEY)
    for message in range(20):  # a change of slot costs nothing
        engine.message(message % 2, IV, bytes(16 * 5))
    begin = engine.cycle
    await engine.drain(100)
    assert engine.answers[0][0] - begin == 3 * ROUNDS + 3
    inside = 3 * ROUNDS // engine.passes  # so many enter one behind another, and again when they have made all their passes
    assert engine.answers[-1][0] - engine.answers[0][0] == 99 // inside * 3 * ROUNDS + 99 % inside


@cocotb.test(timeout_time=1, timeout_unit="ms")
async def blocks_inside_keep_their_key_when_another_is_loaded_in_their_slot(dut):
    engine = await Engine(dut).start()
    await engine.load(0, KEY)
    await engine.load(1, KEY[::-1])
    cipher = random.randbytes(16 * 60)
    engine.message(0, IV, cipher)
    for _ in range(12 * engine.passes):
        await engine.step()
    engine.dut.key_valid_i.value, engine.dut.key_slot_i.value, engine.dut.key_i.value = 1, 0, number(KEY[::-1])
    assert await engine.step()
    engine.dut.key_valid_i.value = 0
    engine.message(1, IV, cipher)
    await engine.drain(120)
    refused = [refused for _, refused, _ in engine.answers[:60]]
    good = refused.index(1)
    assert good >= 10 and refused == [0] * good + [1] * (60 - good)
    assert engine.text()[:16 * good] == decrypted(KEY, IV, cipher)[:16 * good]
    assert engine.text()[16 * good:16 * 60] == bytes(16 * (60 - good))
    assert engine.text()[16 * 60:] == decrypted(KEY[::-1], IV, cipher)


@cocotb.test(timeout_time=1, timeout_unit="ms")
async def a_message_without_a_key_is_refused_to_its_end_and_the_next_is_not(dut):
    engine = await Engine(dut).start()
    await engine.load(0, KEY)
    engine.message(1, IV, CIPHER[:32])
    engine.waiting.append((False, 0, IV, CIPHER[:16]))  # goes on with a slot that is full
    engine.message(3, IV, CIPHER[:16])                  # there is no such slot
    engine.message(0, IV, CIPHER)
    await engine.drain(8)
    assert [(refused, block) for _, refused, block in engine.answers[:4]] == [(1, bytes(16))] * 4
    assert engine.text()[64:] == TEXT


@cocotb.test(timeout_time=1, timeout_unit="ms")
async def a_slot_that_is_emptied_refuses_blocks_until_a_key_is_loaded(dut):
    engine = await Engine(dut).start()
    await engine.load(0, KEY)
    await engine.load(1, KEY)
    dut.empty_i.value = 1
    await engine.step()
    dut.empty_i.value = 0
    engine.message(0, IV, CIPHER[:16])
    engine.message(1, IV, CIPHER)
    await engine.drain(5)
    assert engine.answers[0][1:] == (1, bytes(16))
    await engine.load(0, KEY)
    engine.message(0, IV, CIPHER)
    await engine.drain(9)
    assert engine.text()[16:] == 2 * TEXT


async def full_of_blocks(dut) -> "Engine":
    """All slots have keys, and nobody takes the answers."""
    engine = await Engine(dut).start()
    for slot in range(SLOTS):
        await engine.load(slot, random.randbytes(len(KEY)))
    engine.message(0, IV, random.randbytes(16 * 40))
    engine.pause = 1.0
    for _ in range(40 * engine.passes):
        await engine.step()
    return engine


async def zeroise(engine: "Engine") -> None:
    """Has all erased, and ends in the cycle in which it is, when signals can be read."""
    engine.waiting = []
    engine.dut.zeroise_i.value = 1
    await engine.step()
    engine.dut.zeroise_i.value = 0
    for _ in range(500):
        await ReadOnly()
        if int(engine.dut.key_ready_o.value):
            return
        await RisingEdge(engine.dut.clk_i)
    raise AssertionError("it does not end")


@cocotb.test(timeout_time=1, timeout_unit="ms")
async def zeroise_overwrites_keys_state_and_answers(dut):
    engine = await full_of_blocks(dut)
    stages = [dut[f"gen_stage[{stage}]"].u_round for stage in range(ROUNDS // engine.passes)]

    if KEY_BITS == 128:
        schedule = dut.u_schedule.gen_128.key_q, dut.u_schedule.gen_128.base_q
    else:
        schedule = dut.u_schedule.gen_long.key_q, dut.u_schedule.gen_long.u_schedule.earlier_o

    def secrets():
        held = [dut.first_keys_q, dut.answers_q, dut.chain_q, *(stage.keys_q for stage in stages)]
        held = [word for memory in held for word in memory]
        return held + [dut.out_data_o, dut.cipher_q, dut.last_q, dut.before_q, dut.state_q, dut.u_schedule.key_o, *schedule,
                       *(signal for stage in stages for signal in (stage.key_q, stage.boxed_q, stage.shifted_q))]

    assert sum(int(signal.value) != 0 for signal in secrets()) > 20
    await zeroise(engine)
    assert all(int(signal.value) == 0 for signal in secrets())


@cocotb.test(timeout_time=1, timeout_unit="ms")
async def zeroise_drops_blocks_and_answers_and_takes_none_until_it_is_done(dut):
    engine = await full_of_blocks(dut)
    engine.waiting = []
    dut.zeroise_i.value = 1
    await engine.step()
    dut.zeroise_i.value = 0
    await ReadOnly()
    assert not int(dut.slot_full_o.value) and not int(dut.key_ready_o.value) and not int(dut.out_valid_o.value)
    for _ in range(500):
        await RisingEdge(dut.clk_i)
        await ReadOnly()
        if int(dut.key_ready_o.value):
            break
        assert not int(dut.in_ready_o.value) and not int(dut.out_valid_o.value)
    assert int(dut.key_ready_o.value)


@cocotb.test(timeout_time=1, timeout_unit="ms")
async def after_zeroise_no_slot_has_a_key_until_one_is_loaded(dut):
    engine = await full_of_blocks(dut)
    await zeroise(engine)
    await RisingEdge(dut.clk_i)
    engine.pause = 0.0
    engine.answers = []
    engine.message(0, IV, CIPHER[:16])
    await engine.drain(1)
    assert engine.answers[0][1:] == (1, bytes(16))
    await engine.load(0, KEY)
    engine.answers = []
    engine.message(0, IV, CIPHER)
    await engine.drain(4)
    assert engine.text() == TEXT
