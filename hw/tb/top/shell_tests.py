# SPDX-License-Identifier: Apache-2.0
"""The shell and the dispatcher around small adding cores: run by test_shell.py."""

import os
import random

import cocotb
from cocotb.triggers import ClockCycles, ReadOnly, RisingEdge

from garner_hw.drivers.host import (BAD_DESCRIPTOR, BAD_LENGTH, BAD_MODULUS, BAD_OP, BAD_SLOT, BUS_FAULT, CHECK_FAILED,
                                    COMPLETION, DESCRIPTOR, EMPTY_SLOT, EXPONENTIATE, LOAD_KEY, LOAD_MODULUS, MEMORY_BASE,
                                    MULTIPLY, OK, PRIVATE, REGISTERS, ZEROISE, Host, answer, header)
from tb.top.shell_jobs import MASK, expected, key_words, random_job, words

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


@cocotb.test()
async def registers_say_what_was_built(dut):
    host = await ready(dut)
    assert await host.read("ID") == 0x4E524147
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
async def unmapped_register_answers_with_an_error_and_bytes_are_written_alone(dut):
    host = await ready(dut, stall=0.3)
    assert (await host.registers.write(0xFFC, b"1234")).resp != 0
    assert (await host.registers.read(0xFFC, 4)).resp != 0
    await host.write("SUBMISSION_BASE_HIGH", 0x11223344)
    await host.registers.write(REGISTERS["SUBMISSION_BASE_HIGH"] + 1, b"\xAB\xCD")
    assert await host.read("SUBMISSION_BASE_HIGH") == 0x11CDAB44


@cocotb.test()
async def hundreds_of_jobs_wrap_the_rings_and_end_out_of_order(dut):
    host = await ready(dut, stall=0.25, submission_log2=5, completion_log2=3)
    keys = await load_keys(host)
    order = []
    poll = host.poll
    host.poll = lambda: [order.append(found.tag) or found for found in poll()]
    descriptors, results = jobs(host, keys, 300)
    check(host, descriptors, results, await host.run(descriptors))
    assert sorted(order) == list(range(300))
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


@cocotb.test()
async def bus_faults_end_in_a_completion_and_the_core_stays_usable(dut):
    host = await ready(dut, stall=0.2)
    keys = await load_keys(host, [0])
    await host.write("ERROR", 0xF)
    await host.write("INTERRUPT_STATUS", 7)
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
    # a descriptor that cannot be read: its index says which
    index = host.tail
    at = host.submission + DESCRIPTOR.bytes * (index % (1 << host.log2[0]))
    memory.read_faults.append(range(at + 32, at + 40))
    completion = await host.one(host.descriptor(PRIVATE, [1, 2], 2, tag=5))
    assert (completion.status, completion.index) == (BUS_FAULT, index)
    memory.read_faults.clear()
    assert await host.read("ERROR") == REGISTERS["ERROR_DESCRIPTOR_FAULT"]
    # a completion that cannot be written is lost and told by ERROR
    at = host.completion + COMPLETION.bytes * (host.completed % (1 << host.log2[1]))
    memory.write_faults.append(range(at, at + COMPLETION.bytes))
    host.put(host.descriptor(PRIVATE, [1, 2], 2))
    await host.ring()
    await ClockCycles(dut.clk_i, 3000)
    assert await host.read("ERROR") == REGISTERS["ERROR_DESCRIPTOR_FAULT"] | REGISTERS["ERROR_COMPLETION_FAULT"]
    assert await host.read("COMPLETION_TAIL") == host.completed + 1
    memory.write_faults.clear()
    await host.stop()  # the place keeps an old phase: the rings start anew
    await host.start()
    descriptors, results = jobs(host, keys, 20)
    check(host, descriptors, results, await host.run(descriptors))
    assert await host.field("INTERRUPT_STATUS_ERROR") == 1


