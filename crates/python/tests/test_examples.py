# SPDX-License-Identifier: Apache-2.0
"""The example for Dask: two workers on this machine, fewer digests than a million."""

import importlib.util
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import pytest
from conftest import pair
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import padding, utils

EXAMPLE = Path(__file__).parent.parent / "examples/dask_sign.py"


def run(*arguments: object) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, str(EXAMPLE), *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, timeout=240)


def example() -> ModuleType:
    spec = importlib.util.spec_from_file_location("dask_sign", EXAMPLE)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_two_workers_sign_all_digests_in_order(tmp_path: Path) -> None:
    keys, path, out = pair(1024), tmp_path / "key.pem", tmp_path / "signatures.bin"
    path.write_text(keys.ours.to_pem())
    done = run("--key", path, "--random", 10_000, "--out", out)
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("3 chunks of up to 4096 digests signed by 2 workers")
    digests = list(example().of_file(f"{out}.digests"))
    signatures, size, prehashed = out.read_bytes(), keys.ours.size, utils.Prehashed(hashes.SHA256())
    assert len(digests) == 10_000 and len(signatures) == 10_000 * size
    for number, digest in enumerate(digests):
        signature = signatures[number * size : (number + 1) * size]
        keys.theirs.public_key().verify(signature, digest, padding.PKCS1v15(), prehashed)


def test_digests_are_read_as_sha256sum_writes_them(tmp_path: Path) -> None:
    of_file, listed = example().of_file, tmp_path / "listed"
    listed.write_text(f"{'0a' * 32}  a file\n{'FF' * 32}\n")
    assert list(of_file(listed)) == [b"\x0a" * 32, b"\xff" * 32]
    for wrong in "no digest", "0a" * 31, "0a" * 33, "0g" * 32, "":
        listed.write_text(f"{'0a' * 32}\n{wrong}\n")
        with pytest.raises(SystemExit, match="listed:2: does not begin with the 64 hexadecimal digits"):
            list(of_file(listed))


def test_a_key_that_is_not_there_is_named_before_anything_starts(tmp_path: Path) -> None:
    done = run("--key", tmp_path / "missing.pem", "--random", 1, "--out", tmp_path / "none")
    assert done.returncode == 1 and "missing.pem" in done.stderr and not list(tmp_path.iterdir())
