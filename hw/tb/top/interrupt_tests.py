# SPDX-License-Identifier: Apache-2.0
"""The shell and the dispatcher around small adding cores, run by test_shell.py: interrupts and counters."""

import cocotb
from cocotb.triggers import ClockCycles, ReadOnly, RisingEdge

from garner_hw.drivers.host import BAD_SLOT, EVERY_INTERRUPT, OK, PRIVATE, REGISTERS, Host
from tb.top.shell_host import CORES, IN_FLIGHT, check, jobs, load_keys, ready


COMPLETION, IDLE, ERROR = range(3)  # lines
NONE = 0


async def begin(dut, enabled=EVERY_INTERRUPT) -> tuple[Host, dict[int, int]]:
    """A host that has loaded a key, and its keys. No completion is counted any more, and nothing is raised."""
    host = await ready(dut, submission_log2=6, completion_log2=6)
    keys = await load_keys(host, [0])
    await host.one(job(host, mark=True))
    await clear(host)
    await host.write("INTERRUPT_ENABLE", enabled)
    return host, keys


async def clear(host: Host) -> None:
    await host.write("INTERRUPT_STATUS", EVERY_INTERRUPT)
    assert await host.read("INTERRUPT_STATUS") == 0
    assert int(host.dut.irq_o.value) == 0


def job(host: Host, mark=False, **options) -> bytes:
    return host.descriptor(PRIVATE, [1], 1, mark=mark, **options)


@cocotb.test()
async def a_cause_that_is_not_enabled_raises_its_status_and_no_line(dut):
    host, _ = await begin(dut, NONE)
    assert (await host.one(job(host, mark=True))).status == OK
    await ClockCycles(dut.clk_i, 4)
    assert await host.read("INTERRUPT_STATUS") == REGISTERS["INTERRUPT_STATUS_COMPLETION"] | REGISTERS["INTERRUPT_STATUS_IDLE"]
    assert int(dut.irq_o.value) == 0


@cocotb.test()
async def a_job_that_is_not_marked_raises_idle_alone(dut):
    host, _ = await begin(dut)
    await host.one(job(host))
    assert await host.read("INTERRUPT_STATUS") == REGISTERS["INTERRUPT_STATUS_IDLE"]
    assert int(dut.irq_o.value) == 1 << IDLE


@cocotb.test()
async def the_completion_of_a_marked_job_is_in_memory_when_its_line_comes_up(dut):
    host, _ = await begin(dut)
    host.put(job(host, mark=True))
    await host.ring()
    assert await host.interrupt(COMPLETION, 3000)
    assert len(host.poll()) == 1


@cocotb.test()
async def writing_a_one_clears_that_bit_alone(dut):
    host, _ = await begin(dut)
    await host.one(job(host, mark=True))
    await host.write("INTERRUPT_STATUS", REGISTERS["INTERRUPT_STATUS_COMPLETION"])
    assert await host.read("INTERRUPT_STATUS") == REGISTERS["INTERRUPT_STATUS_IDLE"]


@cocotb.test()
async def completions_that_are_counted_raise_one_interrupt_for_a_batch(dut):
    host, keys = await begin(dut)
    await host.write("INTERRUPT_COALESCE", 8)
    raised = 0
    descriptors, _ = jobs(host, keys, 43)
    for descriptor in descriptors:
        host.put(descriptor)
    await host.ring()
    done = 0
    while done < 40:
        assert await host.interrupt(COMPLETION, 5000), "a batch is complete and nobody is told"
        raised += 1
        await host.write("INTERRUPT_STATUS", REGISTERS["INTERRUPT_STATUS_COMPLETION"])
        done += len(host.poll())
        assert done >= 8 * raised
    assert await host.interrupt(IDLE, 5000)
    done += len(host.poll())
    assert done == 43
    # what may have come in while the host cleared is one more at the most, and never one for each completion
    assert raised <= 5


@cocotb.test()
async def what_is_left_over_from_a_batch_is_raised_when_the_timer_is_set(dut):
    host, _ = await begin(dut)
    await host.write("INTERRUPT_COALESCE", 8)
    await host.one(job(host))
    await clear(host)
    await host.write("INTERRUPT_COALESCE", coalesce(cycles=2000))
    assert await host.interrupt(COMPLETION, 2100)


@cocotb.test()
async def a_completion_waits_for_the_timer_and_no_longer(dut):
    host, _ = await begin(dut)
    await host.write("INTERRUPT_COALESCE", coalesce(cycles=2000))
    host.put(job(host))
    await host.ring()
    assert await host.interrupt(IDLE, 1500)
    assert not await host.interrupt(COMPLETION, 1900), "too early"
    assert await host.interrupt(COMPLETION, 200)


