# SPDX-License-Identifier: Apache-2.0
"""Which design is chosen for a budget."""

import pytest

from garner_hw.explore.budget import BadBudget, Budget, advise


def row(design, us, lut, ports=2, dsp=0, mhz=100.0, energy=1.0, bits=1024, placed=None):
    return {"design": design, "us": us, "lut": lut, "lut_placed": placed, "ports": ports, "dsp": dsp, "mhz": mhz,
            "memory": 0, "ff": 10,
            "cycles": round(us * mhz), "cycles_with_m": round(us * mhz), "bound_cycles": us * mhz / 2, "bound_by": "ports",
            "bits": bits, "area_time": lut * us, "energy_nj": energy}


ROWS = [row("slow", 90.0, 300), row("fast", 20.0, 1500, ports=3), row("fastest", 10.0, 5000, ports=0),
        row("clocked", 25.0, 1400, mhz=60.0)]


def say(text, rows=ROWS):
    return advise(rows, Budget.parse(text), lambda row: row["design"])


@pytest.mark.parametrize("budget, best, second", [
    ("lut=2000", "fast", "clocked"), ("lut=400", "slow", None), ("ports=2", "clocked", "slow"), ("ports=4", "fast", "clocked"),
    ("clock=100", "fastest", "fast"), ("lut=2000,clock=50", "clocked", "fast"), ("lut=2000,ports=2,clock=100", "slow", None),
])
def test_the_fastest_that_fits_is_built_and_the_next_named(budget, best, second):
    advice = say(budget)
    assert advice.found
    assert advice.text.startswith(f"build {best}: ")
    assert (f"runner-up: {second}:" in advice.text) if second else ("runner-up" not in advice.text)


def test_at_the_clock_of_the_system_time_is_counted_by_that_clock():
    assert "40 us" in say("lut=2000,clock=50,ports=3", [row("fast", 20.0, 1500)]).text


def test_time_is_that_with_the_quotient_digits():
    rows = [row("none to compute", 10.0, 1000), row("computes them", 9.0, 1000) | {"cycles_with_m": 1100}]
    assert say("lut=2000", rows).text.startswith("build none to compute: 10 us")
    assert "runner-up: computes them: 11 us" in say("lut=2000", rows).text


def test_area_x_time_has_the_time_at_the_clock_of_the_system():
    rows = [row("fast", 10.0, 1000), row("quick clock", 15.0, 500, mhz=400.0), row("slow clock", 12.0, 700)]
    assert "least area x time within the budget: quick clock" in say("lut=2000", rows).text
    assert "least area x time within the budget: slow clock" in say("lut=2000,clock=100", rows).text


def test_each_size_of_operands_has_its_own_advice():
    short = [row("short", 1.0, 1500, bits=256), row("short and small", 2.0, 250, bits=256)]
    assert [line for line in say("lut=2000", ROWS + short).text.splitlines() if line.startswith("build")] == [
        "build short: 1 us a multiplication of 256 bits,", "build fast: 20 us a multiplication of 1024 bits,"]
    advice = say("lut=260", ROWS + short)
    assert not advice.found
    assert "build short and small" in advice.text and "1024 bits: none of 4 points fits" in advice.text


@pytest.mark.parametrize("budget, reason", [
    ("lut=200", "slow: it needs 300 LUTs, 200 are allowed"),
    ("lut=1600,clock=110,ports=3", "fast: it reaches 100 of 110 MHz"),
    ("energy=0.5,lut=400", "it needs 1 nJ, 0.5 are allowed"),
    ("lut=0", "slow: it needs 300 LUTs, 0 are allowed"),
    ("energy=0", "it needs 1 nJ, 0 are allowed"),
])
def test_where_nothing_fits_the_nearest_is_named_with_what_it_lacks(budget, reason):
    advice = say(budget)
    assert not advice.found and "none of 4 points fits" in advice.text and reason in advice.text


def test_a_budget_of_luts_holds_for_the_placed_design():
    rows = [row("grows", 10.0, 1900, placed=2500), row("stays", 20.0, 1800, placed=1900), row("not placed", 30.0, 1700)]
    advice = say("lut=2000", rows)
    assert advice.text.startswith("build stays: ") and "1,900 LUTs placed" in advice.text
    assert "runner-up: not placed:" in advice.text and "1,700 LUTs," in advice.text
    assert "grows: it needs 2,500 LUTs, 2,400 are allowed" in say("lut=2400", rows[:1]).text


def test_of_two_as_fast_the_one_that_is_smaller_when_placed_is_built():
    rows = [row("small netlist", 10.0, 500, placed=900), row("small", 10.0, 600, placed=700)]
    assert say("lut=2000", rows).text.startswith("build small: ")


def test_the_chosen_design_is_named_with_all_that_it_takes_of_the_part():
    big = row("big", 10.0, 15_000, dsp=3, placed=17_345) | {"ff": 12_345, "memory": 2}
    said = say("clock=50", [big]).text
    assert "17,345 LUTs placed, 12,345 flip-flops, 3 DSP blocks, 2 block RAMs, reaches 100 MHz" in said
    one = say("lut=20000", [big | {"dsp": 1, "memory": 1}]).text
    assert "1 DSP block, 1 block RAM, reaches" in one
    assert "2 block RAMs, 1.5 nJ, reaches" in say("energy=2", [big | {"energy_nj": 1.5}]).text


@pytest.mark.parametrize("budget, found", [("energy=2", True), ("energy=0.5", False)])
def test_designs_without_measured_energy_are_counted_where_energy_is_limited(budget, found):
    rows = [*ROWS, row("unknown", 1.0, 100, energy=None), row("unknown too", 2.0, 100, energy=None)]
    advice = say(budget, rows)
    assert advice.found is found
    assert "2 of 6 points have no measured energy and were not chosen from" in advice.text
    assert "no measured" not in say("lut=2000", rows).text
    assert "it has no measured energy" in say("energy=2", rows[-1:]).text


def test_free_ports_fit_no_number_of_ports():
    assert not say("ports=100", [ROWS[2]]).found


@pytest.mark.parametrize("text, reason", [
    ("", "an empty part"), ("luts=5", "luts=5 is none of"), ("lut", "lut is none of"), ("lut=many", "a number, not many"),
    ("lut=-1", "of 0 or more"), ("clock=0", "above 0"), ("lut=nan", "of 0 or more"), ("lut=1,lut=2", "there twice"),
    ("lut=inf", "of 0 or more"),
])
def test_a_budget_that_says_nothing_is_refused(text, reason):
    with pytest.raises(BadBudget, match=reason):
        Budget.parse(text)


def test_without_points_there_is_no_advice():
    assert not advise([], Budget.parse("lut=5"), str).found
