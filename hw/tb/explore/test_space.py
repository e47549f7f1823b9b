# SPDX-License-Identifier: Apache-2.0
"""Points from CSV and TOML: what is read, what is refused, and that the reason names what was wrong."""

import dataclasses

import pytest

from garner_hw.explore import SPACES
from garner_hw.explore.designs import DESIGNS
from garner_hw.explore.point import Refused
from garner_hw.explore.space import BadSpace, point_of, read_csv, read_space


def csv(tmp_path, text):
    path = tmp_path / "points.csv"
    path.write_text(text)
    return read_csv(path)


def toml(tmp_path, text):
    path = tmp_path / "space.toml"
    path.write_text(text)
    return read_space(path)


def test_a_line_is_a_point_and_an_empty_field_is_the_default(tmp_path):
    space = csv(tmp_path, "design,word,ports,rows,multipliers\nchain,8,3,4,booth\ntwo-row,,free,,\n")
    assert space.refused == []
    chain, two = space.points
    assert (chain.word, chain.ports, chain.knob("rows"), chain.multipliers) == (8, 3, 4, "booth")
    assert (two.word, two.ports, two.knobs, two.multipliers) == (16, 0, (), "lut")


@pytest.mark.parametrize("line, reason", [
    ("cois,16,2,,", "there is no design cois"),
    ("cios,12,2,,", "cios: word must be 8, 16, 18 or 32, not 12"),
    ("fios,16,2,,", "fios: ports must be 3, 4 or free, not 2"),
    ("cios,16,5,,", "cios: ports must be 2, 3, 4 or free, not 5"),
    ("cios,sixteen,2,,", "word must be a whole number, not sixteen"),
    ("cios,-8,2,,", "word must not be negative"),
    ("chain,16,2,,", "chain: rows is missing"),
    ("chain,16,2,3,", "chain: rows must be 1, 2, 4, 8 or 16, not 3"),
    ("cios,16,2,4,", "cios has no parameter rows"),
    ("cios,16,2,,ram", "multipliers must be lut, booth, array or dsp, not ram"),
    ("chain,32,3,16,", "the chain is longer than a pass"),
    ("chain,16,2,1,", "with 2 ports two rows share a cell, and there is 1"),
    (",16,2,,", "names no design"),
    ("cios,16,2,,,7", "5 columns, but 6 values"),
    ("cios,16,2", "5 columns, but 3 values"),
])
def test_a_bad_line_is_refused_by_number_and_the_others_are_read(tmp_path, line, reason):
    space = csv(tmp_path, f"design,word,ports,rows,multipliers\n{line}\ncios,16,2,,\n")
    assert len(space.points) == 1
    (said,) = space.refused
    assert "points.csv:2: " in said and reason in said


@pytest.mark.parametrize("text, reason", [
    ("design,wrod\ncios,16\n", "there is no column 'wrod'"),
    ("word,ports\n16,2\n", "there is no column 'design'"),
    ("", "there is no column 'design'"),
    ("design\n", "there are no points"),
    ("design,word,word\ncios,8,16\n", "the column 'word' is there twice"),
])
def test_a_wrong_header_is_refused_and_named(tmp_path, text, reason):
    with pytest.raises(BadSpace, match=reason):
        csv(tmp_path, text)


def test_blank_lines_count_in_the_number_of_a_bad_line(tmp_path):
    (said,) = csv(tmp_path, "design,word\n\ncios,16\n\ncios,12\n").refused
    assert "points.csv:5: " in said


def test_a_file_that_is_no_text_is_refused(tmp_path):
    path = tmp_path / "points.csv"
    path.write_bytes(b"\xff\xfe\x00\x01")
    with pytest.raises(BadSpace, match="not a CSV file"):
        read_csv(path)


def test_a_grid_is_all_its_points_but_those_that_no_design_builds(tmp_path):
    space = toml(tmp_path, '[[grid]]\ndesign = ["cios", "fios"]\nword = [8, 16]\nports = [2, 3, "free"]\n')
    assert space.refused == []
    assert len(space.points) == 2 * 3 + 2 * 2


