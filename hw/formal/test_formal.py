# SPDX-License-Identifier: Apache-2.0
"""Every proof in the folders beside this file, named as those of the modules."""

from pathlib import Path

import pytest

from garner_hw.formal.prove import prove, tasks

# The same properties for other parameters
OTHERS = {"dma_read-narrow_prove", "dma_read-narrow_reach", "dma_write-narrow_prove", "dma_write-narrow_reach", "mont-hop4_prove",
          "mont-hop4_reach", "mont-hop5_context1"}
# Those that take longer than 8 s, but for the one on which the secrecy of keys rests (rsa_decode). Their covers stay, and so do
# the tests in simulation of what they prove.
LONG = {"axi_mux-prove", "descriptors-prove", "dispatcher_routing-prove", "dma_read-wide_prove", "dma_write-wide_prove",
        "mont-hop5_context0", "packet_buffer-prove", "stream_port-prove"}
SOAK = OTHERS | LONG
PROOFS = [pytest.param(sby, task, id=name, marks=[pytest.mark.soak] * (name in SOAK))
          for sby in sorted(Path(__file__).parent.glob("*/*.sby")) for task in tasks(sby) for name in [f"{sby.stem}-{task}"]]


@pytest.mark.parametrize("sby, task", PROOFS)
def test_proof(sby, task):
    prove(sby, task)


@pytest.mark.parametrize("sby", sorted(Path(__file__).parent.glob("*/*.sby")), ids=lambda sby: sby.stem)
def test_proof_is_not_vacuous(sby):
    """What a proof assumes leaves room for what it speaks of: each has covers, and a task that must reach them."""
    assert any(f"{task}: mode cover" in sby.read_text() for task in tasks(sby)), "no task of mode cover"
    harnesses = [sby.parent / line for line in sby.read_text().split("[files]\n")[1].split() if not line.startswith("../../")]
    assert any("cover (" in harness.read_text() for harness in harnesses), "no cover"
