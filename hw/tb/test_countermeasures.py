# SPDX-License-Identifier: Apache-2.0
"""The security claims of docs/security.md ("In the hardware") and the RTL lines that are tagged with them."""

import re
from pathlib import Path

import pytest

HW = Path(__file__).resolve().parents[1]
TEXT = (HW.parent / "docs" / "security.md").read_text()
SECTION = TEXT.split("## In the hardware\n")[1].split("\n## ")[0]
# Claim, its modules, and what shows it: `NAME` | text | `module`, ... | `test`, `proof.sby:task`, ...
CLAIMS = {name: (re.findall(r"`(\w+)`", kept), re.findall(r"`([\w.:]+)`", shown)) for name, kept, shown in
          re.findall(r"^\| `([A-Z_.]+)` \|[^|]+\|([^|]+)\|([^|]+)\|$", SECTION, re.MULTILINE)}


def tags(text: str) -> list[str]:
    return re.findall(r"//.*SEC_CM: (\S+)", text)


def tagged() -> dict[str, set[str]]:
    """The modules that have a line with this tag."""
    found = {}
    for source in sorted((HW / "rtl").rglob("*.sv")):
        for name in tags(source.read_text()):
            found.setdefault(name, set()).add(source.stem)
    return found


def functions() -> set[str]:
    """All tests: functions of pytest, and those of cocotb."""
    return {name for folder in ("tb", "garner_hw/measure") for source in (HW / folder).rglob("*.py")
            for name in re.findall(r"^(?:@cocotb\.test\(.*\)\n(?:@.*\n)*async def|def(?= test_)) (\w+)", source.read_text(),
                                   re.MULTILINE)}


def tasks(sby: Path) -> list[str]:
    return [line.split()[0] for line in sby.read_text().split("[tasks]\n")[1].split("\n[")[0].splitlines() if line]


def test_every_tag_of_the_rtl_is_a_claim_of_the_document():
    assert set(tagged()) <= set(CLAIMS)


@pytest.mark.parametrize("claim", CLAIMS)
def test_claim_is_kept_by_tagged_lines_of_the_modules_it_names(claim):
    assert tagged().get(claim, set()) == set(CLAIMS[claim][0])


@pytest.mark.parametrize("claim", CLAIMS)
def test_what_shows_a_claim_exists(claim):
    shown, known = CLAIMS[claim][1], functions()
    assert shown, "nothing shows it"
    for name in shown:
        proof, _, task = name.partition(":")
        if task:
            (sby,) = (HW / "formal").rglob(proof)
            assert task in tasks(sby), name
        else:
            assert name in known, name


def test_rows_of_the_table_are_all_understood():
    assert len(CLAIMS) == len(re.findall(r"^\| `", SECTION, re.MULTILINE)) > 10


def test_programs_send_results_alone():
    """Of all instructions of the microprogram: the accumulator's result, FieldResult, or the zeros of an erasure."""
    program = re.sub(r"//.*", "", (HW / "rtl" / "rsa" / "rsa_program_pkg.sv").read_text())
    sent = set(re.findall(r"\w+\(.*\bStream\b.*\)", program))
    assert sent == {"pass(LengthFull, XDown, SignPlus, Nowhere, Stream)", "move(LengthFull, slot(FieldResult), Stream)",
                    "move(LengthFull, Nowhere, Stream)"}
