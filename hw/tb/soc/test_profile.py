# SPDX-License-Identifier: Apache-2.0
"""The profile of mbedTLS on the system: what is counted of a program whose counts are known, and of a real operation."""

import pytest

from garner_hw.soc import profile
from garner_hw.soc.profile import Symbols, call_graph


def test_cycles_and_calls_are_those_of_the_functions_that_have_the_addresses():
    functions = Symbols([0x100, 0x200, 0x300], ["root", "middle", "leaf"])
    graph = call_graph(["self 100 10", "self 104 10", "self 200 20", "self 300 60", "call 10 100 1 100", "call 104 200 2 80",
                        "call 204 300 3 50", "call 100 300 1 10"], functions, "root")
    assert graph.cost == 100
    assert {one.name: (one.self_share, one.share, one.calls) for one in graph.functions.values()} == {
        "root": (0.2, 1.0, 1), "middle": (0.2, 0.8, 2), "leaf": (0.6, pytest.approx(0.6), 4)}
    assert graph.functions["leaf"].callers == {"middle": 3, "root": 1}
    assert graph.functions["root"].callees == {"middle": 0.8, "leaf": 0.1}
    assert [one.name for one in graph.roots()] == ["root"]


def test_a_public_operation_is_profiled():
    graph, answer = profile.measured("encrypt", 512, 1)
    assert graph.cost == pytest.approx(answer.cycles, rel=1e-2)  # of the processor's own counter, which begins a little before
    assert graph.functions["mbedtls_rsa_public"].share == pytest.approx(1)
    # e = 65537: 16 squarings, one multiplication and what converts, two rows of products for each of 16 words
    assert 2 * 16 * 17 <= graph.functions["mpi_mul_hlp"].callers["mpi_montmul"] <= 2 * 16 * 24


def test_a_private_operation_is_profiled_and_adds_up():
    graph, answer = profile.measured("decrypt", 512, 1)
    assert graph.cost == pytest.approx(answer.cycles, rel=1e-3)  # of the processor's own counter
    assert sum(one.self_share for one in graph.functions.values()) == pytest.approx(1)
    for one in graph.functions.values():
        if one.name.startswith(("mbedtls_", "mpi_")):  # the C library's may end in a jump to another function
            assert one.share == pytest.approx(one.self_share + sum(one.callees.values()), abs=1e-6), one.name
    assert graph.hottest().name == "mpi_mul_hlp"
    montmul = graph.functions["mpi_montmul"]
    # Two rows of products for each of a half's 8 words, in each multiplication.
    assert graph.functions["mpi_mul_hlp"].callers["mpi_montmul"] >= 2 * 8 * montmul.calls
    assert montmul.callers["mbedtls_mpi_exp_mod"] > 2 * 256  # a squaring a bit of both halves' exponents
