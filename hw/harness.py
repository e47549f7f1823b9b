# SPDX-License-Identifier: Apache-2.0
"""How the tests of this folder run: one cocotb test module on one parametrised top module, under Verilator.

A pytest file calls `simulate`; the cocotb tests themselves are the `@cocotb.test()` functions of the module it names.
Built models are kept in `hw/build`, one folder for each set of parameters, and rebuilt when a source changes.
"""

import os
import sys
from pathlib import Path

HW = Path(__file__).resolve().parent
BUILD = HW / "build"
VERILATOR = next(Path(p) / "verilator" / "bin" for p in sys.path if (Path(p) / "verilator" / "bin").is_dir())
os.environ["PATH"] = os.pathsep.join([str(VERILATOR), str(Path(sys.executable).parent), os.environ["PATH"]])
os.environ.setdefault("OBJCACHE", "ccache")

from cocotb_tools.runner import get_runner  # noqa: E402  (needs PATH as set above)

PACKAGE = HW / "rtl" / "garner_pkg.sv"
# One source for the compiler: several would have precompiled headers, 160 MB for each model.
UNSPLIT = ("--output-split", "0")

# All modules below and including `mont`
MONT = ("mont/mont_pkg", "prim/delay", "prim/stage", "prim/multiplier", "prim/ram", "mont/slot_delay", "mont/mont_row",
        "mont/mont_array", "mont/mont_sequencer", "mont/mont")

# The row accelerators of the thesis (Ramesh 2020) and ours; their multipliers first
MULTIPLY = ("prim/delay", "prim/multiplier", "prim/gated_add", "row/booth_mac", "row/array_mac", "row/block_mac",
            "row/multiply_add", "row/multiply")
ROW = (*MULTIPLY, "row/row_pkg", "row/cios_step", "row/fios_step", "row/two_row_step", "row/row_cell", "row/row_chain",
       "row/row")
PRODUCT_SCAN = (*MULTIPLY, "row/product_scan")
HYBRID_SCAN = (*MULTIPLY, "prim/choose_add", "row/hybrid_scan")
OPERAND_CACHE = (*MULTIPLY, "prim/choose_add", "row/operand_cache")
FIFO_ROWS = (*MULTIPLY, "prim/ram", "row/word_span", "row/fios_cell", "row/fifo_rows")
EXP = ("exp/exp_pkg", "exp/exponentiator")
# All modules below and including `rsa_core`
RSA = (*MONT, *EXP, "prim/fifo", "rsa/rsa_pkg", "rsa/rsa_program_pkg", "rsa/rsa_program", "rsa/rsa_slots",
       "rsa/rsa_sizes", "rsa/rsa_decode", "rsa/rsa_dispatch", "rsa/unpacker", "rsa/packer", "rsa/orup_scale",
       "rsa/word_alu", "rsa/rsa_core")
# Everything between a bus and the cores
SHELL = ("regs", "prim/fifo", "prim/ram", "prim/stage", "prim/skid_buffer", "bus/bus_pkg", "bus/packet_buffer",
         "bus/ring_address", "bus/dma_read", "bus/dma_write", "bus/descriptor_fetch", "bus/completion_write", "bus/dma",
         "bus/stream_port", "bus/job_mux", "bus/interrupt_coalescer", "bus/counters", "bus/registers", "bus/shell")
# garner_top but for its core
TOP = (*SHELL, "prim/reset_buffer", "top/dispatcher", "top/core_link")
CORE = (*RSA, "prim/reset_buffer", "top/garner_core")


def rtl(*names: str, family: str = "generic") -> list[Path]:
    """The sources of these modules, each once: `rtl("prim/ram", "mont/row")`; the package comes first by itself.

    Primitives that families build differently lie in `rtl/prim/FAMILY`: generic, ecp5, xilinx7. "regs" stands for the
    generated registers.
    """
    def sources(name: str) -> list[Path]:
        if name == "regs":
            from regs.generate import generate

            return generate()
        path = (HW / "rtl" / f"{name}.sv").resolve()
        return [path if path.exists() else path.parent / family / path.name]

    return list(dict.fromkeys([PACKAGE, *(path for name in names for path in sources(name))]))


def simulate(top: str, sources: list[Path], test_module: str, folder: Path, parameters: dict | None = None,
             environment: dict[str, str] | None = None, waves: bool = False, arguments: list[str] | None = None,
             build_arguments: list[str] | None = None, variant: str = "",
             inside: tuple[str, ...] | None = ("ram",)) -> None:
    """Builds `top` from `sources` with `parameters` and runs the cocotb tests of `test_module` on it.

    `folder` is where `test_module` lies; `environment` reaches the tests through `os.environ`. `variant` tells builds
    apart that differ in their sources alone. The tests see all of `top`, and of what is below it the modules named by
    `inside`; everything if it is None, and then a large model takes twice as long.
    Raises when a test fails.
    """
    parameters = parameters or {}
    name = "-".join([top, *filter(None, [variant]), *(f"{key}={value}" for key, value in sorted(parameters.items())),
                     *(["waves"] if waves else [])])
    runner = get_runner("verilator")
    build = BUILD / name
    build_arguments = build_arguments or []
    if inside is not None:  # instead of the runner's own --public-flat-rw
        build_arguments = ["--no-public-flat-rw", visible((top, *inside), build), *build_arguments]
    runner.build(sources=sources, hdl_toplevel=top, build_dir=build, parameters=parameters, waves=waves,
                 build_args=["-Wall", "-Wno-fatal", "-Werror-USERFATAL", "-O3", *UNSPLIT, "--x-assign", "unique",
                             "--x-initial", "unique", *build_arguments], timescale=("1ns", "1ps"))
    sys.path[:0] = [str(folder), str(HW)]  # the runner hands sys.path on to the simulation
    results = runner.test(hdl_toplevel=top, test_module=test_module, build_dir=build, test_dir=build, waves=waves,
                          extra_env=environment or {}, test_args=arguments or [])
    del sys.path[:2]
    check(results)


def visible(modules: tuple[str, ...], build: Path) -> str:
    """The file, in `build`, that makes Verilator keep all signals of these modules, to be seen and driven by name."""
    file = build / "visible.vlt"
    text = "`verilator_config\n" + "".join(f'public_flat_rw -module "{module}" -var "*"\n' for module in modules)
    if not file.exists() or file.read_text() != text:  # written again, it would have the model built again
        build.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
    return str(file)


def check(results: Path) -> None:
    """Raises unless every test in this result file passed and there was at least one."""
    from cocotb_tools.check_results import get_results

    tests, failed = get_results(results)
    assert tests > 0, "no cocotb test ran"
    assert failed == 0, f"{failed} of {tests} cocotb tests failed"
