# SPDX-License-Identifier: Apache-2.0
"""garner_top without stream ports (StreamPort = 0): the tests of the rings alone, and that the ports are dead."""

import random

import cocotb
from cocotb.triggers import RisingEdge

from garner_hw.drivers.host import EMPTY_SLOT, OK, PRIVATE, REGISTERS, header
from tb.top.ring_tests import (a_key_is_a_barrier_and_reaches_every_core,  # noqa: F401 (cocotb finds them here)
                               bad_descriptors_are_refused_and_the_ring_continues,
                               many_jobs_wrap_the_rings_and_end_out_of_order)
from tb.top.shell_host import check, jobs, load_keys, ready


@cocotb.test()
async def ports_that_are_not_there_take_nothing_and_give_nothing(dut):
    host = await ready(dut, stall=0.2)
    assert await host.field("CAPABILITY_CORES_STREAM") == 0
    keys = await load_keys(host, [0])
    await host.send([*header(PRIVATE, 1, 0), 5, 6])
    going = True

    async def watch():
        while going:
            await RisingEdge(dut.clk_i)
            assert int(dut.s_axis_tready.value) == 0 and int(dut.m_axis_tvalid.value) == 0

    watching = cocotb.start_soon(watch())
    await host.idle()
    counted = await host.counter("JOBS")
    descriptors, results = jobs(host, keys, 30)
    check(host, descriptors, results, await host.run(descriptors))
    await host.stop()
    assert await host.counter("JOBS") == counted + 30
    going = False
    await watching


@cocotb.test()
async def bus_attributes_are_those_of_the_parameters(dut):
    """With each handshake; those of a garner_top with no such parameters: in ring_tests."""
    host = await ready(dut)
    keys = await load_keys(host, [0])
    seen = {"ar": set(), "aw": set()}
    going = True

    async def watch():
        while going:
            await RisingEdge(dut.clk_i)
            for channel, values in seen.items():
                if int(getattr(dut, f"m_axi_{channel}valid").value):
                    values.add(tuple(int(getattr(dut, f"m_axi_{channel}{name}").value) for name in ("cache", "prot")))

    watching = cocotb.start_soon(watch())
    descriptors, results = jobs(host, keys, 5)
    check(host, descriptors, results, await host.run(descriptors))
    going = False
    await watching
    assert seen == {"ar": {(0b1111, 0b011)}, "aw": {(0b0111, 0b011)}}


@cocotb.test()
async def zeroise_ends_without_a_stream_to_wait_for(dut):
    host = await ready(dut)
    for _ in range(3):
        await load_keys(host, [0])
        await host.write("CONTROL", REGISTERS["CONTROL_ENABLE"] | REGISTERS["CONTROL_ZEROISE"])
        for _ in range(200):
            if await host.field("STATUS_ZEROISING") == 0:
                break
        assert await host.field("STATUS_ZEROISING") == 0
        assert (await host.one(host.descriptor(PRIVATE, [1], 1))).status == EMPTY_SLOT
    keys = await load_keys(host)
    descriptors, results = jobs(host, keys, 10 + random.randrange(5))
    done = await host.run(descriptors)
    assert {completion.status for completion in done.values()} == {OK}
    check(host, descriptors, results, done)
