# SPDX-License-Identifier: Apache-2.0
"""Figures of published designs, which tables and pictures set beside ours."""

ZOTECH = 2.9  # RSA-2048 signatures a second and DSP block of a U250

# 1024-bit exponentiation in ms, DSP blocks, LUTs: the table of Sharif, Shahid, Rogawski, Gaj 2016
ME = {"San 2014": (3.04, 62, 6224), "Suzuki 2007": (1.71, 17, 4190), "Song 2011": (36.37, 1, 180),
      "Sharif 2016": (6.25, 17, 10385)}
# Of the same table, the designs that it gives without LUTs and DSP blocks: 1024-bit exponentiation in ms
TIMES_ALONE = {"Issad 2014": 22.25, "Uhsadel 2012": 29.37, "Wang 2012": 679.0}
# RSA-2048 private operation: milliseconds of one multiplier's work an operation (multipliers * time)
RSA = {"Bo, Nakano: Virtex-6": (277.0, 1), "ZoTech U250": (1e3 / ZOTECH, 1)}
