# SPDX-License-Identifier: Apache-2.0
"""The system on a board, at the end of a serial line: the commands of system.py and their answers over a terminal device."""

import os
import select
import termios
import time
import tty

from garner_hw import CommandError
from garner_hw.soc.system import Stopped, System, answered

SILENT = -1  # the code of a board that says nothing any more
PATIENCE = 600  # s for a line: longer than a key of 2,048 bits takes in software at 25 MHz


class Board(System):
    """`port`: the device; what it has said before is thrown away. `patience`: s until it counts as stopped."""

    def __init__(self, port: str, baud: int = 115200, patience: float = PATIENCE):
        speed = getattr(termios, f"B{baud}", None)
        if speed is None:
            raise CommandError(f"no serial line has {baud} bits a second here")
        self.port, self.patience = port, patience
        try:
            self.line = os.open(port, os.O_RDWR | os.O_NOCTTY)
        except OSError as error:
            raise CommandError(f"{port}: {error.strerror}") from None
        tty.setraw(self.line)
        attributes = termios.tcgetattr(self.line)
        attributes[4] = attributes[5] = speed
        termios.tcsetattr(self.line, termios.TCSAFLUSH, attributes)

    def __exit__(self, *exception: object) -> None:
        os.close(self.line)

    def command(self, line: str) -> str:
        data = line.encode() + b"\n"
        while data:
            data = data[os.write(self.line, data):]
        said = self.said()
        answer = answered(said)
        if answer is None:
            raise Stopped(SILENT, said.lstrip(">").strip())
        return answer

    def said(self) -> str:
        """Up to the next end of a line."""
        said, until = b"", time.monotonic() + self.patience
        while not said.endswith(b"\n"):
            if not select.select([self.line], [], [], max(0, until - time.monotonic()))[0]:
                raise Stopped(SILENT, f"{self.port} said {said!r} and nothing more in {self.patience} s")
            said += os.read(self.line, 1)  # not beyond the line: what follows is of the next command
        return said.decode(errors="replace")