@cocotb.test()
async def every_core_gets_a_key_and_the_worst_answer_counts(dut):
    host = await ready(dut, stall=0.2)
    keys = await load_keys(host)
    # a key among running jobs is a barrier: those before it use the old one, those behind it the new one
    fresh = key_words(random)
    before, results_before = jobs(host, {0: keys[0]}, 4 * CORES)
    after, results_after = jobs(host, {0: sum(fresh) & MASK}, 4 * CORES)
    all_jobs = before + [host.descriptor(LOAD_KEY, fresh, slot=0)] + after
    done = await host.run(all_jobs)
    assert all(completion.status == OK for completion in done.values())
    for descriptor, result in zip(before + after, results_before + results_after):
        assert host.result(descriptor) == result
    for sick in range(CORES):
        dut[f"gen_core[{sick}]"].u_core.sick_q.value = 1
        assert (await host.one(host.descriptor(LOAD_MODULUS, fresh, slot=1))).status == CHECK_FAILED
        dut[f"gen_core[{sick}]"].u_core.sick_q.value = 0
        assert (await host.one(host.descriptor(LOAD_KEY, fresh, slot=1))).status == OK
    # emptied in every core
    assert (await host.one(host.descriptor(ZEROISE, slot=1))).status == OK
    done = await host.run([host.descriptor(PRIVATE, [1], 1, slot=1) for _ in range(3 * CORES)])
    assert {completion.status for completion in done.values()} == {EMPTY_SLOT}


