# SPDX-License-Identifier: Apache-2.0
"""The port limit is kept: a unit changed so that it reads a word too many, or reads while it writes, is refused."""

import json

import pytest

from garner_hw import BUILD
from garner_hw.explore.benches import row
from garner_hw.explore.benches.multiplier import OPERATOR
from garner_hw.simulate import simulate
from garner_hw.sources import sources

SMALL = {"W": 32, "Bits": 512, "Multiplier": OPERATOR}
# What of the RTL is changed, into what, and what the memory says
MUTANTS = {
    "a_word_too_many": ({"Algorithm": row.TWO_ROW, "Ports": 3, "Unroll": 2}, "row_pkg",
                        "(ports == 4 && algorithm != Fios && words >= 2) ? 2 : 1", "2",
                        "words in a cycle over 3 ports"),
    "a_read_with_a_write": ({"Algorithm": row.TWO_ROW, "Ports": 2}, "row",
                            "assign t_read_o[p] = t_slot;", "assign t_read_o[p] = active_q;",
                            "reads and writes in one cycle"),
}


@pytest.mark.parametrize("mutant", MUTANTS)
def test_unit_over_its_ports_is_refused(mutant, capfd):
    changes, module, right, wrong, said = MUTANTS[mutant]
    parameters = row.DEFAULTS | SMALL | changes
    row.run(parameters, numbers=1)  # as it is, it passes
    text = next(path for path in sources("row_bench") if path.stem == module).read_text()
    assert right in text
    changed = BUILD / f"{mutant}-{module}.sv"
    changed.write_text(text.replace(right, wrong, 1))
    capfd.readouterr()
    with pytest.raises((RuntimeError, SystemExit)):
        simulate("row_bench", sources("row_bench", instead=[changed]), row.__name__, parameters,
                 {"ROW": json.dumps(parameters), "NUMBERS": "1", "RECORD": ""}, variant=mutant, inside=("port_memory",))
    out, error = capfd.readouterr()
    assert said in out + error
