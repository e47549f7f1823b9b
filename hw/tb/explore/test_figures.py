# SPDX-License-Identifier: Apache-2.0
"""Bounds, dominance, the thesis's comparison, and the page."""

import json
import xml.dom.minidom
from collections import Counter

import pytest

from garner_hw.explore import SPACES, dominance, plots, report, thesis
from garner_hw.explore.evaluate import Effort, evaluate, figures, key_of
from garner_hw.explore.roofline import bound
from garner_hw.explore.space import point_of, read_space
from garner_hw.explore.store import Folder
from tb.explore.fake import FakeTools

EFFORT = Effort(seeds=(1,))


@pytest.mark.parametrize("point, cycles, by", [
    # s = 128 words: 2 s^2 + s = 32,896 products
    ({"design": "cios", "word": 8, "ports": 2}, 32896 * 1.5, "ports"),
    ({"design": "two-row", "word": 8, "ports": 2}, 32896 * 0.75, "ports"),
    ({"design": "two-row", "word": 8, "ports": 3}, 32896 / 2, "multipliers and ports"),
    ({"design": "two-row", "word": 8, "ports": 0}, 32896 / 2, "multipliers"),
    ({"design": "chain", "word": 8, "ports": 3, "rows": 8}, 32896 / 8, "multipliers and ports"),
    ({"design": "chain", "word": 8, "ports": 4, "rows": 8}, 32896 / 8, "multipliers"),
    ({"design": "product-scan", "word": 8, "ports": 2}, 32896, "multipliers and ports"),
    ({"design": "product-scan", "word": 8, "ports": 3}, 32896, "multipliers"),
])
def test_the_bound_is_that_of_the_scarcer_of_ports_and_multipliers(point, cycles, by):
    limit = bound(point_of(point))
    assert (limit.cycles, limit.by) == (pytest.approx(cycles), by)


def row(design, us, lut, **other):
    return {"design": design, "word": 16, "ports": 2, "multipliers": "lut", "us": us, "lut": lut, "dsp": 0, "bits": 1024,
            "pipelined": True, "unroll": 1, "area_time": us * lut, "cycles_with_m": 100 * us,
            "bound_cycles": 50 * us} | other


def test_a_design_dominates_only_if_it_loses_nowhere():
    two = row("two-row", 100.0, 1000)
    rows = [two, row("smaller", 100.0, 900), row("faster", 90.0, 1001), row("same", 100.0, 1000),
            row("other ports", 1.0, 1, ports=3), row("other kind", 1.0, 1, multipliers="dsp", dsp=1)]
    assert [one["design"] for one in dominance.over_two_row(rows)] == ["smaller"]


def test_more_dsp_blocks_are_named_and_do_not_count_against_a_design():
    rows = [row("two-row", 100.0, 1000, multipliers="dsp", dsp=2), row("ours", 50.0, 900, multipliers="dsp", dsp=4)]
    (found,) = dominance.over_two_row(rows)
    assert (found["design"], found["dsp"], found["two_row_dsp"]) == ("ours", 4, 2)
    assert len(dominance.frontier(rows)) == 2


def test_a_shorter_multiplication_dominates_no_longer_one():
    rows = [row("two-row", 100.0, 1000), row("chain", 10.0, 500, bits=256)]
    assert dominance.over_two_row(rows) == [] and len(dominance.frontier(rows)) == 2


def test_points_that_differ_in_bits_alone_have_two_names():
    names = {str(point_of({"design": "cios", "bits": bits})) for bits in (256, 512, 1024)}
    assert names == {"cios, 16 bits, 2 ports, LUTs", "cios, 16 bits, 2 ports, operands of 256 bits, LUTs",
                     "cios, 16 bits, 2 ports, operands of 512 bits, LUTs"}


def test_the_better_two_row_unit_has_to_be_dominated_too():
    rows = [row("two-row", 100.0, 1000), row("two-row", 110.0, 500, multipliers="booth"), row("ours", 100.0, 600)]
    assert dominance.over_two_row(rows) == []


def test_an_unrolled_two_row_unit_does_not_count_and_is_named():
    rows = [row("two-row", 100.0, 1000), row("two-row", 70.0, 3000, unroll=4), row("two-row", 60.0, 1500, unroll=2),
            row("two-row", 50.0, 1500, unroll=2, pipelined=False), row("two-row", 40.0, 1500, unroll=2, ports=0),
            row("ours", 90.0, 900)]
    (found,) = dominance.over_two_row(rows)
    assert found["design"] == "ours"
    assert dominance.fastest_unrolled(rows, dominance.place(found)) == rows[2]
    assert dominance.fastest_unrolled(rows[:1], dominance.place(found)) is None


def test_the_frontier_has_no_dominated_design():
    rows = [row("a", 1.0, 100), row("b", 2.0, 50), row("c", 2.0, 60), row("d", 3.0, 200)]
    assert [one["design"] for one in dominance.frontier(rows)] == ["a", "b"]


