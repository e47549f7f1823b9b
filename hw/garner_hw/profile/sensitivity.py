# SPDX-License-Identifier: Apache-2.0
"""What the whole program gains when one part of it becomes faster: Amdahl's law, section 2.1 of Ramesh 2020."""

FACTORS = (2.0, 5.0, 10.0, 100.0, float("inf"))


def speed_up(share: float, factor: float) -> float:
    """Of the whole, when a part that takes `share` of the time (0 to 1) takes 1/`factor` of what it took."""
    if not 0 <= share <= 1 or factor <= 0:
        raise ValueError(f"a share of {share} made {factor} times as fast")
    remaining = 1 - share + share / factor
    return 1 / remaining if remaining > 0 else float("inf")
