# SPDX-License-Identifier: Apache-2.0
"""The place and route tool of every record: one version of a native nextpnr-ecp5, fetched at its first use.

    python -m garner_hw.placement.nextpnr ARGUMENT...      runs it, as with --version

What Python's package index has is a WebAssembly program, up to ten times slower and without --pre-place. Clocks of
one seed differ between builds, so the version is pinned here, and test_nextpnr.py holds the committed records to it.
"""

import os
import subprocess
import sys
from pathlib import Path

from garner_hw import BUILD, FETCH, ToolError
from garner_hw.placement import debian

VERSION = "0.11.1+dfsg-5+b1"  # of Debian's package
SUITE = "forky"
FOLDER = BUILD / "nextpnr"
# Another nextpnr-ecp5: for who has to do without Debian's. Records name the version that made them.
OTHER = "NEXTPNR_ECP5"


def command() -> list[str]:
    """The words that start nextpnr-ecp5; fetches it where it is not there."""
    if other := os.environ.get(OTHER):
        return [other]
    debian.fetch(FOLDER, SUITE, "nextpnr-ecp5", VERSION,
                 f"Where Debian's {SUITE} has a newer one, change VERSION in {Path(__file__).name} and measure all records "
                 f"again, or name another with {OTHER}=PATH")
    if subprocess.run(["unshare", "--map-root-user", "--mount", "true"], check=False, capture_output=True).returncode:
        raise ToolError(f"nextpnr-ecp5 was fetched, and needs a mount namespace of its own, which is not allowed here; name "
                        f"another with {OTHER}=PATH")
    # It looks for its device data in /usr/share and nowhere else: there they are, for itself alone.
    return ["unshare", "--map-root-user", "--mount", "sh", "-c", 'mount --bind "$0" /usr/share && exec "$@"',
            str(FOLDER / "root" / "usr" / "share"), str(FETCH / "run.sh"), str(FOLDER), "nextpnr-ecp5"]


if __name__ == "__main__":
    try:
        words = command()
    except ToolError as error:
        sys.exit(str(error))
    os.execvp(words[0], [*words, *sys.argv[1:]])
