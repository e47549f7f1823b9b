# SPDX-License-Identifier: Apache-2.0
"""A unit's ports recorded in every cycle, and a program that replays the recording into its netlist."""

from pathlib import Path

from garner_hw import ToolError
from garner_hw.energy.netlist import CLOCK, MEMORIES, Port

PERIOD = 10  # ns: of the clock at which the power is reported; the energy does not depend on it but for leakage
TRACED = """`verilator_config
tracing_off -file "*cells.v"
tracing_off -file "*memories.v"
"""  # the netlist's own nets alone: with every pin traced as well the replay's build takes twice as long


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


def replayer(top: str, ports: list[Port], trace: Path, first: int, last: int, clock: str = CLOCK) -> str:
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
