# SPDX-License-Identifier: Apache-2.0
"""The shell and the dispatcher around small adding cores, run by test_shell.py: registers, rings, descriptors, faults."""

import random

import cocotb
from cocotb.triggers import ClockCycles, RisingEdge

from garner_hw.drivers.host import (BAD_DESCRIPTOR, BAD_LENGTH, BAD_MODULUS, BAD_OP, BAD_SLOT, BUS_FAULT, CHECK_FAILED,
                                    COMPLETION, DESCRIPTOR, EMPTY_SLOT, EVERY_ERROR, EVERY_INTERRUPT, EXPONENTIATE, LOAD_KEY,
                                    LOAD_MODULUS, OK, PRIVATE, REGISTERS, ZEROISE, Host)
from tb.top.shell_host import BUS_WIDTH, CORES, IN_FLIGHT, KEY_SLOTS, OPERAND_WORDS, check, jobs, load_keys, ready
from tb.top.shell_jobs import MASK, expected, key_words, words


@cocotb.test()
async def registers_say_what_was_built(dut):
    host = await ready(dut)
    assert await host.read("ID") == REGISTERS["ID_VALUE_CONSTANT"]
    assert await host.field("VERSION_MAJOR") == 1
    assert await host.field("CAPABILITY_CORES_CORES") == CORES
    assert await host.field("CAPABILITY_CORES_KEY_SLOTS") == KEY_SLOTS
    assert await host.field("CAPABILITY_CORES_IN_FLIGHT") == IN_FLIGHT
    assert await host.field("CAPABILITY_CORES_STREAM") == 1
    assert 32 << await host.field("CAPABILITY_CORES_BUS_WIDTH") == BUS_WIDTH
    assert await host.field("CAPABILITY_ARITHMETIC_MAX_BITS") == 4096
    assert await host.field("CAPABILITY_ARITHMETIC_WORD_BITS") == 18
    assert await host.field("CAPABILITY_ARITHMETIC_ROWS") == 15
    assert await host.field("CAPABILITY_MONTGOMERY_R_STEP") == 18 * 15
    assert await host.field("CAPABILITY_MONTGOMERY_OPERAND_WORDS") == OPERAND_WORDS


@cocotb.test()
async def bus_attributes_are_normal_unprivileged_data(dut):
    await ready(dut)
    for channel in ("ar", "aw"):
        assert int(getattr(dut, f"m_axi_{channel}cache").value) == 0b0011  # normal, not cacheable, bufferable
        assert int(getattr(dut, f"m_axi_{channel}prot").value) == 0b010    # unprivileged, non-secure, data


@cocotb.test()
async def unmapped_register_answers_with_an_error(dut):
    host = await ready(dut, stall=0.3)
    assert (await host.registers.write(0xFFC, b"1234")).resp != 0
    assert (await host.registers.read(0xFFC, 4)).resp != 0


@cocotb.test()
async def bytes_of_a_register_are_written_alone(dut):
    host = await ready(dut, stall=0.3)
    await host.write("SUBMISSION_BASE_HIGH", 0x11223344)
    await host.registers.write(REGISTERS["SUBMISSION_BASE_HIGH"] + 1, b"\xAB\xCD")
    assert await host.read("SUBMISSION_BASE_HIGH") == 0x11CDAB44


@cocotb.test()
async def many_jobs_wrap_the_rings_and_end_out_of_order(dut):
    host = await ready(dut, stall=0.25, submission_log2=5, completion_log2=3)
    keys = await load_keys(host)
    order = []
    poll = host.poll
    host.poll = lambda: [order.append(found.tag) or found for found in poll()]
    descriptors, results = jobs(host, keys, 150)
    check(host, descriptors, results, await host.run(descriptors))
    assert sorted(order) == list(range(150))
    assert (order != sorted(order)) == (CORES > 1), "several cores end out of order, one in order"


