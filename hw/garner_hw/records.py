# SPDX-License-Identifier: Apache-2.0
"""The records of measured runs, hw/report/runs/*.json: one file a run, kept with a hash of the sources it was made of.

A record is used again while its sources say the same: comments, docstrings, the order of the files, where they lie and
so what a Python file imports change nothing.
"""

import hashlib
import json
import re
import tokenize
from collections.abc import Iterable
from pathlib import Path

from garner_hw import HW

RUNS = HW / "report" / "runs"


def name_of(top: str, parameters: dict, extra: str = "") -> str:
    return "-".join([top] + [f"{key}={value}" for key, value in sorted(parameters.items())] + ([extra] if extra else []))


def kept(name: str, stamp: str) -> dict | None:
    """The record of this name, if there is one and it was made from these sources."""
    path = RUNS / f"{name}.json"
    record = json.loads(path.read_text()) if path.exists() else None
    return record if record and record["sources"] == stamp else None


def keep(name: str, record: dict) -> None:
    RUNS.mkdir(parents=True, exist_ok=True)
    (RUNS / f"{name}.json").write_text(json.dumps(record, indent=1) + "\n")


def fingerprint(files: Iterable[Path]) -> str:
    """Of what the files say."""
    said = sorted(python(file) if file.suffix == ".py" else re.sub(r"\s*//[^\n]*", "", file.read_text())
                  for file in files)
    return hashlib.sha256("\0".join(said).encode()).hexdigest()[:16]


def python(file: Path) -> str:
    """The statements of a Python file, one token a line, but imports and docstrings; without comments and empty lines."""
    said, statement = [], []
    with file.open("rb") as source:
        for token in tokenize.tokenize(source.readline):
            if token.type in (tokenize.COMMENT, tokenize.NL, tokenize.ENCODING):
                continue
            if token.type in (tokenize.INDENT, tokenize.DEDENT):
                said.append(tokenize.tok_name[token.type])
                continue
            statement.append(token)
            if token.type == tokenize.NEWLINE:
                docstring = all(part.type in (tokenize.STRING, tokenize.NEWLINE) for part in statement)
                if not docstring and statement[0].string not in ("import", "from"):
                    said += [part.string for part in statement]
                statement = []
    return "\n".join(said)
