# SPDX-License-Identifier: Apache-2.0
"""The energy of what a unit does: the switching of a netlist of OSU 0.18 um cells, weighed by OpenSTA.

    RTL -> netlist of library cells (Yosys)                                                            netlist.py
    simulation of what the unit does -> every port of the unit in every cycle -> replayed into the netlist    replay.py
    SAIF -> OpenSTA -> nJ                                                      switching.py, opensta.py, weigh.py

The replay compares the netlist's outputs with the unit's in every cycle, those included in which the unit waits. There are no
wires, no glitches, and memories are set apart: the replay has them as Verilog beside the netlist, and they are not weighed, as
those outside of a unit are not. The figure orders designs, and is no FPGA's energy.
"""
