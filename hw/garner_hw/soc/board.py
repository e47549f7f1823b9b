# SPDX-License-Identifier: Apache-2.0
"""The system on a board, at the end of a serial line: the commands of system.py and their answers over a terminal device."""

import os
import select
import termios
import time
import tty

from garner_hw import CommandError
from garner_hw.soc.system import SILENT, Stopped, System, answered

PATIENCE = 600  # s for a line: longer than a key of 2,048 bits takes in software at 25 MHz
GREETING = 10  # s until the first prompt
QUIET = 0.2  # s without a byte: nothing more comes


class Board(System):
    """`port`: the device. `patience`: s until the board counts as stopped; `greeting`: s until it does when the port is opened.
    """

    def __init__(self, port: str, baud: int = 115200, patience: float = PATIENCE, greeting: float = GREETING) -> None:
        speed = getattr(termios, f"B{baud}", None)
        if not speed:  # B0 would hang up
            raise CommandError(f"no serial line has {baud} bits a second here")
        self.port, self.patience = port, patience
        try:
            self.line = os.open(port, os.O_RDWR | os.O_NOCTTY)
        except OSError as error:
            raise CommandError(f"{port}: {error.strerror}") from None
        try:
            self.configure(speed)
            self.greet(greeting)
        except BaseException:
            os.close(self.line)
            raise

    def configure(self, speed: int) -> None:
        if not os.isatty(self.line):
            raise CommandError(f"{self.port} is no serial line")
        try:
            tty.setraw(self.line)
            attributes = termios.tcgetattr(self.line)
            attributes[4] = attributes[5] = speed
            termios.tcsetattr(self.line, termios.TCSAFLUSH, attributes)
        except termios.error as error:
            raise CommandError(f"{self.port}: {error.args[-1]}") from None

    def greet(self, patience: float) -> None:
        """An interrupted run may have left half a line and an answer under way: ends the one, throws the other away."""
        self.write(b"\n")
        until = time.monotonic() + patience
        byte: bytes | None = b""
        while byte != b">":  # the prompt: the board takes commands, the new line has ended what was before it
            byte = self.byte(until - time.monotonic())
            if byte is None:
                raise Stopped(SILENT, f"{self.port} gave no prompt in {patience:g} s: no board, another --baud, or a command of "
                                      f"an interrupted run; reset the board, or wait")
        while self.byte(QUIET) is not None:
            pass

    def __exit__(self, *exception: object) -> None:
        os.close(self.line)

    def settings(self, interrupts: bool = False, memory_wait: int = 0) -> None:
        if memory_wait:
            raise CommandError("--memory-wait is the simulation's: a board's memory has no wait states")
        super().settings(interrupts)

    def command(self, line: str) -> str:
        self.write(line.encode() + b"\n")
        said = self.said()
        answer = answered(said)
        if answer is None:
            raise Stopped(SILENT, f"{self.port} said \"{said.lstrip('>').strip()}\", which is no answer")
        return answer

    def said(self) -> str:
        """Up to the next end of a line."""
        said, until = b"", time.monotonic() + self.patience
        while not said.endswith(b"\n"):
            byte = self.byte(until - time.monotonic())
            if byte is None:
                raise Stopped(SILENT, f"{self.port} said {said!r} and nothing more in {self.patience} s")
            said += byte  # not beyond the line: what follows is of the next command
        return said.decode(errors="replace")

    def byte(self, patience: float) -> bytes | None:
        """The next one; None if none came in so many seconds."""
        if not select.select([self.line], [], [], max(0, patience))[0]:
            return None
        try:
            byte = os.read(self.line, 1)
        except OSError as error:
            raise self.hung_up(error.strerror) from None
        if not byte:
            raise self.hung_up("end of file")
        return byte

    def write(self, data: bytes) -> None:
        try:
            while data:
                data = data[os.write(self.line, data):]
        except OSError as error:
            raise self.hung_up(error.strerror) from None

    def hung_up(self, why: str | None) -> Stopped:
        return Stopped(SILENT, f"{self.port} hung up ({why}): is the board still connected?")
