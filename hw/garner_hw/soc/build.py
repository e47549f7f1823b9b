# SPDX-License-Identifier: Apache-2.0
"""Builds the firmware and the simulator of hw/soc. Each is kept in hw/build under the hash of its sources, and made by one
process at a time: another one waits for it.
"""

import hashlib
import shutil
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from garner_hw import BUILD, HW, CommandError
from garner_hw.alone import alone
from garner_hw.simulate import UNSPLIT
from garner_hw.profile.mbedtls import VERSION, NotBuilt, source
from garner_hw.sources import sources

SOC = HW / "soc"
FIRMWARE = SOC / "firmware"
MBEDTLS = SOC / "mbedtls"
PATCHED = ("bignum", "rsa")  # by hooks-RELEASE.patch
LIBRARY = (*PATCHED, "oid", "md", "sha256", "aes", "ctr_drbg", "constant_time", "platform_util")
INCLUDE = HW / "dist" / "include"
WAIVERS = SOC / "sim" / "soc.vlt"  # what Verilator does not say of the processor
MEMORY = 512 * 1024  # bytes, of the simulated system
WORD = 18            # bits of a word of core and multiplier, where nothing else is said
ELF = "firmware.elf"
COMPILER = "riscv64-unknown-elf-gcc"
# rv32im without _zicsr in its name: with it Debian's compiler links the libraries of rv64.
FLAGS = ("-std=c11", "-O2", "-Wall", "-Wextra", "-Werror", "-ffunction-sections", "-fdata-sections", "-march=rv32im",
         "-mabi=ilp32", "-misa-spec=2.2", "--specs=picolibc.specs", "-nostartfiles", "-Wl,--gc-sections",
         "-Wl,--no-warn-rwx-segments")


def processor() -> Path:
    """The processor's netlist, of a package that requirements.txt pins."""
    try:
        import pythondata_cpu_vexriscv
    except ModuleNotFoundError:
        raise CommandError("the package pythondata-cpu-vexriscv is missing: run `make hw-setup`") from None
    return Path(pythondata_cpu_vexriscv.data_location) / "VexRiscv_Full.v"


@dataclass(frozen=True)
class Release:
    """Of mbedTLS: which version it is, and what of its library is compiled beside LIBRARY."""

    version: str
    library: tuple[str, ...]


RELEASES = {"2.28": Release(VERSION, ("rsa_internal",)),
            "3.6": Release("3.6.6", ("bignum_core", "rsa_alt_helpers", "asn1parse", "asn1write", "block_cipher"))}


def digest(files: list[Path], options: tuple[str, ...]) -> str:
    said = b"".join([*(path.name.encode() + path.read_bytes() for path in files), *map(str.encode, options)])
    return hashlib.sha256(said).hexdigest()[:12]


def firmware_sources(mbedtls: str = "") -> list[Path]:
    return sorted([*FIRMWARE.glob("*"), *INCLUDE.glob("*.h"), *(MBEDTLS.glob("*") if mbedtls else [])])


def library(folder: Path, release: str) -> list[str]:
    """The arguments that compile mbedTLS into the firmware: its release as the profiler fetches it, patched in `folder`.
    """
    try:
        original = source(RELEASES[release].version)
    except NotBuilt as error:
        raise CommandError(str(error)) from None
    (folder / "library").mkdir(exist_ok=True)
    for name in PATCHED:
        shutil.copy(original / "library" / f"{name}.c", folder / "library")
    subprocess.run(["patch", "--quiet", "-p1", "-d", folder, "-i", MBEDTLS / f"hooks-{release}.patch"], check=True)
    files = [(folder if name in PATCHED else original) / "library" / f"{name}.c"
             for name in (*LIBRARY, *RELEASES[release].library)]
    # 3.6 names a key's numbers so only for whom allows it, with nothing as the value.
    return ['-DMBEDTLS_CONFIG_FILE="soc_config.h"', "-DMBEDTLS_ALLOW_PRIVATE_ACCESS=", f"-I{MBEDTLS}",
            f"-I{original}/include", f"-I{original}/library", *map(str, sorted(MBEDTLS.glob("*.c"))),
            *map(str, files)]


