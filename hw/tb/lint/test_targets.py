# SPDX-License-Identifier: Apache-2.0
"""A module that no target lint has would never be looked at."""

from garner_hw.lint import check


def test_every_module_of_hardware_is_linted():
    assert check.unreached() == []


def test_modules_that_no_target_reaches_are_named(monkeypatch):
    monkeypatch.setattr(check, "lint_targets", lambda: [])
    assert len(check.unreached()) > 100