@cocotb.test()
async def interrupts_come_for_marked_completions_batches_time_and_idleness(dut):
    host = await ready(dut, submission_log2=6, completion_log2=6)
    keys = await load_keys(host, [0])
    completion_line, idle_line, error_line = 0, 1, 2

    async def clear():
        await host.write("INTERRUPT_STATUS", 7)
        assert await host.read("INTERRUPT_STATUS") == 0
        assert int(dut.irq_o.value) == 0

    # masked: the status comes up, the line does not
    await clear()
    assert (await host.one(host.descriptor(PRIVATE, [1], 1, mark=True))).status == OK
    await ClockCycles(dut.clk_i, 4)
    assert await host.read("INTERRUPT_STATUS") == 3
    assert int(dut.irq_o.value) == 0
    await clear()
    await host.write("INTERRUPT_ENABLE", 7)
    # not marked: none but idle
    await host.one(host.descriptor(PRIVATE, [1], 1))
    assert await host.read("INTERRUPT_STATUS") == REGISTERS["INTERRUPT_STATUS_IDLE"]
    assert int(dut.irq_o.value) == 1 << idle_line
    await clear()
    # marked: when the line comes up the completion is in memory
    host.put(host.descriptor(PRIVATE, [1], 1, mark=True))
    await host.ring()
    assert await host.interrupt(completion_line, 3000)
    assert len(host.poll()) == 1
    await host.write("COMPLETION_HEAD", host.completed)
    await clear()
    # writing 1 clears that bit alone
    await host.one(host.descriptor(PRIVATE, [1], 1, mark=True))
    await host.write("INTERRUPT_STATUS", REGISTERS["INTERRUPT_STATUS_COMPLETION"])
    assert await host.read("INTERRUPT_STATUS") == REGISTERS["INTERRUPT_STATUS_IDLE"]
    await clear()

    # a batch: one interrupt for every eight completions
    await host.write("INTERRUPT_COALESCE", 8)
    raised = 0
    descriptors, results = jobs(host, keys, 43)
    for descriptor in descriptors:
        host.put(descriptor)
    await host.ring()
    done = 0
    while done < 40:
        assert await host.interrupt(completion_line, 5000), "a batch is complete and nobody is told"
        raised += 1
        await host.write("INTERRUPT_STATUS", REGISTERS["INTERRUPT_STATUS_COMPLETION"])
        done += len(host.poll())
        assert done >= 8 * raised
    assert await host.interrupt(idle_line, 5000)
    done += len(host.poll())
    assert done == 43
    # what may have come in while the host cleared is one more at the most, and never one for each completion
    assert raised <= 5
    await host.write("COMPLETION_HEAD", host.completed)
    await clear()
    # time: three are left over from the batch above, the timer is off; with it they raise one
    await host.write("INTERRUPT_COALESCE", 2000 << 8)
    assert await host.interrupt(completion_line, 2100)
    await clear()
    host.put(host.descriptor(PRIVATE, [1], 1))
    await host.ring()
    assert await host.interrupt(idle_line, 1500)
    assert not await host.interrupt(completion_line, 1900), "too early"
    assert await host.interrupt(completion_line, 200)
    host.poll()
    await host.write("COMPLETION_HEAD", host.completed)
    await clear()
    # an error
    host.put(host.descriptor(PRIVATE, [1], 1, operand_address=8))
    await host.ring()
    assert await host.interrupt(error_line, 1000)


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
async def zeroise_answers_what_was_taken_and_overwrites_keys_and_buffers(dut):
    host = await ready(dut, stall=0.1, submission_log2=6, completion_log2=6)
    keys = await load_keys(host)
    descriptors, results = jobs(host, keys, 30)
    places = {host.put(descriptor): place for place, descriptor in enumerate(descriptors)}
    await host.ring()
    await ClockCycles(dut.clk_i, 700)
    await host.write("CONTROL", REGISTERS["CONTROL_ENABLE"] | REGISTERS["CONTROL_ZEROISE"])
    await ClockCycles(dut.clk_i, 5)
    assert await host.field("STATUS_ZEROISING") == 1
    wiped = False
    done = {}
    for _ in range(50_000):
        if len(done) == 30:
            break
        await RisingEdge(dut.clk_i)
        if not wiped and int(dut.u_shell.u_dma.u_operands.wiping_o.value):
            wiped = True
            await ClockCycles(dut.clk_i, OPERAND_WORDS + 12)
            for buffer in (dut.u_shell.u_dma.u_operands, dut.u_shell.gen_stream.u_stream.u_operands):
                assert all(int(buffer.u_memory.memory[i].value) == 0 for i in range(OPERAND_WORDS)), "operands are left"
                for register in (buffer.u_ahead.spare_q, buffer.u_ahead.out_data_o, buffer.u_memory.word_q,
                                 buffer.u_memory.read_data_o):
                    assert int(register.value) == 0, f"operands are left in {register._path}"
        for completion in host.poll():
            done[places[completion.index]] = completion.status
    assert wiped
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


