# SPDX-License-Identifier: Apache-2.0
"""`garner-hw reproduction --measured`: what was measured again beside what is committed."""

import json
import re

import pytest

from garner_hw import CommandError, reproduction


@pytest.fixture
def measured(tmp_path):
    """The committed results as if they had been measured here; a function that changes one of them and compares."""
    for committed in (reproduction.PROFILED, reproduction.EXPLORED, reproduction.BATCHES):
        (tmp_path / committed.name).write_text(committed.read_text())

    def compare(which="report.json", change=lambda data: None):
        data = json.loads((tmp_path / which).read_text())
        change(data)
        (tmp_path / which).write_text(json.dumps(data))
        return reproduction.compare(tmp_path)

    return compare


def a_circuit(data):
    return next(row for row in data["points"] if "circuit" in row)


def test_the_same_again(measured, capsys):
    assert measured() == 0
    table = capsys.readouterr().out
    assert "| the same |" in table and "differs" not in table and "e+" not in table
    assert "primality tests a key" in table and "sign, RSA-2048, batches of 64: times OpenSSL" in table


@pytest.mark.parametrize("field", ["cycles", "lut", "mhz"])
def test_a_circuit_that_gave_another_figure_is_named(measured, capsys, field):
    assert measured(change=lambda data: a_circuit(data).update({field: 12345})) == 1
    printed = capsys.readouterr()
    assert "12345 here, by the same sources and tools" in printed.err and "| differs |" in printed.out


def test_times_may_be_others(measured, capsys):
    assert measured("profile.json", lambda data: data["times"][0].update(mean_ms=2 * data["times"][0]["mean_ms"])) == 0
    assert "| 2.00 |" in capsys.readouterr().out


def test_circuits_of_other_sources_are_not_compared_and_counted(measured, capsys):
    def others(data):
        for row in data["points"]:
            row.update(circuit="of other sources", cycles=12345)

    assert measured(change=others) == 0
    assert re.search(r"\b0 of \d+ points are of circuits that are committed", capsys.readouterr().err)


def test_batches_of_another_processor_are_compared_with_its_own(measured, tmp_path, capsys):
    (tmp_path / "batches.json").rename(tmp_path / "avx2-batches.json")
    assert measured() == 0
    row = next(line for line in capsys.readouterr().out.splitlines() if "sign, RSA-2048, batches of 64" in line)
    before = json.loads((reproduction.BATCHES.parent / "avx2-batches.json").read_text())["rows"]
    assert f"| {next(one for one in before if (one['op'], one['bits'], one['batch']) == ('sign', 2048, 64))['ratio']:.4g} |" in row


def test_openssl_of_the_same_series_is_compared(measured, capsys):
    assert measured("batches.json", lambda data: [row.update(baseline="OpenSSL 3.0.2") for row in data["rows"]
                                             if row["baseline"].startswith("OpenSSL 3.0")]) == 0
    assert "batches of 64: times OpenSSL 3.0.2 |" in capsys.readouterr().out


def test_what_was_not_measured_is_named(measured, tmp_path):
    (tmp_path / "profile.json").unlink()
    with pytest.raises(CommandError, match="profile.json"):
        measured()
