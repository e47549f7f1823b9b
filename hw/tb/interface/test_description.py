# SPDX-License-Identifier: Apache-2.0
"""A description that contradicts itself is refused, with one sentence that names what is wrong."""

import pytest

from garner_hw.command import main
from garner_hw.interface import InterfaceError, load, outputs


@pytest.mark.parametrize("file, before, after, sentence", [
    ("rsa.toml", 'bits = "15:8"', 'bits = "16:8"',
     'rsa.toml: descriptor: the field "tag" (word 0, bits 31:16) overlaps "slot" (word 0, bits 16:8)'),
    ("rsa.toml", 'bits = "28:16"', 'bits = "32:20"',
     'rsa.toml: descriptor: the field "exponent_bits" leaves its word, 1: bits 32:20'),
    ("rsa.toml", 'word = 8\n', 'word = 16\n',
     'rsa.toml: descriptor: the field "raise_interrupt" (word 16, bit 0) is behind the last of 16 words'),
    ("rsa.toml", 'word = 6\nbits = "63:0"', 'word = 7\nbits = "63:0"',
     'rsa.toml: descriptor: the field "result_address" of two words begins at an odd word (words 7 and 8)'),
    ("rsa.toml", 'bits = "5:4"', 'bits = "4:5"',
     "rsa.toml: descriptor \"scheme\": bits '4:5' have the lower bit first"),
    ("rsa.toml", 'bits = "5:4"', 'bits = "five"',
     "rsa.toml: descriptor \"scheme\": bits 'five' are not written as \"15:8\" or \"8\""),
    ("rsa.toml", 'code = 2\noperands', 'code = 1\noperands',
     'rsa.toml: operation "LoadModulus" and "LoadKey" have the same code, 1'),
    ("rsa.toml", '["a", "b"]', '"a, b"', "rsa.toml: operation \"Multiply\": operands = 'a, b' is not of type list"),
    ("rsa.toml", '["a", "b"]', '[]',
     'rsa.toml: operation "Multiply": operands = [] is no list of names; an operation without operands leaves it out'),
    ("rsa.toml", '["a", "b"]', '["a", "a"]', 'rsa.toml: operation "Multiply": two operands are called "a"'),
    ("rsa.toml", 'code = 6\nbroadcast', 'code = 16\nbroadcast',
     'rsa.toml: the code 16 of operation "Zeroise" does not fit the 4 bits of the field "op"'),
    ("rsa.toml", 'name = "BadModulus"\ncode = 5', 'name = "BadModulus"\ncode = 8',
     'rsa.toml: status "BusFault" and "BadModulus" have the same code, 8'),
    ("rsa.toml", 'name = "slot"', 'name = "op"', 'rsa.toml: two of descriptor are called "op"'),
    ("rsa.toml", '"exponent_bits", "tag"]', '"operand_bytes", "tag"]',
     'rsa.toml: job field "operand_bytes" (word 2, bits 31:0) is not in the descriptor\'s header'),
    ("rsa.toml", '"exponent_bits", "tag"]', '"exponentbits", "tag"]',
     'rsa.toml: job: descriptor has no field "exponentbits"'),
    ("rsa.toml", 'name = "tag"\nword = 0\nbits = "31:16"', 'name = "tag"\nword = 0\nbits = "31:17"',
     'rsa.toml: descriptor "tag" has 15 bits, in the completion it has 16'),
    ("rsa.toml", 'bits = "28:16"\n', '', 'rsa.toml: descriptor "exponent_bits" has no "bits"'),
    ("rsa.toml", 'name = "step_bits"\nvalue', 'name = "step_bits"\nvalues',
     'rsa.toml: constant "step_bits" has an unknown key "values"'),
    ("ring.toml", 'name = "phase"\nword = 3', 'name = "phase"\nword = 1',
     'ring.toml: completion: the field "phase" (word 1, bit 31) overlaps "cycles" (word 1, bits 31:0)'),
    ("ring.toml", 'name = "descriptor_words"\nvalue = 16', 'name = "descriptor_words"\nvalue = 32',
     "garner_regs.rdl: SUBMISSION_BASE_LOW is a multiple of 64, and a place of the ring has 128 bytes"),
    ("ring.toml", 'name = "size_log2_max"\nvalue = 15', 'name = "size_log2_max"\nvalue = 14',
     "garner_regs.rdl: SUBMISSION_SIZE holds up to 15, size_log2_max is 14"),
    ("rsa.toml", 'code = 6\nbroadcast', 'code = "six"\nbroadcast',
     "rsa.toml: operation \"Zeroise\": code = 'six' is not of type int"),
    ("rsa.toml", 'name = "operand_bytes"', 'name = "int"',
     "rsa.toml: descriptor: 'int' is not a name like operand_bytes in SystemVerilog, C, Rust and Python alike"),
    ("rsa.toml", 'name = "raise_interrupt"', 'name = "raise interrupt"',
     "rsa.toml: descriptor: 'raise interrupt' is not a name like operand_bytes in SystemVerilog, C, Rust and Python alike"),
    ("rsa.toml", 'name = "raise_interrupt"', 'name = "reserved_8_1"',
     "rsa.toml: descriptor: 'reserved_8_1' is not a name like operand_bytes in SystemVerilog, C, Rust and Python alike"),
    ("rsa.toml", 'name = "BadModulus"', 'name = "Bad_Op"',
     "rsa.toml: status: 'Bad_Op' is not a name like BadSlot in SystemVerilog, C, Rust and Python alike"),
    ("ring.toml", '"no such key slot"', '"no */ such slot"',
     "ring.toml: status \"BadSlot\": '*/' in its meaning would break a comment or a table"),
    ("ring.toml", '"no such key slot"', '" "', 'ring.toml: status "BadSlot": its meaning is empty'),
    ("rsa.toml", 'word = 8\n', 'word = -8\n', 'rsa.toml: descriptor: the field "raise_interrupt" is in word -8'),
    ("rsa.toml", 'name = "min_bits"', 'name = "least_bits"', 'rsa.toml: there is no constant "min_bits"'),
    ("rsa.toml", 'value = 512', 'value = 500',
     "rsa.toml: min_bits (500) and max_bits (4096) are not multiples of step_bits (64) in order"),
    ("rsa.toml", 'bits = "12:0"', 'bits = "11:0"', 'rsa.toml: max_bits (4096) does not fit the 12 bits of the field "bits"'),
    ("rsa.toml", 'fields = ["op",', 'field = ["op",',
     "rsa.toml: job is not `fields`, a list of names of the descriptor's fields"),
    ("rsa.toml", '"exponent_bits", "tag"]', '"exponent_bits", "tag", "tag"]', 'rsa.toml: job: two fields are called "tag"'),
    ("rsa.toml", 'name = "slot"\n', 'name = "slot"\ncodes = "scheme"\n',
     "rsa.toml: descriptor has not one field with the codes of each of operation, scheme, and no other with codes"),
    ("aes.toml", 'name = "message"\n', 'name = "message"\ncodes = "operation"\n',
     "aes.toml: descriptor has a field with codes, of which there are none here"),
    ("ring.toml", 'name = "Ok"\ncode = 0', 'name = "Ok"\ncode = 12', 'rsa.toml: the status 0 is not "Ok"'),
    ("ring.toml", 'name = "address_alignment"\nvalue = 8', 'name = "address_alignment"\nvalue = 4',
     'ring.toml: constant "address_alignment" is 4, not a multiple of 8 from 8 up to what 32 bits hold'),
    ("ring.toml", 'name = "length_alignment"\nvalue = 4', 'name = "length_alignment"\nvalue = 12',
     'ring.toml: constant "length_alignment" is 12, no power of two'),
    ("aes.toml", 'name = "block_bytes"\nvalue = 16', 'name = "block_bytes"\nvalue = 12',
     'aes.toml: constant "block_bytes" is 12, no power of two'),
    ("ring.toml", 'value = 15\n', 'value = \n', "ring.toml: Invalid value (at line 25, column 9)"),
])
def test_contradiction_is_refused_and_named(changed, file, before, after, sentence):
    with pytest.raises(InterfaceError) as refusal:
        load(changed(file, before, after))
    assert str(refusal.value) == sentence