@cocotb.test()
async def counters_are_exact(dut):
    host = await ready(dut, stall=0.2)
    keys = await load_keys(host)
    await ClockCycles(dut.clk_i, 50)
    counted = dict.fromkeys(("CYCLES", "BUSY_CORE_CYCLES", "BUS_BEATS", "BUS_CYCLES"), 0)
    going = True
    under_way = {"read": 0, "write": 0}

    async def count():
        dut_values = [dut.m_axi_rvalid, dut.m_axi_rready, dut.m_axi_wvalid, dut.m_axi_wready]
        while going:
            await ReadOnly()
            rvalid, rready, wvalid, wready = (int(signal.value) for signal in dut_values)
            counted["CYCLES"] += 1
            counted["BUS_BEATS"] += (rvalid & rready) + (wvalid & wready)
            counted["BUSY_CORE_CYCLES"] += sum(int(dut[f"gen_core[{i}]"].u_core.busy_o.value) for i in range(CORES))
            reading = int(dut.m_axi_arvalid.value) or under_way["read"]
            # a write is under way from its address or first beat on, whichever comes first
            writing = int(dut.m_axi_awvalid.value) or wvalid or under_way["write"]
            counted["BUS_CYCLES"] += bool(reading or writing)
            under_way["read"] += (int(dut.m_axi_arvalid.value) & int(dut.m_axi_arready.value)) - (
                rvalid & rready & int(dut.m_axi_rlast.value))
            under_way["write"] += (int(dut.m_axi_awvalid.value) & int(dut.m_axi_awready.value)) - (
                int(dut.m_axi_bvalid.value) & int(dut.m_axi_bready.value))
            await RisingEdge(dut.clk_i)

    await host.write("CONTROL", REGISTERS["CONTROL_ENABLE"] | REGISTERS["CONTROL_CLEAR_COUNTERS"])
    await ClockCycles(dut.clk_i, 10)  # nothing but time has gone by since the clearing
    base = await host.counter("CYCLES")
    assert 0 < base < 100
    task = cocotb.start_soon(count())
    descriptors, results = jobs(host, keys, 25)
    descriptors.append(host.descriptor(PRIVATE, [1], 1, slot=99))
    done = await host.run(descriptors)
    check(host, descriptors[:25], results, {place: done[place] for place in range(25)})
    assert done[25].status == BAD_SLOT
    await ClockCycles(dut.clk_i, 20)
    going = False
    await task
    assert await host.counter("JOBS") == 26
    assert await host.counter("JOBS_FAILED") == 1
    assert await host.counter("BUSY_CORE_CYCLES") == counted["BUSY_CORE_CYCLES"] > 0
    assert await host.counter("BUS_BEATS") == counted["BUS_BEATS"]
    assert await host.counter("BUS_CYCLES") == counted["BUS_CYCLES"]
    first = await host.counter("CYCLES")
    assert counted["CYCLES"] < first < counted["CYCLES"] + 1000
    busy = sum(completion.cycles for completion in done.values())
    assert busy >= counted["BUSY_CORE_CYCLES"], "a job's cycles hold the core's"


def reserved_set(words: list[int], word: int) -> list[int]:
    """The header with the highest reserved bit of a word set."""
    highest = [field for field in DESCRIPTOR.upward(word, 1) if field.name.startswith("reserved_")][-1].high
    return [value | (i == word) << highest for i, value in enumerate(words)]


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
    bad = [([*header(PRIVATE, 200)][:1], BAD_LENGTH), ([*header(PRIVATE, 201)], BAD_LENGTH),
           ([*header(ZEROISE, 202, 3), 1, 2, 3], BAD_LENGTH), ([*header(PRIVATE, 203), *[7] * 513], BAD_LENGTH),
           ([*header(PRIVATE, 204), *[7] * 600], BAD_LENGTH),
           ([*reserved_set(header(PRIVATE, 205), 0), 1, 2], BAD_DESCRIPTOR),
           (reserved_set(header(PRIVATE, 206), 1), BAD_DESCRIPTOR),
           ([*header(9, 207), 1, 2, 3], BAD_OP), ([*header(PRIVATE, 208, 77), 1], BAD_SLOT)]
    for tag, (packet, status) in enumerate(bad, 200):
        packets.insert(random.randrange(len(packets)), packet)
        expected_packets[tag] = (status, [])
    longest = [random.getrandbits(32) for _ in range(512)]
    packets.append([*header(PRIVATE, 300), *longest])
    expected_packets[300] = (OK, expected(PRIVATE, longest, keys[0]))
    await host.idle()
    jobs_before = await host.counter("JOBS")

    async def send():
        for packet in packets:
            await host.send(packet)

    sender = cocotb.start_soon(send())
    descriptors, results = jobs(host, keys, 60)
    ring = cocotb.start_soon(host.run(descriptors))
    for _ in range(len(packets)):
        status, tag, cycles, result = answer(await host.receive())
        assert expected_packets.pop(tag) == (status, result), tag
        assert (cycles == 0) == (tag < 207 and tag >= 200), "what reached no core took none of its time"
    assert not expected_packets
    await sender
    check(host, descriptors, results, await ring)
    await host.idle()
    assert await host.counter("JOBS") == jobs_before + len(packets) + 60
    # a key by packet reaches every core, too
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
