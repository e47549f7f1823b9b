# SPDX-License-Identifier: Apache-2.0
"""From a unit's sources or its recording to nJ."""

import re
from collections.abc import Callable
from pathlib import Path

from garner_hw import ToolError
from garner_hw.energy.netlist import CLOCK, MEMORIES, Netlist, Run, write
from garner_hw.energy.opensta import fetched, sta
from garner_hw.energy.replay import PERIOD, TRACED, recorder, replayer, window
from garner_hw.energy.switching import script
from garner_hw.simulate import VERILATOR


def measure(top: str, files: list[Path], parameters: dict, folder: Path, cycles: int, run: Run,
            multiply: Callable[[Path], None], memories: bool = False) -> float:
    """nJ of one multiplication. `multiply` simulates the unit's bench with one source more; `run` runs a tool. `memories`:
    the unit has some."""
    fetched()
    circuit = write(top, files, parameters, folder, run, memories_apart=memories)
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
    program.write_text(replayer(top, circuit.ports, trace, *lines, clock))
    (folder / "traced.vlt").write_text(TRACED)
    run([str(VERILATOR / "verilator"), "--binary", "--trace-saif", "--trace-underscore", "-Wno-fatal", "-Wno-lint", "-Wno-style",
         "--top-module", "replay", "-Mdir", "replay", "-MAKEFLAGS", "OPT_FAST=-O0", "traced.vlt", str(program), "netlist.v",
         "cells.v", *([memories.name] if memories.exists() else [])],
        "the build of the replay", folder / "build.log")
    run([str(folder / "replay" / "Vreplay")], "the replay into the netlist", folder / "replay.log")
    (folder / "power.tcl").write_text(script(top, circuit, folder / "switching.saif", cycles, clock, clocked_inputs))
    run([*sta(), "-no_splash", "-exit", "power.tcl"], "OpenSTA", folder / "power.log")
    total = re.search(r"^Total\s+\S+\s+\S+\s+\S+\s+(\S+)", (folder / "power.log").read_text(), re.MULTILINE)
    if not total:
        raise ToolError(f"OpenSTA reported no power; see {folder / 'power.log'}")
    return float(total[1]) * cycles * PERIOD  # W * ns
