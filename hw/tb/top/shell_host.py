# SPDX-License-Identifier: Apache-2.0
"""What the shell's tests share: its parameters, a host whose device is ready, jobs and what they must end with."""

import os
import random

from garner_hw.drivers.host import LOAD_KEY, OK, Host
from tb.top.shell_jobs import MASK, key_words, random_job

CORES = int(os.environ["CORES"])
BUS_WIDTH = int(os.environ["BUS_WIDTH"])
IN_FLIGHT = int(os.environ["IN_FLIGHT"])
OPERAND_WORDS = 512
KEY_SLOTS = 4


async def ready(dut, stall=0.0, **sizes) -> Host:
    """A host whose device is out of reset with its rings enabled."""
    host = Host(dut, **sizes)
    await host.reset()
    host.stall(stall)
    await host.start()
    return host


async def load_keys(host: Host, slots=range(KEY_SLOTS)) -> dict[int, int]:
    keys = {slot: key_words(random) for slot in slots}
    done = await host.run([host.descriptor(LOAD_KEY, operands, slot=slot) for slot, operands in keys.items()])
    assert all(completion.status == OK for completion in done.values())
    return {slot: sum(operands) & MASK for slot, operands in keys.items()}


def jobs(host: Host, keys: dict[int, int], count: int, **options):
    """Descriptors of random jobs, and the results they must have."""
    descriptors, results = [], []
    for tag in range(count):
        op, slot, operands, result = random_job(random, keys)
        descriptors.append(host.descriptor(op, operands, len(result), tag=tag, slot=slot, **options))
        results.append(result)
    return descriptors, results


def check(host: Host, descriptors, results, done) -> None:
    assert len(done) == len(descriptors)
    for place, (descriptor, result) in enumerate(zip(descriptors, results)):
        assert done[place].status == OK, f"job {place}: status {done[place].status}"
        assert done[place].tag == place & 0xFFFF
        assert host.result(descriptor) == result, f"job {place}"
