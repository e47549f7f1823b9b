# SPDX-License-Identifier: Apache-2.0
"""What the tests of rsa_core share: a core that is ready, a key, the core's memories and where in them numbers lie."""

import os
import random
from collections.abc import Iterable

from garner_hw.drivers.rsa import OK, Driver, Job
from garner_hw.model.rsa import Key, Sizes

PARAMETERS = {"MaxBits": 1024, "KeySlots": 2, "OperandWords": 4096}
LIMIT = {"timeout_time": 100, "timeout_unit": "ms"}  # 10 M cycles
SMALL_KEY = Key.generate(512)


def modulus(bits: int) -> int:
    kind = random.random()
    if kind < 0.15:
        return (1 << bits) - 1 - 2 * random.getrandbits(4)
    if kind < 0.3:
        return 1 << bits - 1 | 1 | 2 * random.getrandbits(4)
    return random.getrandbits(bits) | 1 << bits - 1 | 1


def radix(bits: int) -> int:
    w = int(os.environ["W"])
    return 1 << w * Sizes(bits, w, int(os.environ["ROWS"])).digits


async def started(dut, stall: float = 0) -> Driver:
    driver = Driver(dut, stall)
    await driver.start()
    return driver


async def still_works(driver: Driver, slot: int = 0):
    """A key is loaded and used: whatever came before has left nothing behind."""
    key = SMALL_KEY
    await driver.load(Job.load_key(key, slot))
    m = random.randrange(key.n)
    answer = await driver.run(Job.private(m, key.bits, slot))
    assert (answer.status, answer.value) == (OK, pow(m, key.d, key.n))


def of_length(bits: int) -> int:
    """Words of a number modulo n of so many bits."""
    return Sizes(bits, int(os.environ["W"]), 1).words


def stride(bits: int) -> int:
    """From one region of the operand memory to the next."""
    return max(32, 1 << of_length(bits).bit_length())


def slot_words() -> int:
    """From one slot of the key memory to the next."""
    full, half = (of_length(bits) + 1 for bits in (PARAMETERS["MaxBits"], PARAMETERS["MaxBits"] // 2))
    return 1 << (5 * full + 6 * half + 2).bit_length()


def memories(dut):
    return [dut.u_keys.memory, dut.u_alu.u_accumulator.memory, dut.u_mont.u_operand_a.memory,
            dut.u_mont.u_operand_b.memory, dut.u_mont.u_modulus.memory, dut.u_mont.u_sum.memory,
            dut.u_packer.u_queue.words_q]


def not_zero(memory) -> list[int]:
    return [i for i in range(len(memory)) if int(memory[i].value)]


def contents(memory, places: Iterable[int] | None = None) -> list[int]:
    """All words of a memory, or those of these places. Each is a call into the simulator."""
    return [int(memory[i].value) for i in (range(len(memory)) if places is None else places)]


def holds(words: list[int], number: int, bits: int) -> bool:
    """Whether the contents of a memory have this number, of so many bits, anywhere."""
    w = int(os.environ["W"])
    number = [number >> w * i & (1 << w) - 1 for i in range(bits // w)]  # but for the highest, where others may begin
    return any(words[i:i + len(number)] == number for i in range(len(words) - len(number) + 1))
