# SPDX-License-Identifier: Apache-2.0
# SDC (Synopsys, Cadence, OpenSTA, Quartus): garner_top. Names are checked by hw/tb/test_dist.py.

# One clock for everything
create_clock -name garner_clk -period 6.667 [get_ports clk_i]

# If rst_ni is asynchronous at the port, a reset_synchroniser stands behind it, and its flip-flops' reset inputs are not
# timed. If rst_ni comes from a flip-flop of this clock, leave this line out: its release has to meet recovery and removal.
set_false_path -from [get_ports rst_ni] -to [get_cells -hierarchical *chain_q*]

# In a chip the generic reset_buffer is two flip-flops: synthesise the tree behind it as a clock tree of its own
# one for the shell and one for each core. Until then, in tools that know it:
# set_ideal_network [get_nets -hierarchical *reset_n*]
