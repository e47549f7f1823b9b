# SPDX-License-Identifier: Apache-2.0
"""mbedTLS 2.28 and the program over it that is profiled (workload.c), compiled in the ways that profiling wants.

The source is Debian's copy of the release, fetched at the first use into hw/build/mbedtls-VERSION.
"""

import subprocess
from pathlib import Path

from garner_hw import BUILD, FETCH
from garner_hw.alone import alone
from garner_hw.whole import whole

VERSION = "2.28.3"
# Of each version the Debian suite that has its source, and the package's own version
PACKAGES = {VERSION: ("bookworm", f"{VERSION}-1"), "3.6.6": ("trixie", "3.6.6-0.1~deb13u1")}
WORKLOAD = Path(__file__).parent / "workload.c"
# gcc -O2 as mbedTLS's own Makefile has it. Profiles keep every function a function: nothing is inlined into its caller.
PLAIN = ("-O2",)
APART = ("-O2", "-g", "-fno-inline", "-fno-optimize-sibling-calls", "-fno-ipa-icf", "-fno-partial-inlining")
# Portable C: no assembly, words of 32 bits, as on the thesis's Nios II; also without a 64-bit type to multiply in.
CONFIGURATION = "portable.h"
PORTABLE = (*APART, f'-DMBEDTLS_USER_CONFIG_FILE="{CONFIGURATION}"', "-DMBEDTLS_HAVE_INT32")
VARIANTS = {"plain": PLAIN, "callgrind": APART, "gprof": (*APART, "-pg", "-no-pie"), "words-32": PORTABLE,
            "half-words": (*PORTABLE, "-DMBEDTLS_NO_UDBL_DIVISION")}
# The ways in which the share of the hot spot is told apart, by the variant
COMPILATIONS = {"callgrind": "words of 64 bits, assembly", "words-32": "words of 32 bits, C",
                "half-words": "words of 32 bits, C, products of half words"}


class NotBuilt(Exception):
    """mbedTLS is not there or does not compile; the text says why."""


def source(version: str = VERSION) -> Path:
    """The unpacked release."""
    folder = BUILD / f"mbedtls-{version}"
    if not unpacked(folder):
        with alone(folder) as lock:
            if not unpacked(folder):  # else another process has fetched it
                fetch(version, folder, lock)
    return folder / "source"


def unpacked(folder: Path) -> bool:
    return (folder / "source" / "library" / "bignum.c").exists()


def fetch(version: str, folder: Path, lock: int) -> None:
    print(f"fetching mbedTLS {version} from Debian", flush=True)
    suite, package = PACKAGES[version]
    fetched = subprocess.run([FETCH / "source.sh", folder, suite, f"mbedtls={package}"], check=False, pass_fds=(lock,))
    if fetched.returncode:
        raise NotBuilt(f"the source of mbedTLS {version} could not be fetched; put it into {folder}/source yourself")


def build(variant: str) -> Path:
    """The program, compiled as VARIANTS says; again only where something is newer."""
    library = source()
    program = BUILD / "profile" / f"workload-{variant}"
    inputs = [WORKLOAD, WORKLOAD.with_name(CONFIGURATION), Path(__file__)]

    def is_built() -> bool:
        return program.exists() and all(file.stat().st_mtime < program.stat().st_mtime for file in inputs)

    if not is_built():
        with alone(program):
            if not is_built():  # else another process has built it
                compile_workload(library, variant, program)
    return program


def compile_workload(library: Path, variant: str, program: Path) -> None:
    files = sorted(str(file) for file in (library / "library").glob("*.c"))
    with whole(program) as unnamed:
        command = ["gcc", *VARIANTS[variant], "-Wall", "-o", str(unnamed), f"-I{library}/include", f"-I{library}/library",
                   f"-I{WORKLOAD.parent}", str(WORKLOAD), *files]
        said = subprocess.run(command, capture_output=True, text=True, check=False)
        if said.returncode:
            raise NotBuilt(f"mbedTLS {VERSION} did not compile: {said.stderr.strip().splitlines()[-1]}")


def compiler() -> str:
    """As in `gcc (Debian 12.2.0-14) 12.2.0`."""
    return subprocess.run(["gcc", "--version"], capture_output=True, text=True, check=True).stdout.splitlines()[0]
