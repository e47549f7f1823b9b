# SPDX-License-Identifier: Apache-2.0
"""The core on the device of Sharif 2016: no more multipliers than theirs, and a run that was ended goes on where it was."""

import json

from garner_hw.measure import zynq
from garner_hw.placement import xilinx


def test_committed_core_has_no_more_multipliers_than_sharif_2016():
    record = json.loads(zynq.RECORD.read_text())
    assert record["DSP"] <= 17 and len(record["cycles"]) == 3 and record["timing_model"] == xilinx.MODEL
    assert [run["seed"] for run in record["placements"]] == list(xilinx.SEEDS[:len(record["placements"])])


def test_measurement_goes_on_where_it_was_ended(monkeypatch, tmp_path):
    monkeypatch.setattr(zynq, "RECORD", tmp_path / "zynq.json")
    begun = {"sources": zynq.stamp(), "cycles": [600_000, 598_000], "placements": [{"seed": 1, "fmax": 190.0}]}
    zynq.keep(begun)
    monkeypatch.setattr(zynq, "netlist", lambda: (None, {}))
    monkeypatch.setattr(xilinx, "place", lambda netlist, pins, target, seed: {"seed": seed, "fmax": 180.0 + 20 * (seed == 3)})
    record = zynq.measure()
    assert [run["seed"] for run in record["placements"]] == [1, 2, 3]
    assert (record["fmax_mhz"], record["time_ms"]) == (190.0, 3.158)
    assert json.loads(zynq.RECORD.read_text()) == record == zynq.measure()