def test_a_knob_of_one_design_does_not_multiply_the_others(tmp_path):
    space = toml(tmp_path, '[[grid]]\ndesign = ["cios", "chain"]\nports = 3\nrows = [2, 4, 8]\n')
    assert [point.design for point in space.points].count("cios") == 1
    assert [point.design for point in space.points].count("chain") == 3


@pytest.mark.parametrize("text, reason", [
    ('[[grid]]\ndesign = ["cios", "coarse"]\n', "there is no design coarse"),
    ('[[grid]]\ndesign = "cios"\nword = [8, 9]\n', "word must be 8, 16, 18 or 32, not 9"),
    ('[[grid]]\ndesign = "cios"\nclock = 5\n', "there is no parameter clock"),
    ('[[grid]]\ndesign = "cios"\nmultiplers = "dsp"\n', "there is no parameter multiplers"),
    ('[[grid]]\ndesign = "fios"\nports = 2\n', "fios: ports must be"),
    ("[[grid]]\nword = 8\n", "names no design"),
    ('[[grid]]\ndesign = "cios"\nword = []\n', "word has an empty list of values"),
])
def test_a_value_that_no_point_of_a_grid_can_have_is_refused(tmp_path, text, reason):
    (said,) = toml(tmp_path, text).refused
    assert "grid 1: " in said and reason in said


@pytest.mark.parametrize("text, reason", [
    ("[[grid]\n", "not a TOML file"), ("", r"there is no \[\[grid\]\]"), ("grid = 3\n", r"there is no \[\[grid\]\]"),
    ("grid = [1, 2]\n", r"there is no \[\[grid\]\]"),
    ("[[grids]]\n", "'grids' is not known"),
])
def test_a_file_that_is_no_space_is_refused(tmp_path, text, reason):
    with pytest.raises(BadSpace, match=reason):
        toml(tmp_path, text)


@pytest.mark.parametrize("name", sorted(path.stem for path in SPACES.glob("*.toml")))
def test_the_spaces_that_come_with_the_explorer_are_whole(name):
    space = read_space(SPACES / f"{name}.toml")
    assert space.points and space.refused == []


def test_the_thesis_has_all_its_points():
    """CIOS and two-row at four port counts, FIOS at three; three words, base and pipelined, four unrollings."""
    space = read_space(SPACES / "thesis.toml")
    assert len(space.points) == (4 + 4 + 3) * 3 * 2 * 4


def test_bits_shorter_than_four_words_are_refused():
    with pytest.raises(Refused, match="four words"):
        point_of({"design": "cios", "word": 32, "bits": 64})


@pytest.mark.parametrize("bits", [2049, 99999999999])
def test_bits_that_are_not_simulated_to_the_end_are_refused(bits):
    assert point_of({"design": "cios", "bits": 2048}).bits == 2048
    with pytest.raises(Refused, match=f"bits must be 2,048 at most, not {bits:,}"):
        point_of({"design": "cios", "bits": bits})


@pytest.mark.parametrize("unroll, bits", [(8, 32), (8, 56)])
def test_a_column_scanner_of_more_multipliers_than_words_is_refused(unroll, bits):
    """At 8 multipliers and 4 words product_scan.sv would never end."""
    point = {"design": "product-scan", "word": 8, "ports": "free", "unroll": unroll}
    with pytest.raises(Refused, match=f"product-scan: 8 multipliers are more than the {bits // 8} words"):
        point_of(point | {"bits": bits})
    assert point_of(point | {"bits": 64}) and point_of(point | {"unroll": 4, "bits": 32})


def test_ports_that_no_design_has_are_named_as_files_name_them():
    narrow = dataclasses.replace(DESIGNS["fios"], ports=(3, 4))
    with pytest.raises(Refused, match="ports must be 3 or 4, not free"):
        narrow.check(point_of({"design": "fios", "ports": "free"}))
