# SPDX-License-Identifier: Apache-2.0
"""The system as an FPGA has it, seen from its serial line alone: it boots from its block RAM, every accelerator answers,
it signs, and it says that it has stopped.
"""

import random

import cocotb
import pytest
from cocotb.clock import Clock
from cocotb.triggers import RisingEdge

from garner_hw.drivers.uart import Line
from garner_hw.model.rsa import Key
from garner_hw.simulate import simulate
from garner_hw.soc import LEVELS, build
from garner_hw.soc.system import scheme_code
from garner_hw.sources import cells, sources
from garner_hw.synthesis import netlist

PERIOD, DIVISOR = 10, 8  # ns; cycles of a bit
MEMORY = 128 * 1024
# Core and multiplier of four multipliers each: that is enough, and simulates sooner.
PARAMETERS = {"Words": MEMORY // 4, "Rows": 2, "Divisor": DIVISOR}
# A byte comes within so many ns of the last: longer than an RSA private operation of 512 bits takes.
LIMIT = 3_000_000 * PERIOD
QUIET = ["-Wno-lint", "-Wno-style", "--public-ignore"]


def test_system_of_an_fpga_signs_over_its_serial_line():
    image = build.firmware(memory=MEMORY)
    simulate("soc_serial", [*sources("soc_serial", "ecp5"), build.processor(), *cells("ecp5")], __name__, PARAMETERS,
             build_arguments=[*QUIET, f'-DFIRMWARE="{image}"'], inside=())


@pytest.mark.soak  # minutes; the memory's netlist is always run, test_memory_netlist.py
def test_ecp5_netlist_of_the_system_signs_over_its_serial_line():
    image = build.firmware(memory=MEMORY)
    files, counts = netlist.ecp5("soc_serial", PARAMETERS, others=(build.processor(),), contents=image)
    assert counts["DP16KD"] > MEMORY * 8 // 16384 and counts["MULT18X18D"] > 8
    simulate("soc_serial", files, __name__, {}, variant="netlist", build_arguments=netlist.BUILD_ARGUMENTS, inside=None)


@cocotb.test(timeout_time=200, timeout_unit="ms")
async def every_accelerator_answers_and_the_core_signs(dut):
    cocotb.start_soon(Clock(dut.clk_i, PERIOD, "ns").start())
    dut.rst_ni.value = 0
    line = Line(dut.rx_i, dut.tx_o, PERIOD * DIVISOR)
    for _ in range(5):
        await RisingEdge(dut.clk_i)
    dut.rst_ni.value = 1

    async def asked(command: str) -> dict:
        assert await line.receive(LIMIT) == ord(">")
        cocotb.start_soon(line.send(command.encode() + b"\n"))
        said = (await line.line(LIMIT)).split()
        assert said[0] == "ok", (command, said)
        return {"value": int(said[1], 16)} | {name: int(figure) for name, figure in zip(said[2::2], said[3::2])}

    for level, bits in (("row", 64), ("mul", 64), ("exp", 512)):
        n, exponent = 1 << bits - 1 | random.getrandbits(bits) | 1, random.getrandbits(24)
        base = random.randrange(n)
        answer = await asked(f"exp {LEVELS[level]} {scheme_code('sliding')} {bits} {n:x} {base:x} {exponent:x}")
        assert (answer["value"], answer["fallback"]) == (pow(base, exponent, n), 0), (level, n, base, exponent, answer)
    key = Key.generate(512)
    m = random.randrange(key.n)
    parts = (key.n, key.e, key.p, key.q, key.dp, key.dq, key.qinv, m)
    answer = await asked(f"private {LEVELS['op']} {key.bits} " + " ".join(f"{part:x}" for part in parts))
    assert (answer["value"], answer["fallback"]) == (pow(m, key.d, key.n), 0), (key, m, answer)
    dut._log.info(f"RSA-512 by the core: {answer['cycles']} cycles")
    assert int(dut.stopped_o.value) == 0 and int(dut.lost_o.value) == 0
    assert await line.receive(LIMIT) == ord(">")
    await line.send(b"stop 42\n")
    for _ in range(20_000):
        await RisingEdge(dut.clk_i)
        if int(dut.stopped_o.value):
            break
    assert int(dut.stopped_o.value) and int(dut.stop_code_o.value) == 42
