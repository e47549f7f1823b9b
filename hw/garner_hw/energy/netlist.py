# SPDX-License-Identifier: Apache-2.0
"""A unit's netlist of the library's cells, its memories apart."""

import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from garner_hw import ToolError
from garner_hw.energy.opensta import LIBRARY
from garner_hw.synthesis import YOSYS

DELAY = 5000         # ps: what the mapping to cells aims at
CLOCK = "clk_i"
OUTPUTS = ("Y", "Q", "YC", "YS")  # the pins that the library's cells drive
MEMORIES = "memories"  # the module of the memories that are set apart; the netlist's ports to it begin so

Run = Callable[[list[str], str, Path], None]  # of a program: command, what it is, its log


@dataclass(frozen=True)
class Port:
    """A port of the netlist: one of the unit's, or one to the memories that are set apart."""

    name: str
    width: int
    is_input: bool
    to_memory: bool = False


@dataclass(frozen=True)
class Netlist:
    """What a replay and OpenSTA need to know of netlist.v."""

    ports: list[Port]
    drivers: dict[str, str]  # net by the pin that drives it, CELL/PIN: of every cell

    @property
    def cells(self) -> int:
        return len({pin.split("/")[0] for pin in self.drivers})


def write(top: str, files: list[Path], parameters: dict, folder: Path, run: Run, clock: str = CLOCK,
          memories_apart: bool = False) -> Netlist:
    """Writes netlist.v, of library cells, and cells.v, their behaviour; with `memories_apart` also memories.v, and then no
    memory is cells, and what the source leaves undefined is 0. The clock is none of the ports."""
    generics = [f"-G{name}={value}" for name, value in parameters.items()]
    synthesis = ["proc -noopt", "setundef -zero", f"synth -top {top} -flatten -run begin:fine", *apart(top, clock),
                 f"synth -top {top} -run fine:"]
    script = folder / "netlist.ys"
    script.write_text("\n".join([
        " ".join(["read_slang", "--top", top, *generics, *map(str, files)]),
        *(synthesis if memories_apart else [f"synth -top {top} -flatten"]),
        f"dfflibmap -liberty {LIBRARY}", f"abc -liberty {LIBRARY} -D {DELAY}",
        "opt_clean -purge", "setundef -zero", "splitnets", "clean",
        "rename -enumerate",  # or the Verilog has names of its own for what has none
        "write_json netlist.json",
        "write_verilog -noattr -noexpr -simple-lhs netlist.v", "design -reset",
        f"read_liberty -ignore_miss_func {LIBRARY}", "write_verilog -noattr cells.v"]) + "\n")
    run([*YOSYS, str(script)], "the synthesis of library cells", folder / "netlist.log")
    return read(json.loads((folder / "netlist.json").read_text())["modules"][top], clock)


def read(unit: dict, clock: str) -> Netlist:
    """Of a module as Yosys writes it."""
    ports = [Port(name, len(port["bits"]), port["direction"] == "input", name.startswith(f"{MEMORIES}_"))
             for name, port in unit["ports"].items() if name != clock]
    nets = {bit: net for name, wire in unit["netnames"].items() for bit, net in zip(wire["bits"], bits(name, len(wire["bits"])))}
    drivers = {f"{name}/{pin}": nets[net[0]]
               for name, cell in unit["cells"].items() for pin, net in cell["connections"].items() if pin in OUTPUTS and net}
    netlist = Netlist(ports, drivers)
    if netlist.cells != len(unit["cells"]):
        raise ToolError(f"of the netlist's {len(unit['cells'])} cells only {netlist.cells} drive one of {', '.join(OUTPUTS)}")
    return netlist


def bits(name: str, width: int) -> list[str]:
    return [name] if width == 1 else [f"{name}[{index}]" for index in range(width)]


def apart(top: str, clock: str) -> list[str]:
    """Commands of Yosys: all memories of the flat `top` go into the module MEMORIES, written to a file of its own; what was
    connected to them becomes ports of `top`."""
    return ["rename -hide w:* i:* %d o:* %d",  # the module's ports get short names
            f"submod -name {MEMORIES} t:$mem_v2", f"select {MEMORIES}", f"write_verilog -noattr -selected {MEMORIES}.v",
            "select -clear", f"expose -evert -sep _ {top}/c:{MEMORIES}", f"delete {MEMORIES}",
            f"delete -output w:{MEMORIES}_{clock}"]  # the replay's own clock reaches the memories
