# SPDX-License-Identifier: Apache-2.0
"""Tables of documents: Markdown between markers, made from committed results."""

from pathlib import Path

from garner_hw import CommandError


def markdown(head: tuple[str, ...], rows: list[tuple]) -> str:
    lines = [head, tuple("---" for _ in head), *rows]
    return "\n".join("| " + " | ".join(str(cell) for cell in line) + " |" for line in lines)


def percent(share: float) -> str:
    return f"{100 * share:.1f}"


def fill(document: Path, tables: dict[str, str]) -> None:
    """Puts each table between its markers `<!-- NAME -->` and `<!-- /NAME -->`."""
    document.write_text(filled(document, tables))


def filled(document: Path, tables: dict[str, str]) -> str:
    """The document's text with these tables between their markers."""
    text = document.read_text()
    for name, table in tables.items():
        begin, end = f"<!-- {name} -->", f"<!-- /{name} -->"
        if begin not in text or end not in text:
            raise CommandError(f"{document}: no place for the table {name!r}")
        head, rest = text.split(begin)
        text = f"{head}{begin}\n{table}\n{end}{rest.split(end)[1]}"
    return text
