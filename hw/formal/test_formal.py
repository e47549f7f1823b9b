# SPDX-License-Identifier: Apache-2.0
"""Every proof in the folders beside this file, named as those of the modules."""

from pathlib import Path

import pytest

from formal.prove import prove, tasks

PROOFS = [(sby, task) for sby in sorted(Path(__file__).parent.glob("*/*.sby")) for task in tasks(sby)]


@pytest.mark.parametrize("sby, task", PROOFS, ids=[f"{sby.stem}-{task}" for sby, task in PROOFS])
def test_proof(sby, task):
    prove(sby, task)
