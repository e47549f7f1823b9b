# SPDX-License-Identifier: Apache-2.0
"""What is generated from hw/interface: up to date, taken by compilers, and everywhere the same as the description."""

import multiprocessing
import re
import shutil
import subprocess
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

import pytest

from garner_hw import HW
from garner_hw.interface import SOURCES, load, outputs, registers
from garner_hw.interface.layout import Layout

HEADERS = ("garner_regs.h", "garner_ring.h", "garner_rsa.h", "garner_aes.h", "garner_board.h")
STRICT = ("-Wall", "-Wextra", "-Wpadded", "-Wpedantic", "-Werror", "-c")


@pytest.mark.parametrize("path", outputs.render(load()), ids=lambda path: path.name)
def test_committed_file_is_what_the_description_says(path: Path):
    assert path.read_text() == outputs.render(load())[path], "run `make hw-regs` and commit it"


def test_registers_are_generated_once_where_several_processes_want_them(tmp_path: Path):
    build = tmp_path / "regs"
    with ProcessPoolExecutor(4, multiprocessing.get_context("spawn")) as pool:
        asked = [pool.submit(registers.rtl, registers.SOURCE, build) for _ in range(4)]
        found = {tuple(path.read_text() for path in each.result()) for each in asked}
    assert found == {tuple(path.read_text() for path in registers.rtl())}


def test_headers_may_be_included_by_a_module_under_the_gpl():
    included = re.findall(r"#include <(garner_\w+\.h)>", (HW.parent / "linux" / "garner.h").read_text())
    assert included
    for header in {*HEADERS, *included, "garner_types.h"}:
        first = (outputs.HEADERS / header).read_text().splitlines()[0]
        assert first == "/* SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only */", header


# Where each output has a field: (word, bits), the bits as "15:8".


def in_systemverilog(text: str, structure: str, name: str) -> tuple[int, int, int]:
    """From the widths of a packed structure's members, the last of which is the lowest."""
    members = re.search(r"struct packed \{([^}]*)\} " + structure + ";", text)[1]
    at = 0
    found = re.findall(r"^    (logic|\w+_e)(?: \[(\d+):0\])? +(\w+);", members, re.MULTILINE)
    for kind, high, member in reversed(found):
        width = {"op_e": 4, "scheme_e": 2}.get(kind, int(high or 0) + 1)
        if member == name:
            return at // 32, at % 32 + width - 1, at % 32
        at += width
    raise AssertionError(f"no {name} in {structure}")


def in_rust(text: str, module: str, name: str) -> tuple[int, int, int]:
    part = text.split(f"pub mod {module} {{")[1]
    word, low, width = map(int, re.search(
        rf"pub const {name.upper()}: Field = Field {{ word: (\d+), low: (\d+), width: (\d+) }};", part).groups())
    return word, low + width - 1, low


def in_c(text: str, prefix: str, name: str) -> tuple[int, int, int]:
    word, shift, mask = (int(re.search(rf"#define {prefix}_{name.upper()}_{what} (\w+?)(?:U|ULL)?\n", text)[1], 0)
                         for what in ("WORD", "SHIFT", "MASK"))
    assert mask & -mask == 1 << shift
    return word, mask.bit_length() - 1, shift


def in_python(layout: Layout, name: str) -> tuple[int, int, int]:
    """From where the ones are in a record with the field full of them."""
    ones = int.from_bytes(layout.pack(**{name: (1 << layout[name].width) - 1}), "little")
    low = (ones & -ones).bit_length() - 1
    return low // 32, ones.bit_length() - 1 - low // 32 * 32, low % 32


def in_document(text: str, table: str, name: str) -> tuple[int, int, int]:
    rows = text.split(f"<!-- table: {table},")[1].split("<!-- end of table -->")[0]
    word, high, low = re.search(rf"^\| (\d+)[^|]* \| {name} \| (\d+)(?::(\d+))? \|", rows, re.MULTILINE).groups()
    return int(word), int(high), int(low or high)


def places(folder: Path, record: str, name: str) -> dict[str, tuple[int, int, int]]:
    """Word, highest and lowest bit of a field of the descriptor or the completion, in each output."""
    interface = load(folder)
    text = {path.name: text for path, text in outputs.render(interface).items()}
    layout, package, rust, header, prefix, structure = {
        "descriptor": (interface.rsa.descriptor, "descriptor_pkg.sv", "rsa.rs", "garner_rsa.h", "GARNER_RSA_DESCRIPTOR", "header_t"),
        "aes_descriptor": (interface.aes.descriptor, "aes_descriptor_pkg.sv", "aes.rs", "garner_aes.h", "GARNER_AES_DESCRIPTOR",
                           "aes_descriptor_t"),
        "completion": (interface.ring.completion, "ring_pkg.sv", "ring.rs", "garner_ring.h", "GARNER_COMPLETION",
                       "completion_header_t")}[record]
    return {"SystemVerilog": in_systemverilog(text[package], structure, name),
            "Rust": in_rust(text[rust], record.removeprefix("aes_"), name),
            "C": in_c(text[header], prefix, name),
            "Python": in_python(layout, name),
            "document": in_document(text[outputs.DOCUMENT.name], record, name)}


