# SPDX-License-Identifier: Apache-2.0
"""The stubs say what the module has, and the package and these tests are typed."""

import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).parent
CONFIGURATION = HERE.parent / "pyproject.toml"


def check(cache: Path, *command: str) -> None:
    # Both leave their cache in the working directory.
    run = subprocess.run([sys.executable, "-m", *command], capture_output=True, text=True, cwd=cache)
    assert run.returncode == 0, run.stdout + run.stderr


def test_stubs_agree_with_the_module(tmp_path: Path) -> None:
    check(tmp_path, "mypy.stubtest", "garner", "--mypy-config-file", str(CONFIGURATION))


def test_package_and_tests_pass_the_type_checker(tmp_path: Path) -> None:
    check(tmp_path, "mypy", "--config-file", str(CONFIGURATION), "--package", "garner")
    check(tmp_path, "mypy", "--config-file", str(CONFIGURATION), *(str(path) for path in sorted(HERE.glob("*.py"))))
