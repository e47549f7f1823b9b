# SPDX-License-Identifier: Apache-2.0
"""The long runs of the rings (make hw-soak-dma): random jobs of every length through rings whose 16-bit indices wrap
around, pauses at random in every handshake of the memory bus. Cores that add, under the C++ clock of test_device.py.
"""

import asyncio
import os
import random
from pathlib import Path

import pytest

from garner_hw.drivers.device_host import DeviceHost
from garner_hw.drivers.host import LOAD_KEY, OK, REGISTERS
from tb.top.shell_jobs import MASK, key_words, random_job

JOBS = int(os.environ.get("HW_SOAK", "70000"))  # more than an index counts
ROUND = 500                                     # jobs whose operands and results are in memory at once


@pytest.mark.parametrize("stall", (0, 30, 70))
@pytest.mark.parametrize("cores, bus_width, max_beats, in_flight", [(3, 64, 16, 8), (1, 32, 64, 4)])
def test_jobs_end_right_while_indices_wrap(cores, bus_width, max_beats, in_flight, stall):
    parameters = {"Cores": cores, "BusWidth": bus_width, "MaxBeats": max_beats, "InFlight": in_flight}

    async def run():
        random.seed(int(os.environ["HW_SEED"]) + stall)
        host = DeviceHost(stall, parameters, 6, 4, [Path(__file__).parent / "garner_core.sv"])
        await host.start()
        await host.write("INTERRUPT_ENABLE", REGISTERS["INTERRUPT_ENABLE_COMPLETION"])
        await host.write("INTERRUPT_COALESCE", 8 | 500 << 8)
        loaded = [key_words(random) for _ in range(4)]
        done = await host.run([host.descriptor(LOAD_KEY, words, slot=slot) for slot, words in enumerate(loaded)])
        assert {completion.status for completion in done.values()} == {OK}
        keys = {slot: sum(words) & MASK for slot, words in enumerate(loaded)}
        completed = 0
        while completed < JOBS:
            host.memory.free_all(host.ring_memory)
            descriptors, results = [], []
            for tag in range(ROUND):
                op, slot, operands, result = random_job(random, keys, longest=random.choice((8, 64, 512)))
                descriptors.append(host.descriptor(op, operands, len(result), tag=tag, slot=slot))
                results.append(result)
            done = await host.run(descriptors)
            for place, (descriptor, result) in enumerate(zip(descriptors, results)):
                assert (done[place].status, done[place].tag) == (OK, place), f"job {completed + place}"
                assert host.result(descriptor) == result, f"job {completed + place}"
            completed += ROUND
        await host.idle()
        assert await host.counter("JOBS") == completed + 4
        assert await host.read("ERROR") == 0
        print(f"{completed} jobs in {host.cycles} cycles, {host.interrupts} interrupts")

    asyncio.run(run())
