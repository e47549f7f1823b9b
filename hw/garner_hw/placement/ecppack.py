# SPDX-License-Identifier: Apache-2.0
"""Makes the bitstream of an ECP5 of what nextpnr-ecp5 has routed: Project Trellis' ecppack, fetched at its first use."""

import subprocess
from pathlib import Path

from garner_hw import BUILD, FETCH
from garner_hw.placement import debian

VERSION = "1.4-3+b2"  # of Debian's package
SUITE = "sid"
FOLDER = BUILD / "trellis"


def pack(routed: Path, bitstream: Path) -> None:
    """`routed`: nextpnr's --textcfg. The bitstream is compressed, as the board's flash is read serially."""
    debian.fetch(FOLDER, SUITE, "fpga-trellis", VERSION,
                 f"Where Debian's {SUITE} has a newer one, change VERSION in {Path(__file__).name}")
    database = FOLDER / "root" / "usr" / "share" / "trellis" / "database"
    words = [str(FETCH / "run.sh"), str(FOLDER), "ecppack", "--db", str(database), "--compress", str(routed), str(bitstream)]
    subprocess.run(words, check=True)
