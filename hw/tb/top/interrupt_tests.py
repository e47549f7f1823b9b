# SPDX-License-Identifier: Apache-2.0
"""The shell and the dispatcher around small adding cores, run by test_shell.py: interrupts and counters."""

import cocotb
from cocotb.triggers import ClockCycles, ReadOnly, RisingEdge

from garner_hw.drivers.host import BAD_SLOT, OK, PRIVATE, REGISTERS
from tb.top.shell_host import CORES, check, jobs, load_keys, ready


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
