# SPDX-License-Identifier: Apache-2.0
"""aes_cbc_encrypt: published vectors, messages interleaved over its lanes against libcrypto, cycles, refusals,
erasure."""

import os
import random

import cocotb
import pytest
from cocotb.clock import Clock
from cocotb.triggers import ReadOnly, RisingEdge

from garner_hw.simulate import simulate
from garner_hw.sources import cells, sources
from tb.aes.reference import encrypted

KEY_BITS = int(os.environ.get("KEY_BITS", "128"))  # in a simulation: of the cipher
ROUNDS = KEY_BITS // 32 + 6
# NIST SP 800-38A, F.2.1, F.2.3, F.2.5: key and ciphertext
VECTORS = {
    128: ("2b7e151628aed2a6abf7158809cf4f3c",
          "7649abac8119b246cee98e9b12e9197d5086cb9b507219ee95db113a917678b2"
          "73bed6b8e3c1743b7116e69e222295163ff1caa1681fac09120eca307586e1a7"),
    192: ("8e73b0f7da0e6452c810f32b809079e562f8ead2522c6b7b",
          "4f021db243bc633d7178183a9fa071e8b4d9ada9ad7dedf4e5e738763f69145a"
          "571b242012fb7ae07fa9baac3df102e008b0e27988598881d920a9e64f5615cd"),
    256: ("603deb1015ca71be2b73aef0857d77811f352c073b6108d72d9810a30914dff4",
          "f58c4c04d6e5f1ba779eabfb5f7bfbd69cfc4e967edb808d679f777bc6702c7d"
          "39f23369a9d9bacfa530e26304231461b2eb05e2c39be9fcda6c19078c6a9d1b"),
}
KEY, CIPHER = (bytes.fromhex(text) for text in VECTORS[KEY_BITS])
IV = bytes(range(16))
TEXT = bytes.fromhex("6bc1bee22e409f96e93d7e117393172aae2d8a571e03ac9c9eb76fac45af8e51"
                     "30c81c46a35ce411e5fbc1191a0a52eff69f2445df4f9b17ad2b417be66c3710")
SLOTS = 4


def run(units, table, instead=(), variant="", module=__name__, family="generic", key_bits=128):
    simulate("aes_cbc_encrypt", sources("aes_cbc_encrypt", family, instead) + cells(family), module,
             {"KeyBits": key_bits, "Units": units, "KeySlots": SLOTS, "Table": table},
             {"UNITS": str(units), "KEY_BITS": str(key_bits)}, variant=variant,
             inside=("aes_encrypt_lane", "aes_key_pair", "aes_long_schedule"), soon=True)


@pytest.mark.parametrize("units, table, key_bits", [
    (4, 1, 128), *(pytest.param(*other, marks=pytest.mark.soak) for other in ((1, 0, 128), (2, 1, 192), (2, 1, 256)))])
def test_encrypt(units, table, key_bits):
    run(units, table, key_bits=key_bits)


@pytest.mark.soak
def test_encrypt_of_cells():
    """The twins that are made of an ECP5's cells."""
    run(1, 1, variant="ecp5", family="ecp5")


def number(data: bytes) -> int:
    return int.from_bytes(data, "little")


class Engine:
    """Drives aes_cbc_encrypt. `step` is one cycle; blocks are offered and taken as `offer` and `pause` say."""

    def __init__(self, dut):
        self.dut, self.units = dut, int(os.environ["UNITS"])
        self.waiting = [[] for _ in range(self.units)]   # of each lane: (first, slot, iv, block)
        self.answers = [[] for _ in range(self.units)]   # (cycle, refused, block)
        self.cycle, self.share, self.pause = 0, 1.0, 0.0

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
        dut = self.dut
        offered = sum(1 << lane for lane, blocks in enumerate(self.waiting) if blocks and random.random() < self.share)
        ready = sum(1 << lane for lane in range(self.units) if random.random() >= self.pause)
        first = slots = ivs = data = 0
        for lane, blocks in enumerate(self.waiting):
            if offered >> lane & 1:
                begins, slot, iv, block = blocks[0]
                first |= begins << lane
                slots |= slot << 2 * lane
                ivs |= number(iv) << 128 * lane
                data |= number(block) << 128 * lane
            else:  # what is not offered is anything
                data |= random.getrandbits(128) << 128 * lane
        dut.in_valid_i.value, dut.out_ready_i.value, dut.in_first_i.value = offered, ready, first
        dut.in_slot_i.value, dut.in_iv_i.value, dut.in_data_i.value = slots, ivs, data
        await ReadOnly()
        taken = offered & int(dut.in_ready_o.value)
        left = int(dut.out_valid_o.value) & ready
        out, refused = int(dut.out_data_o.value), int(dut.out_refused_o.value)
        await RisingEdge(dut.clk_i)
        self.cycle += 1
        for lane in range(self.units):
            if taken >> lane & 1:
                self.waiting[lane].pop(0)
            if left >> lane & 1:
                block = (out >> 128 * lane & (1 << 128) - 1).to_bytes(16, "little")
                self.answers[lane].append((self.cycle, refused >> lane & 1, block))

    async def load(self, slot, key):
        dut = self.dut
        dut.key_valid_i.value, dut.key_slot_i.value, dut.key_i.value = 1, slot, number(key)
        for _ in range(100):
            await ReadOnly()
            ready = int(dut.key_ready_o.value)
            await self.resume()
            if ready:
                break
        dut.key_valid_i.value = dut.key_i.value = 0
        for _ in range(2):
            await self.resume()

    async def resume(self):
        await RisingEdge(self.dut.clk_i)
        self.cycle += 1

    def message(self, lane, slot, iv, text):
        self.waiting[lane] += [(place == 0, slot, iv, text[place:place + 16]) for place in range(0, len(text), 16)]

    async def drain(self, counts):
        for _ in range(60 + 200 * max(counts)):
            if [len(found) for found in self.answers] == counts:
                return
            await self.step()
        raise AssertionError("blocks are missing")