@cocotb.test()
async def ring_bases_that_are_not_aligned_do_no_harm(dut):
    """The lower bits of a base are not there: a burst that begins within a beat would not end with its page."""
    host = await ready(dut)
    host.submission = host.memory.allocate(DESCRIPTOR.bytes << host.log2[0], 4096, 4096 - DESCRIPTOR.bytes)
    host.completion = host.memory.allocate(COMPLETION.bytes << host.log2[1], 4096, 4096 - COMPLETION.bytes)
    for stray in (0xF, 0x3F, 4, 0x3C):
        await host.stop()
        await host.start()  # writes the bases as they are, and counts from 0
        await host.stop()
        for name, base, place in (("SUBMISSION_BASE_LOW", host.submission, 64),
                                  ("COMPLETION_BASE_LOW", host.completion, 16)):
            await host.write(name, (base | stray & place - 1) & MASK)
            assert await host.read(name) == base & MASK
        await host.write("CONTROL", REGISTERS["CONTROL_ENABLE"])
        keys = await load_keys(host, [0])
        descriptors, results = jobs(host, keys, 20)
        check(host, descriptors, results, await host.run(descriptors))


@cocotb.test()
async def operands_and_results_at_every_place_of_a_page(dut):
    """No burst crosses 4 KiB: the memory of cocotbext-axi asserts that as well."""
    host = await ready(dut)
    keys = await load_keys(host, [0])
    descriptors, results = [], []
    for tag, (before, count) in enumerate([(8, 2), (8, 4), (16, 20), (128, 64), (4088, 512), (24, 512), (0, 512), (0, 2)]):
        operands = words(random, count)
        operand_address = host.memory.allocate(4 * count, 4096, 4096 - before)
        result_address = host.memory.allocate(4 * count, 4096, 4096 - before)
        host.memory.put_words(operand_address, operands)
        descriptors.append(host.descriptor(PRIVATE, operands, count, tag=tag, operand_address=operand_address,
                                           result_address=result_address))
        results.append(expected(PRIVATE, operands, keys[0]))
    for stall in (0, 0.4):
        host.stall(stall)
        check(host, descriptors, results, await host.run(descriptors))


@cocotb.test()
async def nothing_is_written_beyond_a_result(dut):
    """Odd counts and their neighbours: a 64-bit bus strobes half a beat."""
    host = await ready(dut)
    keys = await load_keys(host, [1])
    for count in (1, 2, 3, 5, 17, 65):
        operands = words(random, count)
        result_address = host.memory.allocate(4 * count + 64, 64)
        host.memory.put(result_address, b"\xEE" * (4 * count + 64))
        descriptor = host.descriptor(PRIVATE, operands, count, slot=1, result_address=result_address)
        assert (await host.one(descriptor)).status == OK
        assert host.result(descriptor) == expected(PRIVATE, operands, keys[1])
        assert host.memory.get(result_address + 4 * count, 64) == b"\xEE" * 64


@cocotb.test()
async def bad_descriptors_are_refused_and_the_ring_continues(dut):
    host = await ready(dut, stall=0.2)
    keys = await load_keys(host, [0])

    def broken(bit: int) -> bytes:
        good = int.from_bytes(host.descriptor(PRIVATE, words(random, 4), 4), "little")
        return (good | 1 << bit).to_bytes(DESCRIPTOR.bytes, "little")

    four = words(random, 4)
    reserved = [field for field in DESCRIPTOR.upward(0, DESCRIPTOR.words) if field.name.startswith("reserved_")]
    cases = [(broken(bit), BAD_DESCRIPTOR) for field in reserved for bit in {field.start, field.end - 1}]
    cases += [(broken(DESCRIPTOR[name].start + bit), BAD_DESCRIPTOR)
              for name, bit in (("operand_address", 2), ("result_address", 0))]
    cases += [(host.descriptor(PRIVATE, four, 4, operand_bytes=0), BAD_LENGTH),
              (host.descriptor(PRIVATE, four, 4, operand_bytes=14), BAD_LENGTH),
              (host.descriptor(PRIVATE, four, 4, operand_bytes=4 * OPERAND_WORDS + 4), BAD_LENGTH),
              (host.descriptor(PRIVATE, four, 4, operand_bytes=0x8000_0010), BAD_LENGTH),
              (host.descriptor(PRIVATE, four, 4, result_bytes=0), BAD_LENGTH),
              (host.descriptor(PRIVATE, four, 4, result_bytes=15), BAD_LENGTH),
              (host.descriptor(PRIVATE, four, 4, result_bytes=0xFFFF_FFFC), BAD_LENGTH),
              (host.descriptor(ZEROISE, four, 0, slot=3), BAD_LENGTH),
              (host.descriptor(0, four, 4), BAD_OP), (host.descriptor(15, four, 4), BAD_OP),
              (host.descriptor(PRIVATE, four, 4, slot=KEY_SLOTS), BAD_SLOT),
              (host.descriptor(PRIVATE, four, 4, slot=255), BAD_SLOT),
              (host.descriptor(PRIVATE, four, 4, slot=2), EMPTY_SLOT),
              (host.descriptor(LOAD_KEY, [2, 3]), BAD_MODULUS)]
    random.shuffle(cases)
    descriptors, good = [], []
    for descriptor, _ in cases:
        descriptors.append(descriptor)
        operands = words(random, 6)
        descriptors.append(host.descriptor(PRIVATE, operands, 6))
        good.append(expected(PRIVATE, operands, keys[0]))
    await host.write("CONTROL", REGISTERS["CONTROL_ENABLE"] | REGISTERS["CONTROL_CLEAR_COUNTERS"])
    done = await host.run(descriptors)
    for place, (descriptor, status) in enumerate(cases):
        assert done[2 * place].status == status, (place, done[2 * place], status)
        assert done[2 * place + 1].status == OK
        assert host.result(descriptors[2 * place + 1]) == good[place]
    await host.idle()
    assert await host.counter("JOBS") == 2 * len(cases)
    assert await host.counter("JOBS_FAILED") == len(cases)


