# SPDX-License-Identifier: Apache-2.0
"""The simulated device of hw/sim/device.h: builds its library for a set of parameters, and drives it from Python.

As a command, for garner-board: `python -m garner_hw.device [--rsa] [NAME=VALUE ...] [--waves]` prints the library's path.
"""

import argparse
import ctypes
import hashlib
import subprocess
import sys
import weakref
from pathlib import Path
from typing import Any, Protocol

from garner_hw import BUILD, HW, CommandError
from garner_hw.interface import board
from garner_hw.simulate import UNSPLIT
from garner_hw.sources import assigned, sources

SIM = HW / "sim"
VERSION = 4  # GARNER_DEVICE_VERSION
ENGINES = {"garner_top": 1, "garner_board": len(board.load().engines)}


def build(sources: list[Path], parameters: dict[str, int], public: bool = False, waves: bool = False,
          top: str = "garner_top", soon: bool = False) -> Path:
    """The library of a `top`, garner_top or garner_board, with these parameters; built if it is not there or a source has
    changed.

    With `public` all signals and memories can be seen, by `Device.state`. With `waves` it can write waveforms. `soon`: the
    device runs for a moment only; it is built in half the time and half as fast, as one with `public` is.
    """
    ours = [SIM / name for name in ("device.cpp", "device.h", "memory_bus.h", "device.vlt")]
    level = "-O1" if public or soon else "-O3"
    options = ["-O3", *UNSPLIT, "--x-assign", "fast", "--x-initial", "unique", "-Wno-fatal", "-Werror-USERFATAL",
               "-Wno-lint", "-CFLAGS", f"-std=c++17 -fPIC -march=native -DGARNER_ENGINES={ENGINES[top]}", "-LDFLAGS", "-shared",
               "-MAKEFLAGS", f"OPT_FAST={level} OPT_GLOBAL={level}",
               *["--trace-fst"] * waves, *["--public-flat-rw"] * public]
    said = b"".join([*(path.read_bytes() for path in [*sources, *ours]), *map(str.encode, options)])
    variant = [f"{name}={value}" for name, value in sorted(parameters.items())] + ["public"] * public
    variant += ["waves"] * waves
    variant += [top] * (top != "garner_top")
    folder = BUILD / "-".join(["device", *variant, hashlib.sha256(said).hexdigest()[:12]])
    library = folder / "libgarner_device.so"
    if not library.exists():
        folder.mkdir(parents=True, exist_ok=True)
        subprocess.run(["verilator", "--cc", "--exe", "--build", "-j", "2", *options, "--top-module", top,
                        "--prefix", "Vdevice", "--Mdir", folder, "-o", "unfinished.so",
                        *(f"-G{name}={value}" for name, value in parameters.items()),
                        SIM / "device.vlt", *sources, SIM / "device.cpp"], check=True, stdout=sys.stderr)
        (folder / "unfinished.so").rename(library)
    return library


class Memory(Protocol):
    """The host's memory, as the device reaches it; ValueError where there is none."""

    def bus_read(self, address: int, length: int) -> bytes: ...
    def bus_write(self, address: int, data: bytes) -> None: ...


READ = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.c_uint32, ctypes.c_uint64, ctypes.c_void_p, ctypes.c_size_t)
INTERRUPT = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_uint32)
VISIT = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_char_p, ctypes.c_char_p, ctypes.c_void_p, ctypes.c_size_t)


class Host(ctypes.Structure):
    _fields_ = [("context", ctypes.c_void_p), ("read", READ), ("write", READ), ("interrupt", INTERRUPT)]


