# SPDX-License-Identifier: Apache-2.0
"""What runs a design of the row study in simulation: operands in, products against big integers, cycles and words counted. A
bench is a cocotb test; `explore.bench` runs it for a point, and hw/explore/tb as a test."""
