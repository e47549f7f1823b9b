# SPDX-License-Identifier: Apache-2.0
"""Garner's hardware flow. The command is `garner-hw`."""

from pathlib import Path

HW = Path(__file__).resolve().parents[1]
BUILD = HW / "build"  # what is made and not committed
FETCH = HW.parent / "fetch"  # brings sources and programs of Debian's releases


class CommandError(Exception):
    """What kept a command from doing its work, in one sentence."""


class ToolError(CommandError):
    """A tool that failed: which, at what, where its log is, and the end of that."""
