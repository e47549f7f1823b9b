# SPDX-License-Identifier: Apache-2.0
"""Committed clocks are those of one placement tool, over seeds enough."""

import json
from collections import defaultdict

import pytest

from garner_hw import ToolError
from garner_hw.placement import nextpnr, place
from garner_hw.records import RUNS

PLACED = [record for path in sorted(RUNS.glob("*.json"))
          if "seed" in (record := json.loads(path.read_text()) | {"name": path.stem})]


def test_every_placement_is_of_the_pinned_nextpnr():
    others = {record["name"]: record["tools"]["nextpnr"] for record in PLACED
              if record["tools"]["nextpnr"] != nextpnr.VERSION}
    assert PLACED and not others


def test_a_median_over_scattering_seeds_has_five():
    clocks = defaultdict(dict)
    for record in PLACED:
        clocks[record["name"].replace(f"-seed{record['seed']}", "")][record["seed"]] = record["fmax"]
    few = {name: seeds for name, seeds in clocks.items()
           if not set(place.SEEDS) <= set(seeds)
           or place.scatters([seeds[seed] for seed in place.SEEDS]) and not set(place.MORE_SEEDS) <= set(seeds)}
    assert not few


def test_a_version_that_debian_does_not_have_is_named(monkeypatch, tmp_path, capfd):
    """Also: what was fetched before for another version is not taken for it."""
    monkeypatch.delenv(nextpnr.OTHER, raising=False)
    monkeypatch.setattr(nextpnr, "FOLDER", tmp_path)
    monkeypatch.setattr(nextpnr, "VERSION", "0.0.0-none")
    (tmp_path / "complete").write_text("0.11.1")
    with pytest.raises(ToolError, match="nextpnr-ecp5 0.0.0-none could not be fetched"):
        nextpnr.command()
    assert not (tmp_path / "complete").exists()


def test_a_program_that_says_no_version_is_named(monkeypatch):
    monkeypatch.setenv(nextpnr.OTHER, "true")
    with pytest.raises(ToolError, match="^`true --version` says no version: it is no nextpnr-ecp5$"):
        place.nextpnr_version()


@pytest.mark.parametrize(("clocks", "seeds"), [((200.0, 210.0, 205.0), 3), ((164.0, 211.0, 190.0), 5)])
def test_two_more_seeds_where_three_scatter(clocks, seeds):
    records = list(place.seeds_of(lambda seed: {"fmax": clocks[seed % len(clocks)]}))
    assert len(records) == seeds
