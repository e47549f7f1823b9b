# SPDX-License-Identifier: Apache-2.0
"""What workers are worth on paper: independent circuits, each taken by the worker that is free first."""

import pytest

from garner_hw.explore.scaling import makespan, on_paper


@pytest.mark.parametrize("workers, seconds", [(1, 12), (2, 8), (3, 6), (100, 6)])
def test_the_worker_that_is_free_takes_the_next(workers, seconds):
    assert makespan([2, 4, 6], workers) == seconds


def test_a_circuit_counts_once_however_many_points_it_is():
    rows = [{"circuit": "a", "seconds": 30.0}, {"circuit": "a", "seconds": 30.0}, {"circuit": "b", "seconds": 10.0}]
    assert [(one.workers, one.seconds, one.circuits) for one in on_paper(rows)] == [(1, 40, 2), (2, 30, 2), (10, 30, 2), (100, 30, 2)]
    assert on_paper(rows)[-1].gain == pytest.approx(4 / 3)


def test_circuits_whose_time_is_not_known_are_left_out():
    assert not on_paper([{"circuit": "a", "seconds": None}, {"design": "older than the record"}])
