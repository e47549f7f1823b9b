# SPDX-License-Identifier: Apache-2.0
"""Finds combinational paths from inputs to outputs of what is integrated: AXI forbids them (A3.1.1), on every interface.

Yosys makes a netlist of single bits; from each bit of an output the search goes back through all cells but flip-flops.
"""

import json
import subprocess
import tempfile
from pathlib import Path

from garner_hw.sources import sources
from garner_hw.synthesis import YOSYS

# Both widths of the bus; the core as small as it can be, as its size changes no path between ports.
SMALL = {"Cores": 2, "Rows": 1, "MaxBits": 512, "KeySlots": 1, "OperandWords": 64, "InFlight": 4}
VARIANTS = [("garner_top", SMALL | variant) for variant in ({"BusWidth": 64}, {"BusWidth": 32}, {"BusWidth": 64, "StreamPort": 0})]
VARIANTS += [("garner_board", SMALL | {"AesMessages": 1, "AesStages": 1, "AesKeySlots": 1})]


def netlist(top: str, files: list[Path], parameters: dict[str, int]) -> dict:
    """The flattened module as Yosys' JSON."""
    with tempfile.TemporaryDirectory() as folder:
        script, found = Path(folder) / "script", Path(folder) / "netlist.json"
        values = [f"-G{name}={value}" for name, value in parameters.items()]
        script.write_text("\n".join([
            " ".join(["read_slang", "--top", top, *values, *map(str, files)]), f"hierarchy -top {top}", "proc", "flatten",
            "opt_clean", "simplemap", f"write_json {found}"]))
        subprocess.run([*YOSYS, script], check=True, capture_output=True, text=True)
        return json.loads(found.read_text())["modules"][top]


def through(module: dict) -> list[tuple[str, str]]:
    """Pairs of an input and an output with a path between them that no flip-flop is on."""
    drivers = {}
    for cell in module["cells"].values():
        if "dff" in cell["type"].lower() or int(cell["parameters"].get("CLK_ENABLE", "0"), 2):
            continue  # a flip-flop; of a memory, a port with a clock
        directions = cell["port_directions"]
        sources = [bit for port, bits in cell["connections"].items() if directions[port] == "input" for bit in bits]
        for port, bits in cell["connections"].items():
            if directions[port] == "output":
                drivers.update(dict.fromkeys(bits, sources))
    inputs = {bit: name for name, port in module["ports"].items() if port["direction"] == "input" for bit in port["bits"]}
    found = set()
    for name, port in module["ports"].items():
        if port["direction"] != "output":
            continue
        waiting, seen = list(port["bits"]), set()
        while waiting:
            bit = waiting.pop()
            if bit in seen or isinstance(bit, str):  # a constant
                continue
            seen.add(bit)
            if bit in inputs:
                found.add((inputs[bit], name))
            waiting += drivers.get(bit, ())
    return sorted(found)


def check() -> int:
    """Prints what was found; how many variants have such a path."""
    bad = 0
    for top, parameters in VARIANTS:
        found = through(netlist(top, sources(top), parameters))
        print(f"{'bad' if found else 'ok '} paths through {top} {' '.join(f'-G{n}={v}' for n, v in parameters.items())}")
        for start, end in found:
            print(f"  {end} depends on {start} within a cycle")
        bad += bool(found)
    return bad

