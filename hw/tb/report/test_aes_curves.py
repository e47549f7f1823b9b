# SPDX-License-Identifier: Apache-2.0
"""The curves of AES over buffer sizes: what is committed follows from its own counts, and a log that lacks points is refused."""

import importlib.util
import json

import pytest

from garner_hw import HW

SPEC = importlib.util.spec_from_file_location("aes_curves", HW.parent / "bench" / "aes.py")
curves = importlib.util.module_from_spec(SPEC)
SPEC.loader.exec_module(curves)
RESULT = json.loads((curves.RESULTS / "linux-aes.json").read_text())


def test_committed_model_follows_from_the_committed_counts():
    assert RESULT["model"] == curves.MODEL
    assert RESULT["model_rows"] == curves.modelled(RESULT)
    assert RESULT["crossovers"] == curves.crossovers(RESULT)


def test_every_size_was_counted_in_both_directions():
    assert {(row["way"], row["bytes"]) for row in RESULT["board"]} == {(way, size) for way in curves.WAYS for size in curves.SIZES}
    assert all(row["interrupts"] == 0 and row["requests"] == 0 for row in RESULT["guest"] if row["driver"] != "cbc-aes-garner")
    assert all(row["requests"] > row["operations"] for row in RESULT["guest"] if row["driver"] == "cbc-aes-garner"), \
        "software did a part of it"


def test_model_adds_host_board_and_bus():
    row = curves.model(16384, 60_000, 15_000, True)
    assert row["us"] == pytest.approx(20 + 100 + 2 + 3) and row["load"] == pytest.approx(20 / 125, abs=1e-3)
    assert row["mbit_per_s"] == pytest.approx(8 * 16384 / 125, rel=1e-3)


def test_a_log_that_lacks_points_is_refused(tmp_path):
    log = tmp_path / "6.12-bench.log"
    log.write_text("[bench] cbc-aes-garner encrypt 16 1000 51113 2.0 2249612502 1.0009 1001 1064\n")
    with pytest.raises(SystemExit, match="lacks 31 measurements"):
        curves.guest(log)
