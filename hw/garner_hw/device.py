# SPDX-License-Identifier: Apache-2.0
"""Builds the simulated device (device.h) for a set of parameters, and drives it from Python."""

import ctypes
import hashlib
import subprocess
from pathlib import Path

from garner_hw import BUILD, HW
from garner_hw.simulate import UNSPLIT, VERILATOR

HERE = HW / "sim"
READ = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.c_uint64, ctypes.c_void_p, ctypes.c_size_t)
VISIT = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_char_p, ctypes.c_char_p, ctypes.c_void_p, ctypes.c_size_t)


def build(sources: list[Path], parameters: dict[str, int], public: bool = False) -> Path:
    """The shared library of garner_top with these parameters; built when a source has changed.

    With `public` all signals and memories are kept, for `Device.state`; a model twice as slow.
    """
    inputs = [*sources, HERE / "device.cpp", HERE / "device.h"]
    key = hashlib.sha256(b"".join(path.read_bytes() for path in inputs)).hexdigest()[:12]
    folder = BUILD / "-".join(["device", *(f"{name}={value}" for name, value in sorted(parameters.items())),
                               *(["public"] if public else []), key])
    library = folder / "libgarner_device.so"
    if library.exists():
        return library
    folder.mkdir(parents=True, exist_ok=True)
    flags = "-O3 -march=native -fPIC" if not public else "-O1 -march=native -fPIC"
    subprocess.run(["verilator", "--cc", "--build", "-j", "2", "-O3", *UNSPLIT, "--x-assign", "fast", "--x-initial", "fast",
                    "--noassert", *(["--public-flat-rw"] if public else []), "-Wno-fatal", "-Werror-USERFATAL", "-Wno-lint", "-CFLAGS", flags,
                    "--top-module", "garner_top", "--prefix", "Vgarner_top", "--Mdir", folder, *(f"-G{name}={value}" for name, value in parameters.items()),
                    *map(str, sources)], check=True, capture_output=True)
    include = VERILATOR.parent / "share" / "verilator" / "include"
    if not include.exists():
        include = VERILATOR.parent / "include"
    subprocess.run(["g++", "-std=c++17", *flags.split(), "-shared", "-I", folder, "-I", include, "-I", include / "vltstd",
                    "-o", library,
                    HERE / "device.cpp", folder / "libVgarner_top.a", folder / "libverilated.a", "-pthread"], check=True)
    return library


class Device:
    """The device with `memory` (an object with `data` and `place(address, length, faults)`, as host.Memory) behind it."""

    def __init__(self, library: Path, memory):
        self.library = ctypes.CDLL(str(library))
        functions = {"new": (ctypes.c_void_p, [ctypes.c_void_p]), "free": (None, [ctypes.c_void_p]),
                     "reset": (None, [ctypes.c_void_p]), "read": (ctypes.c_uint32, [ctypes.c_void_p, ctypes.c_uint32]),
                     "write": (None, [ctypes.c_void_p, ctypes.c_uint32, ctypes.c_uint32]),
                     "run": (ctypes.c_uint64, [ctypes.c_void_p, ctypes.c_uint64]),
                     "interrupts": (ctypes.c_uint32, [ctypes.c_void_p]),
                     "state": (None, [ctypes.c_void_p, ctypes.c_void_p, VISIT]),
                     "stall": (None, [ctypes.c_void_p, ctypes.c_uint32, ctypes.c_uint64])}
        for name, (result, arguments) in functions.items():
            function = getattr(self.library, f"garner_device_{name}")
            function.restype, function.argtypes = result, arguments

        def access(faults, copy):
            def call(_, address, data, length):
                try:
                    start = memory.place(address, length, faults)
                except ValueError:
                    return 1
                copy(data, start, length)
                return 0
            return READ(call)

        def to_device(data, start, length):
            ctypes.memmove(data, bytes(memory.data[start:start + length]), length)

        def from_device(data, start, length):
            memory.data[start:start + length] = ctypes.string_at(data, length)

        class Callbacks(ctypes.Structure):
            _fields_ = [("context", ctypes.c_void_p), ("read", READ), ("write", READ)]

        self.callbacks = Callbacks(None, access(memory.read_faults, to_device), access(memory.write_faults, from_device))
        self.handle = self.library.garner_device_new(ctypes.byref(self.callbacks))

    def call(self, name: str, *arguments):
        return getattr(self.library, f"garner_device_{name}")(self.handle, *arguments)

    def state(self) -> dict[str, bytes]:
        """What every signal and memory holds now, by its path. The model must be built with `public`."""
        found = {}

        def visit(_, path, name, data, size):
            found[f"{path.decode()}.{name.decode()}"] = ctypes.string_at(data, size)

        self.call("state", None, VISIT(visit))
        return found
