# SPDX-License-Identifier: Apache-2.0
"""hw/interface/board.toml: what contradicts itself is refused with its name."""

import pytest

from garner_hw.interface import InterfaceError, board


@pytest.mark.parametrize("before, after, why", [
    ('name = "aes_encryption"', 'name = "aes-encryption"', "engine: 'aes-encryption' is not a name like operand_bytes"),
    ('name = "aes_encryption"', 'name = "rsa"', 'two engines are called "rsa"'),
    ('meaning = "RSA;', 'meaning = "RSA |', "engine \"rsa\": '|' in its meaning"),
    ("vectors = 3", "vectors = 2", 'engine "rsa" has 2 vectors'),
    ("vectors = 3", "vector = 3", "board.toml: "),
])
def test_description_that_contradicts_itself_is_refused(tmp_path, before, after, why):
    changed = tmp_path / "board.toml"
    text = board.SOURCE.read_text()
    assert before in text
    changed.write_text(text.replace(before, after))
    with pytest.raises(InterfaceError) as refusal:
        board.load(changed)
    assert why in str(refusal.value)
