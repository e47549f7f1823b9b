# SPDX-License-Identifier: Apache-2.0
"""What the register description is turned into, for those who use it without the generator."""

import shutil
import subprocess

import pytest

from garner_hw.interface.generate import BUILD, COMMITTED, generate, rust


def test_committed_rust_constants_are_those_of_the_description():
    assert COMMITTED.read_text() == rust(), "run `make hw-regs` and commit hw/regs/garner_regs.rs"


@pytest.mark.skipif(not shutil.which("rustc"), reason="needs rustc")
def test_rust_constants_compile_without_a_warning(tmp_path):
    subprocess.run(["rustc", "--crate-type", "lib", "--deny", "warnings", "--out-dir", tmp_path, COMMITTED], check=True)


def test_c_header_compiles_without_a_warning(tmp_path):
    generate()
    source = tmp_path / "use.c"
    source.write_text('#include "garner_regs.h"\n_Static_assert(sizeof(garner_regs_t) <= 4096, "one page");\n')
    subprocess.run(["gcc", "-Wall", "-Werror", "-I", BUILD, "-c", source, "-o", tmp_path / "use.o"], check=True)
