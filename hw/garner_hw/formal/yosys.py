#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""As much of the `yosys` command as SymbiYosys calls, over pyosys: `yosys.py [-q] [-l LOG] [-p COMMANDS] [SCRIPT]...`

The native library starts at once, where the WebAssembly build first compiles itself for a minute.
"""

import sys
from getopt import gnu_getopt

from pyosys import libyosys


def main() -> None:
    options, scripts = gnu_getopt(sys.argv[1:], "ql:p:s:V")
    if ("-V", "") in options:
        print("Yosys 0.70 (pyosys)")
        return
    design = libyosys.Design()
    log = dict(options).get("-l")
    prefix = f"tee -q -a {log} " if log else "tee -q "
    for script in [value for name, value in options if name == "-s"] + scripts:
        with open(script) as lines:
            for line in lines:
                if line.split("#")[0].strip():
                    libyosys.run_pass(prefix + line.split("#")[0].strip(), design)
    for name, value in options:
        if name == "-p":
            for command in filter(None, map(str.strip, value.split(";"))):
                libyosys.run_pass(prefix + command, design)


if __name__ == "__main__":
    main()
