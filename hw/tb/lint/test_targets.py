# SPDX-License-Identifier: Apache-2.0
"""A module that no target lint has would never be looked at."""

from garner_hw.sources import HW, lint_targets, reached

FOLDERS = ("rtl", "explore/rtl", "soc", "syn", "cells", "examples", "dist/rtl")


def test_every_module_of_hardware_is_linted():
    linted = {path for target in lint_targets() for path in reached(target.top, target.files)}
    there = {path for folder in FOLDERS for path in (HW / folder).rglob("*.*v")}
    assert len(there) > 100 and there - linted == set()
