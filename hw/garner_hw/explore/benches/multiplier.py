# SPDX-License-Identifier: Apache-2.0
"""The values of the parameter Multiplier of the row accelerators, those of hw/explore/rtl/multiply_pkg.sv."""

OPERATOR, BOOTH, ARRAY, BLOCK = range(4)
