# SPDX-License-Identifier: Apache-2.0
"""hw/interface/soc.toml: what contradicts itself is refused with its name; what is moved there moves in every output."""

import pytest

from garner_hw.interface import InterfaceError, outputs, soc


@pytest.mark.parametrize("before, after, why", [
    ("base = 0xF0010000", "base = 0xF0000000", "two peripherals are at"),
    ("base = 0xF0010000", "base = 0xF0010004", "\"rsa\": base 0xf0010004 is no page"),
    ("base = 0xF0010000", "base = 0x10000", "\"rsa\": base 0x10000 is no page"),
    ("offset = 0x1C", "offset = 0x1D", "is at 0x1d, which is no word"),
    ("offset = 0x1C", "offset = 0x18", "two registers are at"),
    ("name = \"job1\"", "name = \"job0\"", "two registers are called"),
    ("access = \"both\"", "access = \"all\"", "console has access \"all\""),
    ("name = \"rsa\"", "nome = \"rsa\"", "soc.toml: "),
    ("name = \"job1\"", "name = \"job 1\"", "\"rsa\": register: 'job 1' is not a name like operand_bytes"),
    ("name = \"waiting\"", "name = \"wait\"", "\"rsa\": status: field: 'wait' is not a name like operand_bytes"),
    ("bits = \"7:4\"", "bits = \"7:1\"", "\"rsa\": status: the field \"status\" .* overlaps \"waiting\""),
    ("bits = \"31:24\"", "bits = \"32:24\"", "\"mont\": built: the field \"slot_words\" leaves its word"),
    ("bits = \"24:16\"", "bits = \"16:24\"", "\"mont\": sizes, passes: bits '16:24' have the lower bit first"),
    ("meaning = \"takes the answer;", "meaning = \"*/ takes the answer;", "accept: '\\*/' in its meaning"),
    ("name = \"Exp\"\ncode = 2", "name = \"Exp\"\ncode = 1", "level: two have the code \"1\""),
    ("name = \"Exp\"", "name = \"Mul\"", "level: two are called \"Mul\""),
    ("code = 99", "code = \"99\"", "stop \"Trapped\": '99' is no number"),
    ("[[stop]]", "[[stops]]", "\"stops?\" is (unknown|missing)"),
])
def test_description_that_contradicts_itself_is_refused(tmp_path, before, after, why):
    changed = tmp_path / "soc.toml"
    text = soc.SOURCE.read_text()
    assert before in text
    changed.write_text(text.replace(before, after))
    with pytest.raises(InterfaceError, match=why):
        soc.load(changed)


def rendered(path) -> tuple[str, str]:
    """Package and header of this description."""
    made = outputs.environment()
    return tuple(made.get_template(f"{name}.j2").render(soc=soc.load(path), generated="")
                 for name in ("soc_pkg.sv", "soc_registers.h"))


def test_moved_register_moves_in_rtl_and_firmware(tmp_path):
    changed = tmp_path / "soc.toml"
    changed.write_text(soc.SOURCE.read_text().replace("offset = 0x20", "offset = 0x28"))
    rtl, firmware = rendered(changed)
    assert "RsaMontgomery = 14'd10;" in rtl
    assert "#define SOC_RSA_MONTGOMERY 0xf0010028U" in firmware
    assert soc.load(changed)["rsa"].address("montgomery") == 0xF0010028


def test_moved_field_moves_in_rtl_and_firmware(tmp_path):
    changed = tmp_path / "soc.toml"
    changed.write_text(soc.SOURCE.read_text().replace('name = "passes", bits = "24:16"', 'name = "passes", bits = "25:17"'))
    rtl, firmware = rendered(changed)
    assert "    logic [8:0]  passes;          // bits 25:17\n    logic [7:0]  reserved_0_9;    // bits 16:9\n" in rtl
    assert "#define SOC_MONT_SIZES_PASSES_SHIFT 17\n#define SOC_MONT_SIZES_PASSES_MASK 0x03fe0000U\n" in firmware
