# SPDX-License-Identifier: Apache-2.0
"""What crosses from a host to the hardware, described once, in hw/interface, and generated for all who speak of it.

| module | what it does |
|---|---|
| `layout` | fields in 32-bit words: where they lie, how they are packed |
| `description` | reads ring.toml, rsa.toml and aes.toml; refuses what contradicts itself |
| `tables` | the tables of these files: each entry has all its keys, and no others |
| `registers` | reads garner_regs.rdl, and generates the registers' RTL and HTML (PeakRDL) |
| `board`, `soc` | read board.toml, the engines of a whole board, and soc.toml, the system on chip |
| `outputs` | renders SystemVerilog, Rust, C and the tables of docs/integration.md from `templates` |
| `command` | `garner-hw interface`: writes them, or checks that they are up to date |

Python programs read the description itself: `load()`.
"""

from garner_hw.interface.description import SOURCES, Interface, InterfaceError, load

__all__ = ["SOURCES", "Interface", "InterfaceError", "load"]