@cocotb.test(timeout_time=1, timeout_unit="ms")
async def published_vectors_come_out(dut):
    engine = await Engine(dut).start()
    await engine.load(2, KEY)
    engine.message(0, 2, IV, TEXT)
    await engine.drain([4] + [0] * (engine.units - 1))
    assert b"".join(block for _, _, block in engine.answers[0]) == CIPHER
    if KEY_BITS != 128:
        return
    # FIPS 197, appendix B: with an IV of zeros
    engine.message(0, 2, bytes(16), bytes.fromhex("3243f6a8885a308d313198a2e0370734"))
    await engine.drain([5] + [0] * (engine.units - 1))
    assert engine.answers[0][-1][2] == bytes.fromhex("3925841d02dc09fbdc118597196a0b32")


@cocotb.test(timeout_time=10, timeout_unit="ms")
async def interleaved_messages_are_those_of_libcrypto(dut):
    engine = await Engine(dut).start()
    keys = [random.randbytes(len(KEY)) for _ in range(SLOTS)]
    for slot, key in enumerate(keys):
        await engine.load(slot, key)
    for engine.share, engine.pause in ((1, 0), (0.2, 0), (1, 0.95)):
        engine.answers = [[] for _ in range(engine.units)]
        expected = []
        for lane in range(engine.units):
            blocks = b""
            for _ in range(6):
                slot, iv = random.randrange(SLOTS), random.randbytes(16)
                text = random.randbytes(16 * random.randint(1, 6))
                engine.message(lane, slot, iv, text)
                blocks += encrypted(keys[slot], iv, text)
            expected.append(blocks)
        await engine.drain([len(blocks) // 16 for blocks in expected])
        assert [b"".join(block for _, _, block in lane) for lane in engine.answers] == expected
        assert not any(refused for lane in engine.answers for _, refused, _ in lane)


@cocotb.test(timeout_time=1, timeout_unit="ms")
async def every_lane_takes_a_cycle_more_than_rounds_for_a_block(dut):
    engine = await Engine(dut).start()
    await engine.load(0, KEY)
    for lane in range(engine.units):
        engine.message(lane, 0, IV, bytes(16 * 20))
    await engine.drain([20] * engine.units)
    for lane in engine.answers:
        assert {after - before for (before, *_), (after, *_) in zip(lane, lane[1:])} == {ROUNDS + 1}


@cocotb.test(timeout_time=1, timeout_unit="ms")
async def a_key_loaded_beside_a_message_changes_nothing_of_it(dut):
    engine = await Engine(dut).start()
    await engine.load(0, KEY)
    engine.message(0, 0, IV, TEXT)
    for _ in range(15):
        await engine.step()
    other = random.randbytes(len(KEY))
    engine.dut.key_valid_i.value, engine.dut.key_slot_i.value, engine.dut.key_i.value = 1, 1, number(other)
    await engine.step()
    engine.dut.key_valid_i.value = 0
    await engine.drain([4] + [0] * (engine.units - 1))
    assert b"".join(block for _, _, block in engine.answers[0]) == CIPHER


@cocotb.test(timeout_time=1, timeout_unit="ms")
async def a_message_without_a_key_is_refused_to_its_end_and_the_next_is_not(dut):
    engine = await Engine(dut).start()
    await engine.load(0, KEY)
    engine.message(0, 1, IV, TEXT[:32])
    engine.waiting[0].append((False, 0, IV, TEXT[:16]))   # goes on with a slot that is full
    engine.message(0, 0, IV, TEXT)
    await engine.drain([7] + [0] * (engine.units - 1))
    assert [(refused, block) for _, refused, block in engine.answers[0][:3]] == [(1, bytes(16))] * 3
    assert b"".join(block for _, _, block in engine.answers[0][3:]) == CIPHER


@cocotb.test(timeout_time=1, timeout_unit="ms")
async def a_slot_that_is_emptied_refuses_blocks_until_a_key_is_loaded(dut):
    engine = await Engine(dut).start()
    await engine.load(0, KEY)
    await engine.load(1, KEY)
    dut.empty_i.value = 1
    await engine.resume()
    dut.empty_i.value = 0
    engine.message(0, 0, IV, TEXT[:16])
    engine.message(0, 1, IV, TEXT)
    await engine.drain([5] + [0] * (engine.units - 1))
    assert engine.answers[0][0][1:] == (1, bytes(16))
    await engine.load(0, KEY)
    engine.message(0, 0, IV, TEXT)
    await engine.drain([9] + [0] * (engine.units - 1))
    assert b"".join(block for _, _, block in engine.answers[0][1:]) == 2 * CIPHER


async def with_keys_and_a_message(dut) -> Engine:
    """All slots full, a message under way in lane 0."""
    engine = await Engine(dut).start()
    for slot in range(SLOTS):
        await engine.load(slot, random.randbytes(len(KEY)))
    engine.message(0, 0, IV, TEXT)
    for _ in range(ROUNDS + 7):
        await engine.step()
    engine.waiting = [[] for _ in range(engine.units)]
    return engine


async def zeroise(engine: Engine) -> None:
    engine.dut.zeroise_i.value, engine.dut.key_i.value = 1, number(KEY)  # at a port that offers none
    await engine.step()
    engine.dut.zeroise_i.value = 0


async def let_it_overwrite(engine: Engine) -> None:
    for _ in range(SLOTS + 5 + engine.units):
        await engine.step()


def registers_of(lane) -> list:
    """What of blocks and round keys the lane holds."""
    found = [lane.white_q, lane.entry_q, lane.entry_key_q, lane.state_q, lane.key_q, lane.next_key_q, lane.answer_q, lane.out_data_o]
    return found if KEY_BITS == 128 else [*found, lane.gen_long.entry_white_q, lane.gen_long.u_schedule.earlier_o]


@cocotb.test(timeout_time=1, timeout_unit="ms")
async def zeroise_empties_the_slots_at_once(dut):
    await zeroise(await with_keys_and_a_message(dut))
    await ReadOnly()
    assert int(dut.slot_full_o.value) == 0 and int(dut.key_ready_o.value) == 0


@cocotb.test(timeout_time=1, timeout_unit="ms")
async def zeroise_overwrites_the_keys(dut):
    engine = await with_keys_and_a_message(dut)
    assert all(int(dut.keys_q[slot].value) for slot in range(SLOTS))
    await zeroise(engine)
    await let_it_overwrite(engine)
    assert not any(int(dut.keys_q[slot].value) for slot in range(SLOTS)) and int(dut.pair_q.value) == 0


@cocotb.test(timeout_time=1, timeout_unit="ms")
async def zeroise_overwrites_blocks_and_round_keys_of_a_lane(dut):
    engine = await with_keys_and_a_message(dut)
    lane = dut["gen_lane[0]"].u_lane
    assert all(int(register.value) for register in [*registers_of(lane), lane.data_q])
    await zeroise(engine)
    await let_it_overwrite(engine)
    assert not any(int(register.value) for register in registers_of(lane))
    if KEY_BITS == 128:
        assert int(lane.gen_128.base_q.value) == sum(2 << 32 * word for word in range(4))  # of a key of zeros


@cocotb.test(timeout_time=1, timeout_unit="ms")
async def registers_behind_an_erasure_show_their_ports_after_it(dut):
    engine = await with_keys_and_a_message(dut)
    await zeroise(engine)
    for _ in range(2):
        await engine.resume()
        await ReadOnly()
    assert int(dut["gen_lane[0]"].u_lane.data_q.value) == 0 and int(dut.u_pair.key_q.value) == 0


@cocotb.test(timeout_time=1, timeout_unit="ms")
async def a_message_after_zeroise_is_refused(dut):
    engine = await with_keys_and_a_message(dut)
    await zeroise(engine)
    await let_it_overwrite(engine)
    engine.answers = [[] for _ in range(engine.units)]
    engine.message(0, 0, IV, TEXT[:16])
    await engine.drain([1] + [0] * (engine.units - 1))
    assert engine.answers[0][0][1:] == (1, bytes(16))