def firmware(mbedtls: str = "", memory: int = MEMORY, flags: Sequence[str] = ()) -> Path:
    """The memory's contents, a word a line, as $readmemh takes them; `mbedtls`: with this release in it; `memory`: bytes;
    `flags`: of the compiler, more than FLAGS. Beside it is the program, ELF.
    """
    if not shutil.which(COMPILER):
        raise CommandError(f"{COMPILER} is missing: run `make setup-all`")
    said = subprocess.run([COMPILER, "--version"], check=True, capture_output=True, text=True).stdout
    linked = [f"-Wl,--defsym=memory_bytes={memory}"] * (memory != MEMORY)
    more = [*linked, *flags]
    options = (*FLAGS, *more, said.splitlines()[0], *(("mbedtls", RELEASES[mbedtls].version) if mbedtls else ()))
    folder = BUILD / f"soc-firmware-{digest(firmware_sources(mbedtls), options)}"
    image = folder / "memory.hex"
    if not image.exists():
        with alone(folder) as lock:
            if not image.exists():  # else the other process has made it
                compiled(image, mbedtls, more, lock)
    return image


def compiled(image: Path, mbedtls: str, more: list[str], lock: int) -> None:
    folder = image.parent
    folder.mkdir(parents=True, exist_ok=True)
    elf, binary = folder / ELF, folder / "firmware.bin"
    code: list[Path | str] = [FIRMWARE / "start.S", *sorted(FIRMWARE.glob("*.c"))]
    code += library(folder, mbedtls) if mbedtls else []
    subprocess.run([COMPILER, *FLAGS, *more, "-T", FIRMWARE / "link.ld", f"-I{FIRMWARE}", f"-I{INCLUDE}", *code,
                    "-o", elf], check=True, pass_fds=(lock,))
    subprocess.run(["riscv64-unknown-elf-objcopy", "-O", "binary", elf, binary], check=True)
    data = binary.read_bytes()
    data += bytes(-len(data) % 4)
    unfinished = image.with_suffix(".unfinished")
    words = (int.from_bytes(data[i:i + 4], "little") for i in range(0, len(data), 4))
    unfinished.write_text("".join(f"{word:08x}\n" for word in words))
    unfinished.rename(image)


def simulator_sources() -> list[Path]:
    return [WAIVERS, *sources("soc"), processor(), SOC / "sim" / "soc.cpp"]


def simulator(rows: int, word: int = WORD, observers: Sequence[Path] = ()) -> Path:
    """The program that runs the system, with core and multiplier of so many rows, of words of so many bits. `observers`:
    sources more, of modules bound to the system's; they see 0 where a source leaves a value undefined."""
    # The processor's netlist makes signals public, so that a C++ program could write them: then all that depends on them is
    # computed at every evaluation, and the processor stays a module of its own.
    undefined = "0" if observers else "fast"
    options = ("-O3", *UNSPLIT, "--public-ignore", "--x-assign", undefined, "--x-initial", "fast", "-Wall", "-Wno-fatal",
               "-Werror-USERFATAL", "-CFLAGS", "-O3 -march=native -std=c++17", f"-GRows={rows}", f"-GW={word}")
    files = [*simulator_sources(), *observers]
    folder = BUILD / f"soc-Rows={rows}-W={word}-{digest(files, options)}"
    program = folder / "soc"
    if not program.exists():
        with alone(folder) as lock:
            if not program.exists():
                verilated(program, options, files, lock)
    return program


def verilated(program: Path, options: Sequence[str], files: Sequence[Path], lock: int) -> None:
    folder = program.parent
    folder.mkdir(parents=True, exist_ok=True)
    subprocess.run(["verilator", "--cc", "--exe", "--build", "-j", "2", *options, "--top-module", "soc", "--prefix",
                    "Vsoc", "--Mdir", folder, "-MAKEFLAGS", "OPT_FAST=-O3 OPT_GLOBAL=-O2", "-o", "unfinished", *files],
                   check=True, stdout=sys.stderr, pass_fds=(lock,))
    (folder / "unfinished").rename(program)
