# SPDX-License-Identifier: Apache-2.0
"""The energy of one multiplication: the switching of a netlist of OSU 0.18 um cells, weighed by OpenSTA.

    RTL -> netlist of library cells (Yosys)
    bench, which multiplies -> every port of the unit in every cycle -> replayed into the netlist -> SAIF -> OpenSTA

The replay compares the netlist's outputs with the unit's in every cycle of the multiplication, those included in which the
unit waits for the processor. There are no wires, no glitches, and memories are set apart: the replay has them as Verilog
beside the netlist, and they are not weighed, as those outside of a unit are not. The figure orders designs, and is no FPGA's
energy.

garner_hw.soc.energy weighs the units of the system on chip by the same functions.
"""

import json
import re
import subprocess
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from hashlib import sha256
from pathlib import Path

from garner_hw import BUILD, FETCH, ToolError
from garner_hw.simulate import VERILATOR
from garner_hw.synthesis import YOSYS

FOLDER = BUILD / "opensta"
LIBRARY = FOLDER / "root" / "usr" / "share" / "qflow" / "tech" / "osu018" / "osu018_stdcells.lib"
DELAY = 5000         # ps: what the mapping to cells aims at
PERIOD = 10          # ns: of the clock at which the power is reported; the energy does not depend on it but for leakage
CLOCK = "clk_i"
OUTPUTS = ("Y", "Q", "YC", "YS")  # the pins that the library's cells drive
TRACED = """`verilator_config
tracing_off -file "*cells.v"
tracing_off -file "*memories.v"
"""  # the netlist's own nets alone: tracing every pin as well made the replay's build six times as long
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


def fetched() -> None:
    """Brings OpenSTA and the library if they are not there whole."""
    whole = FOLDER / "whole"
    if not whole.exists():
        command = [str(FETCH / "debian.sh"), str(FOLDER), "bookworm", "opensta", "qflow-tech-osu018"]
        if subprocess.run(command, check=False).returncode:
            raise ToolError("OpenSTA and its library of cells cannot be fetched from Debian")
        whole.touch()


@cache
def versions() -> dict[str, str]:
    """Of OpenSTA and of the library. Raises where OpenSTA says none: every circuit would have another name without."""
    fetched()
    said = subprocess.run([*sta(), "-version"], capture_output=True, text=True)
    if said.returncode or not said.stdout.strip():
        raise ToolError(f"`{' '.join(said.args)}` says no version: "
                         f"{said.stderr.strip() or f'it ended with {said.returncode}'}")
    return {"opensta": said.stdout.strip(), "osu018": sha256(LIBRARY.read_bytes()).hexdigest()[:12]}


def sta() -> list[str]:
    return [str(FETCH / "run.sh"), str(FOLDER), "sta"]


