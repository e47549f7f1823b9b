# SPDX-License-Identifier: Apache-2.0
# Vivado: garner_top on a 7 series part. Not run in Vivado: no licence was at hand. Names are checked by hw/tb/test_dist.py.

# The clock, where clk_i is a pin. Behind an MMCM or in a block design Vivado derives it: leave this line out.
create_clock -name garner_clk -period 6.667 [get_ports clk_i]

# The reset synchroniser takes an asynchronous reset: no path to its flip-flops' clear inputs is timed. Behind it all are:
# the release of a reset buffer's flip-flops, and of all flip-flops behind the buffer, has to meet recovery and removal.
set_false_path -to [get_pins -hierarchical -filter {NAME =~ *chain_q_reg[*]/CLR}]

# A BUFG for the shell's reset and one for each core's is in the sources (prim/xilinx7/reset_buffer.sv): no more are needed,
# and none should be replaced by copies in the fabric.
set_property DONT_TOUCH true [get_cells -hierarchical -filter {REF_NAME == BUFG && NAME =~ *u_reset/u_cell}]