@cocotb.test()
async def result_of_another_length_stays_in_its_buffer(dut):
    host = await ready(dut, stall=0.2)
    await load_keys(host, [0])
    for count, room in ((8, 4), (8, 7), (4, 8), (4, 5), (1, 2), (3, 1)):
        address = host.memory.allocate(128, 64)
        host.memory.put(address, b"\xEE" * 128)
        descriptor = host.descriptor(PRIVATE, words(random, count), room, result_address=address)
        assert (await host.one(descriptor)).status == BAD_LENGTH
        assert host.memory.get(address + 4 * room, 64) == b"\xEE" * 64
        follow = host.descriptor(PRIVATE, [1, 2, 3], 3)
        assert (await host.one(follow)).status == OK


async def without_errors(dut) -> tuple[Host, dict[int, int]]:
    """A host that has loaded a key, and its keys; nothing is told by its error and interrupt registers."""
    host = await ready(dut, stall=0.2)
    keys = await load_keys(host, [0])
    await host.write("ERROR", EVERY_ERROR)
    await host.write("INTERRUPT_STATUS", EVERY_INTERRUPT)
    return host, keys


@cocotb.test()
async def data_that_cannot_be_read_or_written_ends_in_a_completion_and_the_core_stays_usable(dut):
    host, keys = await without_errors(dut)
    memory = host.memory
    nowhere = 0x8000_0000_0000
    for fault in ("nowhere", "first", "middle", "last"):
        for reading in (True, False):
            operands = words(random, 40)
            descriptor = host.descriptor(PRIVATE, operands, 40, tag=77)
            address = "operand_address" if reading else "result_address"
            place = DESCRIPTOR.unpack(descriptor)[address]
            faults = memory.read_faults if reading else memory.write_faults
            if fault == "nowhere":
                descriptor = DESCRIPTOR.pack(**DESCRIPTOR.unpack(descriptor) | {address: nowhere})
            else:
                at = place + {"first": 0, "middle": 80, "last": 152}[fault]
                faults.append(range(at, at + 8))
            completion = await host.one(descriptor)
            assert (completion.status, completion.tag) == (BUS_FAULT, 77), (fault, reading)
            faults.clear()
            assert await host.read("ERROR") == REGISTERS["ERROR_DATA_FAULT"]
            await host.write("ERROR", REGISTERS["ERROR_DATA_FAULT"])
            descriptors, results = jobs(host, keys, 3 * CORES)
            check(host, descriptors, results, await host.run(descriptors))


@cocotb.test()
async def a_descriptor_that_cannot_be_read_is_answered_by_its_index(dut):
    host, keys = await without_errors(dut)
    index = host.tail
    at = host.submission + DESCRIPTOR.bytes * (index % (1 << host.log2[0]))
    host.memory.read_faults.append(range(at + 32, at + 40))
    completion = await host.one(host.descriptor(PRIVATE, [1, 2], 2, tag=5))
    assert (completion.status, completion.index) == (BUS_FAULT, index)
    host.memory.read_faults.clear()
    assert await host.read("ERROR") == REGISTERS["ERROR_DESCRIPTOR_FAULT"]
    assert await host.field("INTERRUPT_STATUS_ERROR") == 1
    descriptors, results = jobs(host, keys, 3 * CORES)
    check(host, descriptors, results, await host.run(descriptors))