def netlist(top: str, files: list[Path], parameters: dict, folder: Path, run: Run, clock: str = CLOCK,
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


def recorder(top: str, ports: list[Port], trace: Path, clock: str = CLOCK) -> str:
    """A module bound to the unit that writes all inputs and all outputs before every rising edge, a line a cycle."""
    declared = ",\n".join(f"  input logic [{port.width - 1}:0] {port.name}" for port in ports if not port.to_memory)
    return f"""
module {top}_recorder (
  input logic {clock},
{declared}
);
  int file;
  initial file = $fopen("{trace}", "w");
  always @(posedge {clock}) $fwrite(file, "%b %b\\n", {{{names(ports, True)}}}, {{{names(ports, False)}}});
  final $fclose(file);
endmodule

bind {top} {top}_recorder u_recorder (.*);
"""


def replay(top: str, ports: list[Port], trace: Path, first: int, last: int, clock: str = CLOCK) -> str:
    """A program that replays a recording into the netlist; of the lines `first` to `last` it compares the outputs and
    dumps the switching."""
    signals = "\n".join(f"  logic [{port.width - 1}:0] {port.name};" for port in ports)
    widths = [sum(port.width for port in ports if port.is_input is way and not port.to_memory) for way in (True, False)]
    wired = [f".{port.name.removeprefix(f'{MEMORIES}_')}({port.name})" for port in ports if port.to_memory]
    memories = f"  {MEMORIES} u_{MEMORIES} ({', '.join([f'.{clock}', *wired])});" if wired else ""
    return f"""
`timescale 1ns/1ps
module replay;
  logic {clock} = 1'b0;
{signals}
  logic [{widths[0] - 1}:0] inputs;
  logic [{widths[1] - 1}:0] outputs;
  assign {{{names(ports, True)}}} = inputs;
  {top} dut (.*);
{memories}

  int file;
  initial begin
    file = $fopen("{trace}", "r");
    for (int line = 0; line <= {last}; line++) begin
      if ($fscanf(file, "%b %b\\n", inputs, outputs) != 2) $fatal(1, "the recording ends at line %0d", line);
      if (line == {first}) begin
        $dumpfile("switching.saif");
        $dumpvars(0, dut);
      end
      #{PERIOD / 2};
      if (line >= {first} && {{{names(ports, False)}}} != outputs) $fatal(1, "the netlist differs in cycle %0d", line);
      {clock} = 1'b1;
      #{PERIOD / 2};
      {clock} = 1'b0;
    end
    $finish;
  end
endmodule
"""


def names(ports: list[Port], inputs: bool) -> str:
    """Of what is recorded."""
    return ", ".join(port.name for port in ports if port.is_input is inputs and not port.to_memory)


def window(trace: Path, ports: list[Port], cycles: int) -> tuple[int, int]:
    """The first and the last line of the last multiplication, which is busy for so many cycles."""
    outputs = [port for port in ports if not port.is_input and not port.to_memory]
    before = sum(port.width for port in outputs[:[port.name for port in outputs].index("busy_o")])
    with trace.open() as lines:
        busy = [number for number, line in enumerate(lines) if line.split()[1][before] == "1"]
    if len(busy) < cycles:
        raise ToolError(f"{trace}: the unit is busy in {len(busy)} cycles, a multiplication takes {cycles}")
    return busy[-cycles], busy[-1]


def activity(saif: Path, instance: str, cycles: int) -> dict[str, tuple[float, float]]:
    """(transitions a cycle, share of the time high) of the ports and nets of `instance`, by name. `cycles` were dumped: the
    file's own duration begins at time zero."""
    path, kinds, found = [], [], {}
    for line in saif.read_text().splitlines():
        text = line.strip()
        if begun := re.fullmatch(r"\(INSTANCE (\S+)", text):
            path.append(begun[1])
            kinds.append("instance")
        elif text == "(NET":
            kinds.append("net")
        elif net := re.fullmatch(r"\((\S+) \(T0 \d+\) \(T1 (\d+)\).*\(TC (\d+)\)\)", text):
            if path and path[-1] == instance:
                found[net[1].replace("\\", "")] = int(net[3]) / cycles, int(net[2]) / (cycles * PERIOD * 1000)
        elif text == ")" and kinds and kinds.pop() == "instance":
            path.pop()
    return found


def weighed(top: str, netlist: Netlist, saif: Path, cycles: int, clock: str = CLOCK, clocked_inputs: bool = False) -> str:
    """The script of OpenSTA. All cells must have their activity: OpenSTA would assume some of its own.

    OpenSTA takes an activity for transitions in a cycle of the clock that reaches the pin, and for transitions in a second
    where no clock does: cells between inputs and the first registers then weigh nothing. With `clocked_inputs` the clock
    reaches them too; the explorer's figures are without."""
    lines = [f"read_liberty {LIBRARY}", "read_verilog netlist.v", f"link_design {top}",
             f"create_clock -name clock -period {PERIOD} [get_ports {clock}]"]
    if clocked_inputs:
        lines.append("set_input_delay -clock clock 0 [all_inputs]")
    inputs = [net for port in netlist.ports if port.is_input for net in bits(port.name, port.width)]
    active = activity(saif, "dut", cycles)
    if missing := {*inputs, *netlist.drivers.values()} - set(active):
        raise ToolError(f"{saif}: no activity of {len(missing)} nets, {min(missing)} among them")
    for net in inputs:
        toggles, high = active[net]
        lines.append(f"set_power_activity -input_ports [get_ports {{{net}}}] -activity {toggles:.6f} -duty {high:.6f}")
    for pin, net in netlist.drivers.items():
        toggles, high = active[net]
        lines.append(f"::sta::set_power_pin_activity [get_pins {{{pin}}}] {toggles:.6f} {high:.6f}")
    return "\n".join([*lines, "report_power -digits 6", "exit"]) + "\n"


def measure(top: str, files: list[Path], parameters: dict, folder: Path, cycles: int, run: Run,
            multiply: Callable[[Path], None], memories: bool = False) -> float:
    """nJ of one multiplication. `multiply` simulates the unit's bench with one source more; `run` runs a tool. `memories`:
    the unit has some."""
    fetched()
    circuit = netlist(top, files, parameters, folder, run, memories_apart=memories)
    trace, bound = folder / "trace.txt", folder / "port_recorder.sv"
    bound.write_text(recorder(top, circuit.ports, trace))
    multiply(bound)
    energy = weigh(top, circuit, trace, window(trace, circuit.ports, cycles), folder, run)
    trace.unlink()
    return energy


def weigh(top: str, circuit: Netlist, trace: Path, lines: tuple[int, int], folder: Path, run: Run, clock: str = CLOCK,
          clocked_inputs: bool = False) -> float:
    """nJ that the netlist in `folder` takes for these lines of a recording, the first and the last."""
    program, memories = folder / "replay.sv", folder / f"{MEMORIES}.v"
    cycles = lines[1] - lines[0] + 1
    program.write_text(replay(top, circuit.ports, trace, *lines, clock))
    (folder / "traced.vlt").write_text(TRACED)
    run([str(VERILATOR / "verilator"), "--binary", "--trace-saif", "--trace-underscore", "-Wno-fatal", "-Wno-lint", "-Wno-style",
         "--top-module", "replay", "-Mdir", "replay", "-MAKEFLAGS", "OPT_FAST=-O0", "traced.vlt", str(program), "netlist.v", "cells.v",
         *([memories.name] if memories.exists() else [])],
        "the build of the replay", folder / "build.log")
    run([str(folder / "replay" / "Vreplay")], "the replay into the netlist", folder / "replay.log")
    (folder / "power.tcl").write_text(weighed(top, circuit, folder / "switching.saif", cycles, clock, clocked_inputs))
    run([*sta(), "-no_splash", "-exit", "power.tcl"], "OpenSTA", folder / "power.log")
    total = re.search(r"^Total\s+\S+\s+\S+\s+\S+\s+(\S+)", (folder / "power.log").read_text(), re.MULTILINE)
    if not total:
        raise ToolError(f"OpenSTA reported no power; see {folder / 'power.log'}")
    return float(total[1]) * cycles * PERIOD  # W * ns