@pytest.fixture(scope="module")
def measured(tmp_path_factory):
    folder = tmp_path_factory.mktemp("points")
    tools, rows = FakeTools(folder / "log"), []
    for point in read_space(SPACES / "all.toml").points:
        outcome = evaluate(point, tools, Folder(folder / key_of(point, tools)), EFFORT)
        rows.append(figures(point, outcome.steps, EFFORT))
    return rows


def test_the_thesis_is_compared_at_every_word_and_port_count(measured):
    found = thesis.comparisons(measured)
    assert [(one.word, one.ports) for one in found] == list(thesis.PRINTED)
    assert {one.base for one in found if one.ports == 2} == {"cios"}


def test_the_fastest_base_of_any_unrolling_stands_beside_two_row(measured):
    found = thesis.unrolled(measured)
    assert [(one.word, one.ports) for one in found] == [(word, ports) for word in thesis.WORDS for ports in (2, 3, 4, 0)]
    one = found[0]
    bases = [row for row in measured if row["design"] == "cios" and (row["word"], row["ports"]) == (8, 2)
             and row["multipliers"] == "dsp"]
    assert one.base == "cios" and one.base_us == min(row["us"] for row in bases)


@pytest.mark.parametrize("pipelined", [True, False])
def test_an_unrolling_that_is_not_measured_leaves_its_word_and_ports_out(measured, pipelined):
    some = [row for row in measured if (row["design"], row["word"], row["ports"], row["unroll"], row["pipelined"])
            != ("fios", 16, 3, 8, pipelined)]
    assert len(thesis.unrolled(some)) == len(thesis.unrolled(measured)) - 1


def test_chapter_4_is_drawn_of_what_there_is(measured):
    some = [row for row in measured if row["word"] == 16 and row["design"] == "fios"]
    for rows in (measured, some):
        assert len(plots.chapter_4(rows).axes) == 12
    assert plots.chapter_4([row for row in measured if row["design"] == "chain"]) is None


def marks(figure) -> int:
    """What stands for data: dots, marked points of lines, bars."""
    return sum(sum(len(dots.get_offsets()) for dots in axes.collections) + len(axes.patches) +
               sum(len(line.get_xdata()) for line in axes.lines if line.get_marker() != "None") for axes in figure.axes)


def test_every_row_is_drawn_in_its_pictures(monkeypatch, measured):
    drawn = []
    svg = plots.svg
    monkeypatch.setattr(plots, "svg", lambda figure: drawn.append(marks(figure)) or svg(figure))
    found = dict(zip(report.pictures(measured, thesis.comparisons(measured)), drawn, strict=True))
    grid = thesis.of_the_thesis(measured)
    cached = [row for row in measured if "kept" in row]
    units = Counter((row["word"], row["ports"], row["lanes"], row["multipliers"]) for row in cached)
    assert found == {"pareto": len(measured), "roofline": len(measured), "energy": len(measured),
                     "thesis": 2 * 2 * len(thesis.PRINTED),                       # two panels of bars, printed and ours
                     "chapter_4": len(grid) + 3 * len([row for row in grid if row["unroll"] == 1]),
                     "operand_cache": 2 * sum(kept for kept in units.values() if kept > 1)}  # two panels of lines


def test_the_page_has_every_point_and_every_picture(tmp_path, measured):
    data = report.data_of(measured, {"fios, 16 bits": "Yosys <died>"}, {"fake": "1"})
    page = report.write(data, tmp_path).read_text()
    assert page.count("<tr><td>two-row</td>") == len([row for row in measured if row["design"] == "two-row"])
    assert "Yosys &lt;died&gt;" in page
    pictures = page.split("<svg")[1:]
    assert len(pictures) == 6  # area and time, roofline, thesis: ratios and chapter 4, operands kept, energy
    for picture in pictures:
        xml.dom.minidom.parseString("<svg" + picture.split("</svg>")[0] + "</svg>")


def test_the_page_says_which_sizes_of_operands_there_are(tmp_path, measured):
    some = measured[:1] + [measured[0] | {"bits": 256}]
    page = report.write(report.data_of(some, {}, {}), tmp_path).read_text()
    assert "One multiplication of 256 and 1024 bits" in page and "<td>256</td>" in page


def test_the_report_is_what_reads_back(tmp_path, measured):
    report.write_json(report.data_of(measured, {}, {}), tmp_path)
    again = report.read(tmp_path / "report.json")
    assert sorted(map(json.dumps, again)) == sorted(map(json.dumps, measured))
    needed = {"design", "word", "ports", "pipelined", "unroll", "multipliers", "cycles", "cycles_with_m", "mhz", "us", "lut",
              "lut_without_dsp", "ff", "dsp", "words_per_product", "transfer_rate", "area_time", "energy_nj"}
    assert needed <= set(again[0])


def test_a_page_of_nothing_says_what_failed(tmp_path):
    page = report.write(report.data_of([], {"cios": "no simulator"}, {}), tmp_path).read_text()
    assert "no simulator" in page and "<svg" not in page
