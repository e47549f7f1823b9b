# SPDX-License-Identifier: Apache-2.0
"""Where driver and firmware put a field into a word of a record, the description has it in that word.

Masks and shifts come from the generated headers, and move with the description. The word is chosen in the C code.
"""

import re

import pytest

from garner_hw import HW

# The words that the C code chooses
CHOSEN = {
    **dict.fromkeys(("RSA_DESCRIPTOR_OP", "RSA_DESCRIPTOR_SCHEME", "RSA_DESCRIPTOR_SLOT", "AES_DESCRIPTOR_FIRST", "AES_DESCRIPTOR_LAST",
                     "AES_DESCRIPTOR_LOAD_KEY", "AES_DESCRIPTOR_MESSAGE", "AES_DESCRIPTOR_SLOT", "COMPLETION_STATUS"), 0),
    **dict.fromkeys(("RSA_DESCRIPTOR_BITS", "RSA_DESCRIPTOR_EXPONENT_BITS"), 1),
    "COMPLETION_INDEX": 2,
    "COMPLETION_PHASE": 3,
}
WORDS = {name: int(word) for header in (HW / "dist" / "include").glob("*.h")
         for name, word in re.findall(r"#define GARNER_(\w+)_WORD (\d+)$", header.read_text(), re.MULTILINE)}
SOURCES = [*(HW.parent / "linux").glob("*.c"), *(HW / "soc" / "firmware").glob("*.c")]
USED = sorted({name for source in SOURCES
               for name in re.findall(r"\b(?:GARNER_)?(?:PUT|FIELD)\([^;]*?\bGARNER_(\w+)\)", source.read_text()) if name in WORDS})


def test_every_field_that_c_code_puts_or_takes_is_known_here():
    assert USED == sorted(CHOSEN)


@pytest.mark.parametrize("name", sorted(CHOSEN))
def test_field_is_in_the_word_that_c_code_chooses(name):
    assert WORDS[name] == CHOSEN[name], f"linux/ or hw/soc/firmware still has {name} in word {CHOSEN[name]}"
