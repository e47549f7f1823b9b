# SPDX-License-Identifier: Apache-2.0
"""The shell and the dispatcher around small adding cores, run by test_shell.py: reset and CONTROL.zeroise while jobs run."""

import random

import cocotb
from cocotb.triggers import ClockCycles, RisingEdge

from garner_hw.drivers.host import EMPTY_SLOT, EXPONENTIATE, LOAD_KEY, OK, PRIVATE, REGISTERS, ZEROISE, Host, answer, header
from tb.top.shell_host import CORES, IN_FLIGHT, OPERAND_WORDS, check, jobs, load_keys, ready
from tb.top.shell_jobs import expected, key_words, words


@cocotb.test()
async def reset_in_the_middle_of_jobs_leaves_a_device_that_works(dut):
    host = await ready(dut, stall=0.2, submission_log2=5, completion_log2=5)
    for _ in range(8):
        keys = await load_keys(host, [0])
        descriptors, _ = jobs(host, keys, 20)
        for descriptor in descriptors:
            host.put(descriptor)
        await host.ring()
        await ClockCycles(dut.clk_i, random.randrange(20, 1500))
        await host.reset()
        assert await host.field("STATUS_IDLE") == 1
        assert await host.read("CONTROL") == 0
        await host.start()
        # the keys are gone with the cores' state; nothing of the old jobs comes up
        assert (await host.one(host.descriptor(PRIVATE, [1], 1))).status == EMPTY_SLOT
        host.memory.free_all(host.ring_memory)
    keys = await load_keys(host)
    descriptors, results = jobs(host, keys, 40)
    check(host, descriptors, results, await host.run(descriptors))


@cocotb.test()
async def zeroise_overwrites_the_operand_buffers(dut):
    host, _, _, _ = await zeroised_under_way(dut)
    for _ in range(50_000):
        await RisingEdge(dut.clk_i)
        if int(dut.u_shell.u_dma.u_operands.wiping_o.value):
            break
    else:
        raise AssertionError("nothing is overwritten")
    await ClockCycles(dut.clk_i, OPERAND_WORDS + 12)
    for buffer in (dut.u_shell.u_dma.u_operands, dut.u_shell.gen_stream.u_stream.u_operands):
        assert all(int(buffer.u_memory.memory[i].value) == 0 for i in range(OPERAND_WORDS)), "operands are left"
        for register in (buffer.u_ahead.spare_q, buffer.u_ahead.out_data_o, buffer.u_memory.word_q, buffer.u_memory.read_data_o):
            assert int(register.value) == 0, f"operands are left in {register._path}"


async def zeroised_under_way(dut) -> tuple[Host, list[bytes], list, dict[int, int]]:
    """Zeroise while some of thirty jobs have ended, some are in cores and others wait: these, their results and places."""
    host = await ready(dut, stall=0.1, submission_log2=6, completion_log2=6)
    keys = await load_keys(host)
    descriptors, results = jobs(host, keys, 30)
    places = {host.put(descriptor): place for place, descriptor in enumerate(descriptors)}
    await host.ring()
    await ClockCycles(dut.clk_i, 700)
    await host.write("CONTROL", REGISTERS["CONTROL_ENABLE"] | REGISTERS["CONTROL_ZEROISE"])
    await ClockCycles(dut.clk_i, 5)
    assert await host.field("STATUS_ZEROISING") == 1
    return host, descriptors, results, places


@cocotb.test()
async def zeroise_answers_what_was_taken_and_no_key_survives(dut):
    host, descriptors, results, places = await zeroised_under_way(dut)
    done = {}
    for _ in range(50_000):
        if len(done) == 30:
            break
        await RisingEdge(dut.clk_i)
        for completion in host.poll():
            done[places[completion.index]] = completion.status
    assert set(done.values()) == {OK, EMPTY_SLOT}
    for place, (descriptor, result) in enumerate(zip(descriptors, results)):
        assert done[place] == EMPTY_SLOT or host.result(descriptor) == result
    assert {done[place] for place in range(20, 30)} == {EMPTY_SLOT}, "a key survived"
    await host.write("COMPLETION_HEAD", host.completed)
    assert await host.field("STATUS_ZEROISING") == 0