@pytest.mark.parametrize("file", ["garner_regs.rdl", "ring.toml", "rsa.toml", "aes.toml"])
def test_file_that_is_missing_is_named(changed, file):
    folder = changed("ring.toml", "no such key slot", "no such slot")
    (folder / file).unlink()
    with pytest.raises(InterfaceError, match=f"^{file}: No such file"):
        load(folder)


def test_register_of_the_rings_that_is_missing_is_named(changed):
    with pytest.raises(InterfaceError, match="^garner_regs.rdl: there is no field SUBMISSION_SIZE.log2$"):
        load(changed("garner_regs.rdl", "} SUBMISSION_SIZE @", "} SUBMISSION_LENGTH @"))


def test_register_that_the_hardware_does_not_reach_is_refused_and_named(changed):
    with pytest.raises(InterfaceError, match="^garner_regs.rdl: VERSION is at 0x020; registers.sv reaches eight words"):
        load(changed("garner_regs.rdl", "} VERSION @ 0x004", "} VERSION @ 0x020"))


def test_overlapping_fields_of_a_register_are_refused_and_named(changed):
    with pytest.raises(InterfaceError, match=r"^garner_regs.rdl: Field 'clear_counters.* overlaps with field 'zeroise"):
        load(changed("garner_regs.rdl", "zeroise[1:1] = 0", "zeroise[2:2] = 0"))


def test_constant_that_is_no_number_is_refused_and_named(changed):
    with pytest.raises(InterfaceError, match="^garner_regs.rdl: VERSION.minor is constant, and no number$"):
        load(changed("garner_regs.rdl", "minor[15:0] = 0;", "minor[15:0] = 0; minor->reset = major;"))


def test_document_with_an_unknown_table_is_refused_and_named():
    text = "<!-- table: colours, generated by `make hw-regs` -->\n<!-- end of table -->\n"
    with pytest.raises(InterfaceError, match='there is no table "colours"'):
        outputs.tables(text, load())


def test_table_that_the_document_has_lost_is_named():
    text = outputs.DOCUMENT.read_text().replace("<!-- table: status,", "<!-- status,")
    with pytest.raises(InterfaceError, match='the table "status" is there 0 times'):
        outputs.tables(text, load())


def test_command_finds_a_committed_file_that_is_out_of_date(tmp_path, monkeypatch, capsys):
    assert main(["interface", "--check"]) == 0
    stale = tmp_path / "integration.md"
    text = outputs.DOCUMENT.read_text()
    stale.write_text(text.replace("| slot | 15:8 |", "| slot | 14:7 |"))
    monkeypatch.setattr(outputs, "DOCUMENT", stale)
    monkeypatch.setattr(outputs, "ROOT", tmp_path)
    assert main(["interface", "--check"]) == 1
    assert capsys.readouterr().err.startswith("integration.md is not what hw/interface says")