@cocotb.test()
async def a_completion_that_cannot_be_written_is_told_by_the_error_register(dut):
    host, keys = await without_errors(dut)
    at = host.completion + COMPLETION.bytes * (host.completed % (1 << host.log2[1]))
    host.memory.write_faults.append(range(at, at + COMPLETION.bytes))
    host.put(host.descriptor(PRIVATE, [1, 2], 2))
    await host.ring()
    await ClockCycles(dut.clk_i, 3000)
    assert await host.read("ERROR") == REGISTERS["ERROR_COMPLETION_FAULT"]
    assert await host.field("INTERRUPT_STATUS_ERROR") == 1
    assert await host.read("COMPLETION_TAIL") == host.completed + 1
    host.memory.write_faults.clear()
    await host.stop()  # the place keeps an old phase: the rings start anew
    await host.start()
    descriptors, results = jobs(host, keys, 20)
    check(host, descriptors, results, await host.run(descriptors))


@cocotb.test()
async def a_key_is_a_barrier_and_reaches_every_core(dut):
    """Jobs before it use the key before, those behind it the new one."""
    host = await ready(dut, stall=0.2)
    keys = await load_keys(host)
    fresh = key_words(random)
    before, results_before = jobs(host, {0: keys[0]}, 4 * CORES)
    after, results_after = jobs(host, {0: sum(fresh) & MASK}, 4 * CORES)
    all_jobs = before + [host.descriptor(LOAD_KEY, fresh, slot=0)] + after
    done = await host.run(all_jobs)
    assert all(completion.status == OK for completion in done.values())
    for descriptor, result in zip(before + after, results_before + results_after):
        assert host.result(descriptor) == result


@cocotb.test()
async def of_the_answers_to_a_load_the_worst_counts(dut):
    host = await ready(dut, stall=0.2)
    await load_keys(host)
    fresh = key_words(random)
    for sick in range(CORES):
        dut[f"gen_core[{sick}]"].u_core.sick_q.value = 1
        assert (await host.one(host.descriptor(LOAD_MODULUS, fresh, slot=1))).status == CHECK_FAILED
        dut[f"gen_core[{sick}]"].u_core.sick_q.value = 0
        assert (await host.one(host.descriptor(LOAD_KEY, fresh, slot=1))).status == OK


@cocotb.test()
async def op_zeroise_empties_the_slot_in_every_core(dut):
    host = await ready(dut, stall=0.2)
    await load_keys(host)
    assert (await host.one(host.descriptor(ZEROISE, slot=1))).status == OK
    done = await host.run([host.descriptor(PRIVATE, [1], 1, slot=1) for _ in range(3 * CORES)])
    assert {completion.status for completion in done.values()} == {EMPTY_SLOT}


@cocotb.test()
async def full_completion_ring_holds_results_back_and_loses_none(dut):
    host = await ready(dut, submission_log2=5, completion_log2=2)
    keys = await load_keys(host, [0])
    descriptors, results = jobs(host, keys, 32)
    places = {host.put(descriptor): place for place, descriptor in enumerate(descriptors)}
    await host.ring()
    await ClockCycles(dut.clk_i, 12000)
    head = await host.read("COMPLETION_TAIL")
    assert (head - host.completed) % 65536 == 4, "as many as the ring has places"
    done = {}
    for _ in range(100):
        for completion in host.poll():
            done[places[completion.index]] = completion
        await host.write("COMPLETION_HEAD", host.completed)
        await ClockCycles(dut.clk_i, 300)
    check(host, descriptors, results, done)


