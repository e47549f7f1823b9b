# SPDX-License-Identifier: Apache-2.0
"""The ports of a top, as files of pins name them."""

import re
from pathlib import Path


def ports(top: Path) -> list[str]:
    """Each bit of every port: `name`, or `name[0]` and so on."""
    named = []
    for width, name in re.findall(r"^  (?:input|output)\s+logic\s+(?:\[(\d+):0\])?\s*(\w+)[,\n ]", top.read_text(), re.MULTILINE):
        named += [f"{name}[{i}]" for i in range(int(width) + 1)] if width else [name]
    return named
