# SPDX-License-Identifier: Apache-2.0
"""What reset, CONTROL.zeroise and OpZeroise erase (docs/integration.md), looked for in every signal and every memory.

Two devices do the same in every cycle, but with other keys, exponents and messages. Afterwards nothing in one may differ
from the other: so whatever was computed of a key is found as well as its words, wherever it lies and however it is packed.
That works because a device's time depends on lengths alone.
"""

import asyncio
import os
import random
from collections.abc import Awaitable, Callable, Iterable
from dataclasses import dataclass
from pathlib import Path

import pytest

from garner_hw.device import build
from garner_hw.drivers.device_host import DeviceHost
from garner_hw.drivers.host import BAD_MODULUS, EMPTY_SLOT, EXPONENTIATE, OK, REGISTERS, ZEROISE
from garner_hw.drivers.rsa_jobs import load_key, private, words
from garner_hw.model.rsa import Key
from garner_hw.sources import sources

BITS = 512
PARAMETERS = {"Cores": 1, "Rows": 4, "MaxBits": BITS, "KeySlots": 2, "OperandWords": 64, "InFlight": 4}
MOMENTS = int(os.environ.get("HW_SOAK", "2"))
JOBS_CYCLES = 200_000  # of all of `jobs`
# Where words of the last result may stay behind OpZeroise, and what shows them: they are the host's own.
RESULT = (".u_packer.u_queue.words_q", ".u_packer.u_queue.out_data_o", ".u_packer.head")


@dataclass
class Secrets:
    """What is different in the two devices."""

    key: Key
    exponent: int
    message: int

    @staticmethod
    def any() -> "Secrets":
        return Secrets(Key.generate(BITS), random.getrandbits(64) | 1 << 63, random.getrandbits(BITS - 1))


class Story:
    """What a device goes through with its secrets. Slot 1 is theirs; what `common` holds is the same in both devices."""

    def __init__(self, library: Path, secrets: Secrets, common: Key, stall: int, seed: int):
        self.secrets, self.common = secrets, common
        random.seed(seed)  # of the pauses of the bus, and of registers without a reset
        self.host = DeviceHost(stall, PARAMETERS, library=library)

    def load(self, **wrong: int) -> bytes:
        return load_key(self.host, Key(**{**self.secrets.key.__dict__, **wrong}), 1)

    def use(self) -> bytes:
        return private(self.host, self.secrets.key, self.secrets.message, 1)

    def power(self) -> bytes:
        operands = words(self.secrets.message, BITS) + words(self.secrets.exponent, 64)
        return self.host.descriptor(EXPONENTIATE, operands, BITS // 32, slot=1, exponent_bits=64)

    async def run(self, *descriptors: bytes, status: int = OK) -> None:
        for descriptor in descriptors:
            assert (await self.host.one(descriptor)).status == status

    async def start(self) -> None:
        await self.erased()
        await self.host.start()
        await self.run(load_key(self.host, self.common, 0))

    async def begin(self, *descriptors: bytes) -> None:
        for descriptor in descriptors:
            self.host.put(descriptor)
        await self.host.ring()

    async def erased(self) -> None:
        """Until STATUS says so. It is asked all the time, so that nothing can be erased later unseen."""
        while await self.host.field("STATUS_ZEROISING"):
            pass

    async def zeroise(self) -> None:
        await self.host.write("CONTROL", REGISTERS["CONTROL_ENABLE"] | REGISTERS["CONTROL_ZEROISE"])
        await self.erased()

    async def reset(self) -> None:
        self.host.device.reset()
        await self.erased()


def library(mutant: Path | None = None) -> Path:
    """The device with all of its signals; `mutant` takes the place of the source of its name."""
    return build(sources("garner_top", instead=[mutant] if mutant else []), PARAMETERS,
                 public=True)


def differences(tell: Callable[[Story], Awaitable[None]], seed: str, mutant: Path | None = None) -> list[str]:
    """What holds something else in the one device than in the other when the story has been told."""
    random.seed(f"{os.environ['HW_SEED']} {seed}")
    model = library(mutant)
    common, pauses = Key.generate(BITS), random.getrandbits(32)
    stall = random.choice((0, 20))

    def state(secrets: Secrets) -> dict[str, bytes]:
        story = Story(model, secrets, common, stall, pauses)

        async def whole():
            await story.start()
            await tell(story)

        asyncio.run(whole())
        return story.host.device.state()

    one, other = (state(secrets) for secrets in [Secrets.any() for _ in range(2)])
    assert one.keys() == other.keys() and len(one) > 2000, "signals are missing"
    return sorted(path for path in one if one[path] != other[path])


def jobs(story: Story) -> list[bytes]:
    return [story.load(), story.use(), story.power(), story.load()]


def stopped(moment: int, erase: Callable[[Story], Awaitable[None]]) -> Callable[[Story], Awaitable[None]]:
    """The story of jobs that are under way, and of others that wait for them, when all is to be erased."""
    async def tell(story: Story):
        await story.begin(*jobs(story))
        story.host.device.run(moment)
        await erase(story)

    return tell


def slot_zeroised(before: Callable[[Story], Awaitable[None]]) -> Callable[[Story], Awaitable[None]]:
    async def tell(story: Story):
        await before(story)
        await story.run(story.host.descriptor(ZEROISE, slot=1))
        await story.run(private(story.host, story.common, 5, 1), status=EMPTY_SLOT)

    return tell


async def loaded(story: Story):
    await story.run(story.load())


async def used(story: Story):
    await story.run(story.load(), story.use())


async def exponent_used(story: Story):
    await story.run(story.load(), story.power())


async def refused(story: Story):
    await story.run(story.load(q=story.secrets.key.q ^ 1), status=BAD_MODULUS)


def nothing(paths: list[str]) -> None:
    assert not paths, "depends on the key:\n" + "\n".join(paths)


def test_the_search_finds_a_key_that_is_there():
    found = differences(used, "found")
    for place in (".u_core.u_keys.memory", ".u_mont.u_operand_a.memory", ".u_mont.u_modulus.memory", ".u_row.m_q"):
        assert any(path.endswith(place) for path in found), place


@pytest.mark.parametrize("run", [pytest.param(run, marks=[pytest.mark.soak] * (run > 0)) for run in range(MOMENTS)])
@pytest.mark.parametrize("erase", [Story.reset, Story.zeroise])
def test_nothing_of_a_key_is_left_after(erase, run):
    seed = f"{erase.__name__} {run}"
    moment = random.Random(f"{os.environ['HW_SEED']} {seed}").randrange(JOBS_CYCLES)
    nothing(differences(stopped(moment, erase), seed))


@pytest.mark.parametrize("before", [loaded, used, exponent_used, refused])
def test_nothing_of_a_key_is_left_after_its_slot_is_zeroised(before):
    nothing([path for path in differences(slot_zeroised(before), before.__name__) if not path.endswith(RESULT)])
