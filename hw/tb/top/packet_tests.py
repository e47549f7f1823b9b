# SPDX-License-Identifier: Apache-2.0
"""The shell and the dispatcher around small adding cores, run by test_shell.py: packets of the stream ports, beside the rings."""

import random

import cocotb
from cocotb.triggers import ClockCycles

from garner_hw.drivers.host import (BAD_DESCRIPTOR, BAD_LENGTH, BAD_OP, BAD_SLOT, DESCRIPTOR, LOAD_KEY, OK, PRIVATE,
                                    ZEROISE, Host, answer, header)
from tb.top.shell_host import CORES, check, jobs, load_keys, ready
from tb.top.shell_jobs import MASK, expected, key_words, random_job, words


def reserved_set(words: list[int], word: int) -> list[int]:
    """The header with the highest reserved bit of a word set."""
    highest = [field for field in DESCRIPTOR.upward(word, 1) if field.name.startswith("reserved_")][-1].high
    return [value | (i == word) << highest for i, value in enumerate(words)]


async def send(host: Host, packets: list[list[int]]) -> None:
    for packet in packets:
        await host.send(packet)


@cocotb.test()
async def packets_and_descriptors_share_the_cores(dut):
    host = await ready(dut, stall=0.25, submission_log2=5, completion_log2=5)
    keys = await load_keys(host)
    expected_packets = {}
    packets = []
    for tag in range(100, 160):
        op, slot, operands, result = random_job(random, keys)
        packets.append([*header(op, tag, slot), *operands])
        expected_packets[tag] = (OK, result)
    longest = [random.getrandbits(32) for _ in range(512)]
    packets.append([*header(PRIVATE, 300), *longest])
    expected_packets[300] = (OK, expected(PRIVATE, longest, keys[0]))
    await host.idle()
    jobs_before = await host.counter("JOBS")
    sender = cocotb.start_soon(send(host, packets))
    descriptors, results = jobs(host, keys, 60)
    ring = cocotb.start_soon(host.run(descriptors))
    for _ in range(len(packets)):
        status, tag, _, result = answer(await host.receive())
        assert expected_packets.pop(tag) == (status, result), tag
    assert not expected_packets
    await sender
    check(host, descriptors, results, await ring)
    await host.idle()
    assert await host.counter("JOBS") == jobs_before + len(packets) + 60


@cocotb.test()
async def bad_packets_are_answered_by_what_is_wrong_and_those_behind_them_are_right(dut):
    host = await ready(dut, stall=0.25)
    keys = await load_keys(host, [0])
    bad = [([*header(PRIVATE, 200)][:1], BAD_LENGTH), ([*header(PRIVATE, 201)], BAD_LENGTH),
           ([*header(ZEROISE, 202, 3), 1, 2, 3], BAD_LENGTH), ([*header(PRIVATE, 203), *[7] * 513], BAD_LENGTH),
           ([*header(PRIVATE, 204), *[7] * 600], BAD_LENGTH),
           ([*reserved_set(header(PRIVATE, 205), 0), 1, 2], BAD_DESCRIPTOR),
           (reserved_set(header(PRIVATE, 206), 1), BAD_DESCRIPTOR),
           ([*header(9, 207), 1, 2, 3], BAD_OP), ([*header(PRIVATE, 208, 77), 1], BAD_SLOT)]
    packets, expected_packets = [], {}
    for tag, (packet, status) in enumerate(bad, 200):
        operands = words(random, 6)
        packets += [packet, [*header(PRIVATE, 100 + tag), *operands]]
        expected_packets |= {tag: (status, []), 100 + tag: (OK, expected(PRIVATE, operands, keys[0]))}
    sender = cocotb.start_soon(send(host, packets))
    for _ in range(len(packets)):
        status, tag, cycles, result = answer(await host.receive())
        assert expected_packets.pop(tag) == (status, result), tag
        assert (cycles == 0) == (200 <= tag < 207), "what reached no core took none of its time"
    assert not expected_packets
    await sender


@cocotb.test()
async def a_key_by_packet_reaches_every_core(dut):
    host = await ready(dut)
    fresh = key_words(random)
    await host.send([*header(LOAD_KEY, 9, 2), *fresh])
    status, tag, _, result = answer(await host.receive())
    assert (status, tag, result) == (OK, 9, [])
    descriptors, results = jobs(host, {2: sum(fresh) & MASK}, 4 * CORES)
    check(host, descriptors, results, await host.run(descriptors))


@cocotb.test()
async def stalled_receiver_of_packets_holds_up_the_rings_and_loses_nothing(dut):
    """Results share one way out of the cores: behind a packet's answer that nobody takes, those of the rings wait."""
    host = await ready(dut)
    keys = await load_keys(host, [0])
    host.stream_out.pause = True
    await host.send([*header(PRIVATE, 1, 0), 5, 6])
    await ClockCycles(dut.clk_i, 1000)
    descriptors, results = jobs(host, keys, 5)
    completed = host.completed
    task = cocotb.start_soon(host.run(descriptors))
    await ClockCycles(dut.clk_i, 3000)
    assert host.completed == completed and not task.done(), "no answer has passed the one that waits"
    host.stream_out.pause = False
    status, tag, cycles, result = answer(await host.receive())
    assert (status, tag, result) == (OK, 1, expected(PRIVATE, [5, 6], keys[0]))
    assert cycles == int(dut.u_shell.gen_stream.u_stream.out_cycles_q.value) > 0
    check(host, descriptors, results, await task)


@cocotb.test()
async def slow_packet_does_not_hold_up_the_ring(dut):
    host = await ready(dut)
    keys = await load_keys(host, [0])
    source = host.stream_in
    source.set_pause_generator(iter([False] * 6 + [True] * 10_000_000))
    await host.send([*header(PRIVATE, 1, 0), *range(32)])
    descriptors, results = jobs(host, keys, 20)
    check(host, descriptors, results, await host.run(descriptors, limit=20_000))
    source.set_pause_generator(None)
    source.pause = False
    assert answer(await host.receive())[:2] == (OK, 1)