FUNCTIONS = {
    "version": (ctypes.c_uint32, []),
    "new": (ctypes.c_void_p, [ctypes.POINTER(Host), ctypes.c_uint32]),
    "free": (None, [ctypes.c_void_p]),
    "reset": (None, [ctypes.c_void_p]),
    "read": (ctypes.c_int, [ctypes.c_void_p, ctypes.c_uint32, ctypes.POINTER(ctypes.c_uint32)]),
    "write": (ctypes.c_int, [ctypes.c_void_p, ctypes.c_uint32, ctypes.c_uint32]),
    "run": (ctypes.c_uint64, [ctypes.c_void_p, ctypes.c_uint64]),
    "interrupts": (ctypes.c_uint32, [ctypes.c_void_p]),
    "stall": (None, [ctypes.c_void_p, ctypes.c_uint32, ctypes.c_uint64]),
    "state": (None, [ctypes.c_void_p, ctypes.c_void_p, VISIT]),
}


class Device:
    """A device with `memory` behind it; the functions of device.h, of which each method tells what is different."""

    def __init__(self, library: Path, memory: Memory, seed: int = 1) -> None:
        loaded = ctypes.CDLL(str(library))
        self.functions = {}
        for name, (result, arguments) in FUNCTIONS.items():
            function = self.functions[name] = getattr(loaded, f"garner_device_{name}")
            function.restype, function.argtypes = result, arguments
        if self.functions["version"]() != VERSION:
            raise ValueError(f"{library}: built from another version of hw/sim/device.h")

        def read(_: int | None, engine: int, address: int, data: int, length: int) -> int:
            try:
                ctypes.memmove(data, memory.bus_read(address, length), length)
            except ValueError:
                return 1
            return 0

        def write(_: int | None, engine: int, address: int, data: int, length: int) -> int:
            try:
                memory.bus_write(address, ctypes.string_at(data, length))
            except ValueError:
                return 1
            return 0

        self.host = Host(None, READ(read), READ(write), INTERRUPT())  # kept: the device calls these
        self.handle = self.functions["new"](ctypes.byref(self.host), seed)
        weakref.finalize(self, self.functions["free"], self.handle)

    def _call(self, name: str, *arguments: object) -> Any:  # as FUNCTIONS has it
        return self.functions[name](self.handle, *arguments)

    def reset(self) -> None:
        self._call("reset")

    def read(self, offset: int) -> int:
        """ValueError if the device refuses, or does not answer."""
        value = ctypes.c_uint32()
        if self._call("read", offset, ctypes.byref(value)):
            raise ValueError(f"the register at {offset:#x} cannot be read")
        return value.value

    def write(self, offset: int, value: int) -> None:
        """ValueError if the device refuses, or does not answer."""
        if self._call("write", offset, value):
            raise ValueError(f"the register at {offset:#x} cannot be written")

    def run(self, cycles: int) -> int:
        return self._call("run", cycles)

    def interrupts(self) -> int:
        return self._call("interrupts")

    def stall(self, percent: int, seed: int) -> None:
        self._call("stall", percent, seed)

    def state(self) -> dict[str, bytes]:
        """What every signal and memory holds now, by its path. The library must be built with `public`."""
        found = {}

        def visit(_: int | None, path: bytes, name: bytes, data: int, size: int) -> None:
            found[f"{path.decode()}.{name.decode()}"] = ctypes.string_at(data, size)

        self._call("state", None, VISIT(visit))
        return found


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m garner_hw.device",
                                     description="Compiles garner_board with its cores into a library for garner-board.")
    parser.add_argument("parameters", nargs="*", metavar="NAME=VALUE", help="a parameter of garner_board, as Cores=2")
    parser.add_argument("--rsa", action="store_true", help="garner_top instead: RSA alone, built sooner and faster")
    parser.add_argument("--waves", action="store_true", help="able to write waveforms, slower")
    arguments = parser.parse_args()
    top = "garner_top" if arguments.rsa else "garner_board"
    try:
        given = assigned(top, sources(top), arguments.parameters)
        print(build(sources(top), given, waves=arguments.waves, top=top))
    except CommandError as error:
        parser.error(str(error))
    except subprocess.CalledProcessError:
        parser.exit(2, f"{parser.prog}: the model of {top} does not build with {given or 'its own parameters'}\n")


if __name__ == "__main__":
    main()
