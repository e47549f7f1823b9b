# SPDX-License-Identifier: Apache-2.0
"""The throughput of a full device in simulation: cycles of so many RSA private operations together. full.py calls it."""

import os
import random

from garner_hw.drivers.device_host import DeviceHost
from garner_hw.drivers.host import OK
from garner_hw.drivers.rsa_jobs import load_key, number, private
from garner_hw.model.rsa import Key

OPERATIONS = 25


async def measure(parameters: dict, bits: int) -> int:
    """Cycles in which all cores together finish OPERATIONS private operations, with the start and the end of the run."""
    os.environ.setdefault("HW_SEED", "1")
    random.seed(int(os.environ["HW_SEED"]))
    key = Key.generate(bits)
    host = DeviceHost(0, parameters, 5, 5)
    await host.start()
    assert (await host.run([load_key(host, key, 0)]))[0].status == OK
    numbers = [random.randrange(key.n) for _ in range(OPERATIONS)]
    descriptors = [private(host, key, m, 0) for m in numbers]
    begin = await host.counter("CYCLES")
    done = await host.run(descriptors)
    cycles = await host.counter("CYCLES") - begin
    for place, (descriptor, m) in enumerate(zip(descriptors, numbers)):
        assert done[place].status == OK
        assert number(host.result(descriptor)) == pow(m, key.d, key.n), f"operation {place}"
    return cycles