async def disabled(host: Host, descriptors: list[bytes]) -> None:
    """Puts these in, and disables the rings when as many are fetched as can be; none of them is completed before."""
    answers = host.axi.write_if.b_channel
    answers.pause = True
    for descriptor in descriptors:
        host.put(descriptor)
    await host.ring()
    await ClockCycles(host.dut.clk_i, 3000)
    assert await host.read("INTERRUPT_STATUS") == 0
    await host.write("CONTROL", 0)
    answers.pause = False


@cocotb.test()
async def marked_completions_of_disabled_rings_raise_their_line(dut):
    host, _ = await begin(dut)
    await disabled(host, [job(host, mark=True)])
    assert await host.interrupt(COMPLETION, 1000)


@cocotb.test()
async def completions_are_counted_until_disabled_rings_are_idle_and_forgotten_then(dut):
    host, _ = await begin(dut)
    await host.write("INTERRUPT_COALESCE", 2)
    for count in (3, 2):  # one is left over, none is
        await disabled(host, [job(host)] * count)
        assert await host.interrupt(COMPLETION, 3000)
        assert await host.interrupt(IDLE, 3000)
        await host.stop()
        await clear(host)
        await host.start()
        await host.one(job(host))
        assert not await host.interrupt(COMPLETION, 100)
        await host.stop()
        await clear(host)
        await host.start()


@cocotb.test()
async def disabled_rings_raise_idle_with_descriptors_that_were_not_fetched(dut):
    host, _ = await begin(dut)
    before = await host.read("SUBMISSION_HEAD")
    # Of those that are fetched the first is being completed, the last but one refused, the last held.
    await disabled(host, [job(host)] * (IN_FLIGHT + 1) + [job(host, result_address=1)] + [job(host)] * 4)
    fetched = await host.read("SUBMISSION_HEAD") - before
    assert fetched == IN_FLIGHT + 3, "as CAPABILITY_CORES.in_flight says"
    assert await host.interrupt(IDLE, 1000 * fetched)
    assert len(host.poll()) == fetched


@cocotb.test()
async def a_descriptor_that_is_wrong_raises_error(dut):
    host, _ = await begin(dut)
    host.put(job(host, operand_address=8))
    await host.ring()
    assert await host.interrupt(ERROR, 1000)


def coalesce(cycles: int) -> int:
    """INTERRUPT_COALESCE without a count."""
    mask = REGISTERS["INTERRUPT_COALESCE_CYCLES"]
    return cycles * (mask & -mask)


@cocotb.test()
async def clearing_sets_the_counters_to_nothing(dut):
    host, keys = await begin(dut)
    descriptors, _ = jobs(host, keys, 5)
    await host.run(descriptors)
    await host.idle()
    assert await host.counter("JOBS") > 0
    await host.write("CONTROL", REGISTERS["CONTROL_ENABLE"] | REGISTERS["CONTROL_CLEAR_COUNTERS"])
    await ClockCycles(dut.clk_i, 10)  # nothing but time has gone by since the clearing
    for name in ("JOBS", "JOBS_FAILED", "BUSY_CORE_CYCLES", "BUS_BEATS", "BUS_CYCLES"):
        assert await host.counter(name) == 0, name
    assert 0 < await host.counter("CYCLES") < 300


@cocotb.test()
async def jobs_and_those_that_failed_are_counted(dut):
    host, keys = await begin(dut)
    await host.write("CONTROL", REGISTERS["CONTROL_ENABLE"] | REGISTERS["CONTROL_CLEAR_COUNTERS"])
    descriptors, results = jobs(host, keys, 25)
    descriptors.append(host.descriptor(PRIVATE, [1], 1, slot=99))
    done = await host.run(descriptors)
    check(host, descriptors[:25], results, {place: done[place] for place in range(25)})
    assert done[25].status == BAD_SLOT
    await host.idle()
    assert await host.counter("JOBS") == 26
    assert await host.counter("JOBS_FAILED") == 1


@cocotb.test()
async def cycles_and_beats_are_counted_as_signals_show_them(dut):
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
    await ClockCycles(dut.clk_i, 10)
    before = await host.counter("CYCLES")
    task = cocotb.start_soon(count())
    descriptors, _ = jobs(host, keys, 25)
    done = await host.run(descriptors)
    await ClockCycles(dut.clk_i, 20)
    going = False
    await task
    assert await host.counter("BUSY_CORE_CYCLES") == counted["BUSY_CORE_CYCLES"] > 0
    assert await host.counter("BUS_BEATS") == counted["BUS_BEATS"]
    assert await host.counter("BUS_CYCLES") == counted["BUS_CYCLES"]
    assert counted["CYCLES"] < await host.counter("CYCLES") - before < counted["CYCLES"] + 1000
    busy = sum(completion.cycles for completion in done.values())
    assert busy >= counted["BUSY_CORE_CYCLES"], "a job's cycles hold the core's"
