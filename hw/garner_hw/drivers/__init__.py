# SPDX-License-Identifier: Apache-2.0
"""How simulations drive the hardware: one file for each interface."""
