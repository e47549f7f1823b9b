# SPDX-License-Identifier: Apache-2.0
"""What the hardware computes, on big integers: models that simulations compare with."""