@cocotb.test()
async def impossible_indices_stop_the_rings_and_raise_an_error(dut):
    host = await ready(dut)
    keys = await load_keys(host, [0])
    await host.write("SUBMISSION_TAIL", host.tail + 17)
    await ClockCycles(dut.clk_i, 500)
    assert await host.read("SUBMISSION_HEAD") == host.tail
    assert await host.field("STATUS_SUBMISSION_OVERRUN") == 1
    assert await host.read("ERROR") == REGISTERS["ERROR_OVERRUN"]
    await host.ring()
    await host.write("ERROR", REGISTERS["ERROR_OVERRUN"])
    assert await host.field("STATUS_SUBMISSION_OVERRUN") == 0
    await host.write("COMPLETION_HEAD", host.completed + 1)
    await ClockCycles(dut.clk_i, 10)
    assert await host.field("STATUS_COMPLETION_OVERRUN") == 1
    assert await host.read("ERROR") == REGISTERS["ERROR_OVERRUN"]
    await host.write("COMPLETION_HEAD", host.completed)
    descriptors, results = jobs(host, keys, 20)
    check(host, descriptors, results, await host.run(descriptors))


@cocotb.test()
async def overrun_of_a_ring_is_told_during_that_of_the_other_and_once(dut):
    host, _ = await without_errors(dut)
    for name, index, status in (("SUBMISSION_TAIL", host.tail + 17, "STATUS_SUBMISSION_OVERRUN"),
                                ("COMPLETION_HEAD", host.completed + 1, "STATUS_COMPLETION_OVERRUN")):
        await host.write(name, index)
        await ClockCycles(dut.clk_i, 10)
        assert await host.field(status) == 1
        assert await host.field("INTERRUPT_STATUS_ERROR") == 1
        assert await host.read("ERROR") == REGISTERS["ERROR_OVERRUN"]
        await host.write("ERROR", EVERY_ERROR)
        await host.write("INTERRUPT_STATUS", EVERY_INTERRUPT)
        assert await host.read("ERROR") == 0
    await host.write("SUBMISSION_TAIL", host.tail + 17)  # once more
    await host.ring()
    await host.write("COMPLETION_HEAD", host.completed)
    await ClockCycles(dut.clk_i, 10)
    assert await host.read("ERROR") == await host.field("INTERRUPT_STATUS_ERROR") == 0


@cocotb.test()
async def an_overrun_that_was_corrected_is_told_until_it_is_cleared(dut):
    host, _ = await without_errors(dut)
    await host.write("SUBMISSION_TAIL", host.tail + 17)
    await host.ring()
    await ClockCycles(dut.clk_i, 10)
    assert await host.field("STATUS_SUBMISSION_OVERRUN") == 0
    assert await host.read("ERROR") == REGISTERS["ERROR_OVERRUN"]


@cocotb.test()
async def host_that_polls_faster_than_writes_are_answered_raises_no_error(dut):
    host = await ready(dut)
    keys = await load_keys(host, [0])
    host.axi.write_if.b_channel.set_pause_generator(pause for _ in range(10_000) for pause in [True] * 150 + [False])
    descriptors, results = jobs(host, keys, 10)
    check(host, descriptors, results, await host.run(descriptors))
    assert await host.read("ERROR") == 0


@cocotb.test()
async def disabled_rings_drain_and_start_anew_from_index_0(dut):
    host = await ready(dut, submission_log2=5, completion_log2=5)
    keys = await load_keys(host, [0])
    descriptors, _ = jobs(host, keys, 20)
    for descriptor in descriptors:
        host.put(descriptor)
    await host.ring()
    await ClockCycles(dut.clk_i, random.randrange(100, 600))
    await host.stop()
    fetched = len(host.poll())
    assert 0 < fetched <= 20
    await host.start()
    descriptors, results = jobs(host, keys, 20)
    check(host, descriptors, results, await host.run(descriptors))
    assert await host.read("COMPLETION_TAIL") == 20


@cocotb.test()
async def cores_are_all_busy_while_there_is_work(dut):
    host = await ready(dut, submission_log2=7, completion_log2=7)
    await load_keys(host, [0])
    descriptors = [host.descriptor(EXPONENTIATE, [1, 2], 1) for _ in range(100)]
    given = [0] * CORES
    going = True
    dispatcher = dut.u_dispatcher

    async def watch():
        while going:
            await RisingEdge(dut.clk_i)
            offered = int(dispatcher.core_job_valid.value) & int(dispatcher.core_job_ready.value)
            for i in range(CORES):
                given[i] += offered >> i & 1

    cocotb.start_soon(watch())
    await host.run(descriptors)
    going = False
    assert sum(given) == 100
    assert min(given) >= 100 // CORES // 2, f"jobs by core: {given}"
