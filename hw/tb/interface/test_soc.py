# SPDX-License-Identifier: Apache-2.0
"""hw/interface/soc.toml: what contradicts itself is refused with its name; a moved register moves in every output."""

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
])
def test_description_that_contradicts_itself_is_refused(tmp_path, before, after, why):
    changed = tmp_path / "soc.toml"
    text = soc.SOURCE.read_text()
    assert before in text
    changed.write_text(text.replace(before, after))
    with pytest.raises(InterfaceError, match=why):
        soc.load(changed)


def test_moved_register_moves_in_rtl_and_firmware(tmp_path):
    changed = tmp_path / "soc.toml"
    changed.write_text(soc.SOURCE.read_text().replace("offset = 0x20", "offset = 0x28"))
    made = outputs.environment()
    rtl, firmware = (made.get_template(f"{name}.j2").render(soc=soc.load(changed), generated="")
                     for name in ("soc_pkg.sv", "soc_registers.h"))
    assert "RsaMontgomery = 14'd10;" in rtl
    assert "#define SOC_RSA_MONTGOMERY 0xf0010028U" in firmware
