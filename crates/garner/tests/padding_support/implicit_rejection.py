#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes implicit_rejection.json: what OpenSSL 3.2 or later decrypts well and badly padded PKCS#1 v1.5 to.

Needs the command `openssl` for keys of odd sizes, and the Python package `cryptography` (which brings its own,
newer OpenSSL) for the decryptions. Keys are new each time; nothing else uses them.
"""
import json
import random
import subprocess
from pathlib import Path

from cryptography.hazmat.backends.openssl import backend
from cryptography.hazmat.primitives.asymmetric import padding
from cryptography.hazmat.primitives.serialization import load_pem_private_key

rnd = random.Random(5)


def group(bits):
    pem = subprocess.run(["openssl", "genrsa", "-traditional", str(bits)], capture_output=True, text=True).stdout
    key = load_pem_private_key(pem.encode(), None)
    n, size, tests = key.private_numbers().public_numbers.n, (bits + 7) // 8, []

    def add(number, what):
        ciphertext = number.to_bytes(size, "big")
        message = key.decrypt(ciphertext, padding.PKCS1v15())
        tests.append({"what": what, "ciphertext": ciphertext.hex(), "message": message.hex()})

    def padded(block, what):
        block = int.from_bytes(block, "big")
        if block < n:
            add(pow(block, 65537, n), what)

    def nonzero(length):
        return bytes(rnd.randrange(1, 256) for _ in range(length))

    for _ in range(8):
        add(rnd.randrange(n), "random")
    add(2, "small")
    add(n - 1, "n-1")
    for length in (0, 1, size // 2, size - 11):
        padded(b"\0\2" + nonzero(size - 3 - length) + b"\0" + rnd.randbytes(length), f"valid, {length} bytes")
    padded(b"\0\2" + nonzero(7) + b"\0" + nonzero(size - 10), "padding of 7")
    padded(b"\0\2\0" + nonzero(size - 3), "no padding")
    padded(b"\0\2" + nonzero(size - 2), "no separator")
    padded(b"\0\1" + b"\xff" * (size - 6) + b"\0abc", "type 1")
    padded(b"\0\0" + nonzero(size - 6) + b"\0abc", "type 0")
    padded(b"\1\2" + nonzero(size - 6) + b"\0abc", "first byte 1")
    add(rnd.randrange(n >> 16), "ciphertext with zero bytes in front")
    return {"bits": bits, "key": pem, "tests": tests}


about = (
    "Decryptions by RSAES-PKCS1-v1_5 with implicit rejection, as computed by "
    + backend.openssl_version_text()
    + " for keys made for this file"
)
groups = [group(bits) for bits in (1024, 1025, 1031, 1536, 2048, 2056, 3072, 4096)]
file = Path(__file__).with_suffix(".json")
file.write_text(json.dumps({"about": about, "groups": groups}, indent=1) + "\n")
