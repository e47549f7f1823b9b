# SPDX-License-Identifier: Apache-2.0
"""What is profiled of Garner itself beside mbedTLS: keys, private and public operations of its command's scalar path."""

import os
from pathlib import Path

from garner_hw.profile.measure import SIZES, Command, run

# Without vector kernels and devices: every operation by libcrypto, whose functions have no names in a system's library
SCALAR = {"GARNER_CPU": "libcrypto", "GARNER_GPU": "off"}
SIGNATURES = 20


def commands(garner: Path, folder: Path) -> dict[str, Command]:
    """Commands by their titles; makes their keys, messages and signatures in `folder`."""
    folder.mkdir(parents=True, exist_ok=True)
    messages = folder / "messages"
    messages.write_text("".join(f"message {number}\n" for number in range(SIGNATURES)))
    found: dict[str, Command] = {}
    for bits in SIZES:
        key, signatures = folder / f"{bits}.pem", folder / f"{bits}.signatures"
        generate = [str(garner), "keygen", "--bits", str(bits), "--below-fips", "--force", "--out"]
        bulk = [str(garner), "bulk", "--key", str(key), "--of", "messages", str(messages)]
        sign = [*bulk, "--force", "--restart", "--out", str(signatures)]
        run([*generate, str(key)])
        run(sign)
        for title, command in (("keygen", [*generate, os.devnull]), (f"bulk, {SIGNATURES} signatures", sign),
                               (f"bulk --verify, {SIGNATURES} signatures", [*bulk, "--verify", str(signatures)])):
            found[f"garner {title}, RSA-{bits}, scalar path"] = command, SCALAR
    return found
