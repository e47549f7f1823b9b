# SPDX-License-Identifier: Apache-2.0
"""What an operation of the system is asked with: the same on the command line and in the console."""

import argparse
from collections.abc import Callable

SCHEMES = {"fixed": "FixedWindow", "l2r": "LeftToRight", "r2l": "RightToLeft", "sliding": "SlidingWindow"}  # as rsa.toml has them
HOW = ("mbedtls", "batched")  # how a key is made, as soc.toml has it; here, so that a parser needs no description
WORD = (1 << 32) - 1  # the firmware's numbers are at most this
MEANINGS = {"software": "the processor does all",
            "row": "the row unit does passes of a multiplication; moduli up to 1,024 bits, multiples of 64",
            "mul": "the multiplier does products, the processor chooses which",
            "exp": "the core does a whole exponentiation; moduli from 512 bits on",
            "op": "the core does a private operation, its key in a slot",
            "power": "the peripheral of 2^n"}


def whole(least: int, most: int = WORD) -> Callable[[str], int]:
    """The type of an option that takes whole numbers within these bounds."""
    def number(text: str) -> int:
        try:
            value = int(text)
        except ValueError:
            raise argparse.ArgumentTypeError(f"{text!r} is no whole number") from None
        if not least <= value <= most:
            raise argparse.ArgumentTypeError(f"{value} is not from {least} to {most}")
        return value
    return number


def add_operations(actions: argparse._SubParsersAction) -> dict[str, argparse.ArgumentParser]:
    """The operations' parsers by their names."""
    operations: dict[str, argparse.ArgumentParser] = {}

    def operation(name: str, told: str, levels: tuple[str, ...], given: str) -> argparse.ArgumentParser:
        listed = "\n".join(f"  {level:<8}  {MEANINGS[level]}" for level in levels)
        operations[name] = parser = actions.add_parser(
            name, help=told, description=told[0].upper() + told[1:] + ".",
            epilog=f"levels:\n{listed}" if levels else "", formatter_class=argparse.RawDescriptionHelpFormatter)
        if levels:
            parser.add_argument("--level", choices=levels, default=given, help=f"who does what, see below (default: {given})")
        return parser

    exp = operation("exp", "one modular exponentiation of random operands, exponent of full length",
                    ("software", "row", "mul", "exp"), "exp")
    exp.add_argument("--scheme", choices=SCHEMES, default="sliding",
                     help="fixed window, left to right, right to left or sliding window (default: sliding)")
    operation("private", "one RSA private operation by the CRT, with a fresh key", ("software", "op"), "op")
    operation("mbedtls", "one RSA private operation by mbedTLS, blinding on", ("software", "mul", "exp", "op"), "op")
    keygen = operation("keygen", "a key made on the system, checked against FIPS 186-5 (minutes)",
                       ("software", "mul", "exp"), "exp")
    keygen.add_argument("--seed", type=whole(0), default=31, metavar="N", help="other numbers, another key (default: 31)")
    keygen.add_argument("--how", choices=HOW, default="batched",
                        help="by mbedTLS alone, or candidates sieved while the core tests others (default: batched)")
    twin = operation("twin", "random Montgomery products, in the multiplier and by its twin in C", (), "")
    twin.add_argument("--count", type=whole(1, 1_000_000), default=20, metavar="N", help="products (default: 20)")
    toy = operation("toy", "FIU's RSA of single bytes, Power() in software or its peripheral", ("software", "power"), "power")
    toy.add_argument("--bytes", type=whole(1, 1_000_000), default=40, metavar="N", help="how many (default: 40)")
    for name, parser in operations.items():
        if name != "toy":
            parser.add_argument("--bits", type=int, choices=(512, 1024, 1536, 2048), default=1024, help="(default: 1024)")
        parser.add_argument("--interrupts", action="store_true", help="the core is waited for by interrupt, not by polling")
        parser.add_argument("--memory-wait", type=whole(0, 255), default=0, metavar="CYCLES",
                            help="so many cycles more for each access of memory, up to 255 (default: 0)")
    return operations