@pytest.mark.parametrize("file, record, name, word, before, after", [
    ("rsa.toml", "descriptor", "slot", 0, "15:8", "14:7"),
    ("rsa.toml", "descriptor", "exponent_bits", 1, "28:16", "29:17"),
    ("ring.toml", "completion", "status", 0, "19:16", "20:17"),
    ("aes.toml", "aes_descriptor", "slot", 0, "15:8", "15:9"),  # no bit of its words is free
])
def test_field_moved_by_a_bit_moves_in_every_output(changed, file, record, name, word, before, after):
    def numbers(bits: str) -> tuple[int, ...]:
        return (word, *map(int, bits.split(":")))

    found = places(SOURCES, record, name)
    assert found == dict.fromkeys(found, numbers(before))
    entry = f'name = "{name}"\nword = {word}\nbits = "{{}}"'
    found = places(changed(file, entry.format(before), entry.format(after)), record, name)
    assert found == dict.fromkeys(found, numbers(after))


def test_register_field_moved_by_a_bit_moves_in_every_output(changed, tmp_path):
    folder = changed("garner_regs.rdl", "zeroise[1:1] = 0", "zeroise[3:3] = 0")
    interface = load(folder)
    text = {path.name: text for path, text in outputs.render(interface).items()}
    rtl = registers.rtl(folder / "garner_regs.rdl", tmp_path / "regs")[1].read_text()
    assert re.search(r"CONTROL\.zeroise\.value & ~decoded_wr_biten\[(.*?)\]", rtl)[1] == "3:3"
    assert "pub const CONTROL_ZEROISE: u32 = 0x00000008;" in text["registers.rs"]
    assert "#define GARNER_REG_CONTROL_ZEROISE_MASK 0x00000008U" in text["garner_regs.h"]
    assert "#define GARNER_REG_CONTROL_ZEROISE_SHIFT 3" in text["garner_regs.h"]
    assert interface.register_constants()["CONTROL_ZEROISE"] == 8
    assert "zeroise 3 (pulse)" in text[outputs.DOCUMENT.name]


def codes(folder: Path, name: str, upper: str) -> dict[str, int]:
    """The code of an operation in each output."""
    interface = load(folder)
    text = {path.name: text for path, text in outputs.render(interface).items()}
    found = {"SystemVerilog": re.search(rf"\bOp{name} += 4'd(\d+)", text["garner_pkg.sv"]),
             "Rust": re.search(rf"^    {name} = (\d+),", text["rsa.rs"], re.MULTILINE),
             "C": re.search(rf"#define GARNER_RSA_OP_{upper} (\d+)\n", text["garner_rsa.h"]),
             "document": re.search(rf"^\| (\d+) \| Op{name} \|", text[outputs.DOCUMENT.name], re.MULTILINE)}
    return {output: int(match[1]) for output, match in found.items()} | {
        "Python": interface.rsa.operations[name].code}


def test_operation_with_another_code_has_it_in_every_output(changed):
    found = codes(SOURCES, "Zeroise", "ZEROISE")
    assert found == dict.fromkeys(found, 6)
    found = codes(changed("rsa.toml", "code = 6\nbroadcast", "code = 11\nbroadcast"), "Zeroise", "ZEROISE")
    assert found == dict.fromkeys(found, 11)


def test_operation_that_takes_no_operands_is_known_to_the_shell(changed):
    folder = changed("rsa.toml", 'operands = ["n"]\n', "")
    package = outputs.render(load(folder))[HW / "rtl" / "garner_pkg.sv"]
    assert "return op != OpLoadModulus && op != OpZeroise;" in package


# Compilers.


@pytest.mark.parametrize("compiler, options", [
    ("gcc", ["-std=c11", "-ffreestanding"]), ("gcc", ["-std=c11", "-ffreestanding", "-U__linux__"]),
    ("g++", ["-std=c++17"])], ids=["c11-linux", "c11-firmware", "c++"])
def test_c_headers_compile_and_structures_have_their_layout(tmp_path, compiler, options):
    """Every word at its offset, without padding; firmware's own types, too."""
    interface = load()
    lines = [f'#include "{name}"' for name in HEADERS] + ["#include <stddef.h>"]
    check = "_Static_assert" if compiler == "gcc" else "static_assert"
    for structure, layout in (("garner_rsa_descriptor", interface.rsa.descriptor),
                              ("garner_completion", interface.ring.completion)):
        lines.append(f'{check}(sizeof(struct {structure}) == {layout.bytes}, "size");')
        for field in layout.fields:
            member = field.name if field.width % 32 == 0 else f"word{field.word}"
            lines.append(f'{check}(offsetof(struct {structure}, {member}) == {4 * field.word}, "{member}");')
    source = tmp_path / ("use.c" if compiler == "gcc" else "use.cpp")
    source.write_text("\n".join(lines) + "\n")
    subprocess.run([compiler, *options, *STRICT, "-I", HW / "dist" / "include", source, "-o", tmp_path / "use.o"],
                   check=True)


@pytest.mark.parametrize("name", HEADERS)
def test_c_header_compiles_alone(tmp_path, name):
    source = tmp_path / "use.c"
    source.write_text(f'#include "{name}"\n#include "{name}"\ntypedef int used;\n')
    subprocess.run(["gcc", "-std=c11", *STRICT, "-I", HW / "dist" / "include", source, "-o", tmp_path / "use.o"],
                   check=True)


@pytest.mark.skipif(not shutil.which("rustc"), reason="needs rustc")
def test_rust_modules_compile_without_a_warning(tmp_path):
    subprocess.run(["rustc", "--crate-type", "lib", "--edition", "2024", "--deny", "warnings", "--out-dir", tmp_path,
                    outputs.RUST / "mod.rs"], check=True)
