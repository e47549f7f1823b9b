# SPDX-License-Identifier: Apache-2.0
"""Every proof in the folders beside this file, named as those of the modules."""

from pathlib import Path

import pytest

from garner_hw import CommandError
from garner_hw.formal.prove import complete, prove, tasks

# The same properties for other parameters
OTHERS = {"dma_read-narrow_prove", "dma_read-narrow_reach", "dma_write-narrow_prove", "dma_write-narrow_reach", "mont-hop4_prove",
          "mont-hop4_reach", "mont-hop5_context1"}
# Those that take longer than 8 s, but for the one on which the secrecy of keys rests (rsa_decode). Their covers stay, and so do
# the tests in simulation of what they prove.
LONG = {"aes_inverse_round-prove", "aes_long_key_step-bits192", "aes_round-prove", "aes_round_cells-gates",
        "aes_round_cells-table", "axi_mux-prove", "descriptors-prove", "dispatcher_routing-prove", "dma_read-wide_prove",
        "dma_write-wide_prove", "mont-hop5_context0", "packet_buffer-prove", "stream_port-prove"}
# The same cover as that of aes_round, for a solver that must go through the cells
OTHERS |= {"aes_round_cells-reach"}
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
    harnesses = [path for path in files(sby) if path.is_relative_to(Path(__file__).parent)]
    assert any("cover (" in harness.read_text() for harness in harnesses), "no cover"


def files(sby: Path, *instead: Path) -> list[Path]:
    """What a complete proof lists below [files]."""
    return [Path(line) for line in complete(sby, instead).split("[files]\n")[1].splitlines()]


@pytest.mark.parametrize("text, why", [
    ("[script]\nread_slang fifo.sv\n[files]\n{sources fifo}\n", r"must have \{files\}"),
    ("[script]\nread_slang {files}\n[files]\nfifo.sv\n", r"begin with \{sources MODULE"),
    ("[script]\nread_slang {files}\n[files]\n{sources fifo fofo}\n", "no .core file .* names fofo"),
], ids=["files", "sources", "module"])
def test_list_of_files_that_cannot_be_made_is_an_error_of_the_proof(tmp_path: Path, text: str, why: str) -> None:
    sby = tmp_path / "wrong.sby"
    sby.write_text(text)
    with pytest.raises(CommandError, match=f"wrong.sby: .*{why}"):
        complete(sby)


def test_mutant_takes_the_place_of_its_source_alone(tmp_path: Path) -> None:
    proofs, other = Path(__file__).parent, tmp_path / "fifo.sv"
    other.write_text("module fifo;\nendmodule\n")
    sby = proofs / "bus" / "axi_mux.sby"
    assert files(sby, other) == [other if path.name == "fifo.sv" else path for path in files(sby)]
    with pytest.raises(CommandError, match="stage.sby: .*fifo.sv: 0 sources have its modules"):
        complete(proofs / "prim" / "stage.sby", [other])
