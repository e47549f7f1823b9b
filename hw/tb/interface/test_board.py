# SPDX-License-Identifier: Apache-2.0
"""hw/interface/board.toml: what contradicts itself is refused with its name, and scripts know the board by its numbers."""

import pytest

from garner_hw import HW
from garner_hw.interface import InterfaceError, board

SCRIPTS = (HW / "board" / "guest" / "init", HW.parent / "linux" / "test" / "stages" / "common.sh")  # no generated file is in their guests


@pytest.mark.parametrize("before, after, why", [
    ('name = "aes_encryption"', 'name = "aes-encryption"', "engine: 'aes-encryption' is not a name like operand_bytes"),
    ('name = "aes_encryption"', 'name = "rsa"', 'two engines are called "rsa"'),
    ('meaning = "RSA;', 'meaning = "RSA |', "engine \"rsa\": '|' in its meaning"),
    ("vectors = 3", "vectors = 2", 'engine "rsa" has 2 vectors'),
    ("vectors = 3", "vectors = \"3\"", "engine \"rsa\": vectors = '3' is not of type int"),
    ('meaning = "RSA;', 'kind = 1\nmeaning = "RSA;', 'engine "rsa" has an unknown key "kind"'),
    ("vectors = 3\n", "", 'engine "rsa" has no "vectors"'),
    ("[[engine]]", "[engine]", "board.toml: "),
    ("pci_vendor = 0x1234", "pci_vendor = 0x12345", "pci_vendor = 74565 is no number of PCI"),
    ("page_bytes = 4096", "page_bytes = 8192", "page_bytes = 8192; addresses of registers have 12 bits"),
])
def test_description_that_contradicts_itself_is_refused(tmp_path, before, after, why):
    changed = tmp_path / "board.toml"
    text = board.SOURCE.read_text()
    assert before in text
    changed.write_text(text.replace(before, after))
    with pytest.raises(InterfaceError) as refusal:
        board.load(changed)
    assert why in str(refusal.value)


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda script: script.name)
def test_script_of_a_guest_looks_for_the_numbers_of_the_board(script):
    found = board.load()
    assert f'"0x{found.pci_vendor:04x} 0x{found.pci_device:04x} "' in script.read_text()
