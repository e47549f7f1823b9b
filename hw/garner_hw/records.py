# SPDX-License-Identifier: Apache-2.0
"""The records of measured runs, hw/report/runs/*.json: one file a run, kept with a hash of the sources it was made of.

A record is used again while its sources say the same. In a Python file comments, docstrings, layout, type hints and imports
say nothing, but for the hints of a class's fields, which may make its constructor. In other files comments say nothing.
The order of the files, and where they lie, change nothing.
"""

import ast
import hashlib
import json
import re
from collections.abc import Iterable
from pathlib import Path

from garner_hw import HW, CommandError
from garner_hw.whole import write_whole

RUNS = HW / "report" / "runs"


def name_of(top: str, parameters: dict, extra: str = "") -> str:
    return "-".join([top] + [f"{key}={value}" for key, value in sorted(parameters.items())] + ([extra] if extra else []))


def kept(name: str, stamp: str) -> dict | None:
    """The record of this name, if there is one and it was made from these sources."""
    path = RUNS / f"{name}.json"
    record = recorded(path) if path.exists() else None
    return record if record and record["sources"] == stamp else None


def recorded(path: Path) -> dict:
    """The record in this file."""
    try:
        record = json.loads(path.read_text())
    except ValueError as error:
        raise CommandError(f"{path}: {error}; delete it, and it is measured again") from None
    if not isinstance(record, dict) or not {"top", "sources"} <= record.keys():
        raise CommandError(f"{path}: not a record of a run; delete it, and it is measured again")
    return record


def keep(name: str, record: dict) -> None:
    RUNS.mkdir(parents=True, exist_ok=True)
    write_whole(RUNS / f"{name}.json", json.dumps(record, indent=1) + "\n")


def fingerprint(files: Iterable[Path]) -> str:
    """Of what the files say."""
    said = sorted(python(file) if file.suffix == ".py" else re.sub(r"\s*//[^\n]*", "", file.read_text())
                  for file in files)
    return hashlib.sha256("\0".join(said).encode()).hexdigest()[:16]


# What a field of the syntax tree adds that no program depends on: hints, and how a string was written
UNSAID = {("arg", "annotation"), ("FunctionDef", "returns"), ("AsyncFunctionDef", "returns"), ("Constant", "kind")}


def python(file: Path) -> str:
    """The syntax tree of a Python file, without what says nothing. Not by `ast.dump`: it writes more with each Python."""
    return said(ast.parse(file.read_bytes()))


def said(part: object, field: bool = False) -> str:
    """A part of a syntax tree as text. `field`: a statement that stands directly in a class."""
    if isinstance(part, list):
        return f"[{' '.join(said(one, field) for one in part if not says_nothing(one, field))}]"
    if not isinstance(part, ast.AST):
        return repr(part)
    if isinstance(part, ast.AnnAssign) and part.value and not field:
        part = ast.Assign([part.target], part.value)
    kind = type(part).__name__
    values = {name: getattr(part, name, None) for name in part._fields if (kind, name) not in UNSAID}
    inside = (f"{name}={said(value, (kind, name) == ('ClassDef', 'body'))}"
              for name, value in values.items() if value is not None and value != [])
    return f"{kind}({', '.join(inside)})"


def says_nothing(statement: object, field: bool) -> bool:
    """Whether it is an import, a docstring, or a hint alone."""
    match statement:
        case ast.Import() | ast.ImportFrom() | ast.Expr(ast.Constant(str())):
            return True
        case ast.If(ast.Name("TYPE_CHECKING"), orelse=[]):
            return True
        case ast.AnnAssign(value=None):
            return not field
    return False