@cocotb.test()
async def zeroise_refuses_jobs_that_wait_and_a_key_among_them(dut):
    host = await ready(dut, submission_log2=5, completion_log2=5)
    stopped = 0
    for wait in (0, 1, 2, 5, 20, 60, 200, 500):
        keys = await load_keys(host, [0])
        operands = words(random, 6)
        # one for each core, and behind them a key that waits for all of these
        before = [host.descriptor(EXPONENTIATE, words(random, 100), 1) for _ in range(CORES)]
        behind = [host.descriptor(LOAD_KEY, key_words(random), slot=0), host.descriptor(PRIVATE, operands, 6),
                  host.descriptor(ZEROISE, slot=1)]
        behind = behind[:IN_FLIGHT - CORES]
        places = {host.put(descriptor): place for place, descriptor in enumerate(before + behind)}
        await host.ring()
        while await host.read("SUBMISSION_HEAD") != host.tail:
            pass
        await ClockCycles(dut.clk_i, wait)
        found = host.poll()
        waits = not found  # for the first jobs, all of them
        stopped += waits
        await host.write("CONTROL", REGISTERS["CONTROL_ENABLE"] | REGISTERS["CONTROL_ZEROISE"])
        while await host.field("STATUS_ZEROISING"):
            pass
        found += host.poll()
        await host.write("COMPLETION_HEAD", host.completed)
        done = {places[completion.index]: completion.status for completion in found}
        assert len(done) == len(places), "jobs that were taken are answered before it is over"
        # from the first that was stopped on, none has run
        waiting = [done[place] for place in range(CORES, len(places))]
        assert not waits or waiting == [EMPTY_SLOT] * len(waiting), waiting
        assert waiting == sorted(waiting, key=lambda status: status == EMPTY_SLOT), waiting
        if waiting[1] == EMPTY_SLOT:
            assert host.result(behind[1]) != expected(PRIVATE, operands, keys[0])
        assert (await host.one(host.descriptor(PRIVATE, [1], 1))).status == EMPTY_SLOT
    assert stopped, "no key has waited"


@cocotb.test()
async def half_a_packet_does_not_hold_up_zeroising_and_is_refused(dut):
    host = await ready(dut)
    source, buffer = host.stream_in, dut.u_shell.gen_stream.u_stream.u_operands
    for count in (1, 2, 3, 6, 20):  # words that come before it
        keys = await load_keys(host, [0])
        await host.send([*header(PRIVATE, 1, 0), *words(random, 32)])
        await host.send([*header(PRIVATE, 2, 0), 5, 6])
        while count:
            await RisingEdge(dut.clk_i)
            count -= int(dut.s_axis_tvalid.value) & int(dut.s_axis_tready.value)
        source.pause = True
        await ClockCycles(dut.clk_i, 100)
        await host.write("CONTROL", REGISTERS["CONTROL_ENABLE"] | REGISTERS["CONTROL_ZEROISE"])
        await ClockCycles(dut.clk_i, 1000)
        assert await host.field("STATUS_ZEROISING") == 0
        assert all(int(buffer.u_memory.memory[i].value) == 0 for i in range(OPERAND_WORDS)), "operands are left"
        keys = await load_keys(host, [0])
        descriptors, results = jobs(host, keys, 5)
        check(host, descriptors, results, await host.run(descriptors))
        source.pause = False
        assert answer(await host.receive()) == (EMPTY_SLOT, 1, 0, [])
        status, tag, _, result = answer(await host.receive())  # the next one is as good as any
        assert (status, tag, result) == (OK, 2, expected(PRIVATE, [5, 6], keys[0]))
