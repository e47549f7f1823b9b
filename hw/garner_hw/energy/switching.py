# SPDX-License-Identifier: Apache-2.0
"""What a replay's SAIF says of a netlist, and the script by which OpenSTA weighs it."""

import re
from pathlib import Path

from garner_hw import ToolError
from garner_hw.energy.netlist import CLOCK, Netlist, bits
from garner_hw.energy.opensta import LIBRARY
from garner_hw.energy.replay import PERIOD


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


def script(top: str, netlist: Netlist, saif: Path, cycles: int, clock: str = CLOCK, clocked_inputs: bool = False) -> str:
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
