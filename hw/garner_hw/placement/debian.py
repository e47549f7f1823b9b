# SPDX-License-Identifier: Apache-2.0
"""Programs of one pinned version of a Debian package, each fetched at its first use into a folder of its own."""

import subprocess
import sys
from pathlib import Path

from garner_hw import FETCH, CommandError, ToolError

NO_MIRROR = 77  # of the scripts in FETCH: apt cannot bring it


def fetch(folder: Path, suite: str, package: str, version: str, otherwise: str) -> None:
    """The package and what it depends on below `folder`, if they are not there. A ToolError where apt cannot bring it, with
    `otherwise`, which says what to do then."""
    mark = folder / "complete"
    if mark.exists() and mark.read_text() == version:
        return
    print(f"fetching {package} {version} from Debian", file=sys.stderr, flush=True)
    mark.unlink(missing_ok=True)
    ended = subprocess.run([FETCH / "debian.sh", folder, suite, f"{package}={version}"], check=False).returncode
    if ended == NO_MIRROR:
        raise ToolError(f"{package} {version} could not be fetched. {otherwise}")
    if ended:
        raise CommandError(f"{FETCH / 'debian.sh'} failed for {package} {version}: it ended with {ended}")
    subprocess.run(["rm", "-rf", folder / "apt"], check=True)
    mark.write_text(version)
