# SPDX-License-Identifier: Apache-2.0
"""Reads hw/interface into one `Interface`, and refuses what contradicts itself with a sentence that names it."""

import re
import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from garner_hw import HW
from garner_hw.interface import registers as register_file
from garner_hw.interface import tables
from garner_hw.interface.layout import CODE_NAME, FIELD_NAME, WORD, Field, InterfaceError, Layout, bits_of, named, told, unique
from garner_hw.interface.registers import Register

SOURCES = HW / "interface"
KEYS: dict[str, dict[str, type]] = {
    "constant": {"name": str, "value": int, "meaning": str},
    "scheme": {"name": str, "code": int, "meaning": str},
    "status": {"name": str, "code": int, "meaning": str},
    "operation": {"name": str, "code": int, "operands": list, "result": str, "broadcast": bool, "meaning": str},
    "completion": {"name": str, "word": int, "bits": str, "meaning": str},
    "descriptor": {"name": str, "word": int, "bits": str, "codes": str, "meaning": str},
}
OPTIONAL = {"operands", "result", "broadcast", "codes"}
RING_PARTS = ("constant", "status", "completion")
ENGINE_PARTS = ("constant", "status", "descriptor")
# Constants that the templates, the RTL or the drivers ask for by their names, with what each must be a multiple of, a power
# of two: the RTL drops the lower bits of addresses (words of a bus of 64 bits) and of lengths (words of a stream).
RING_CONSTANTS = {"descriptor_words": 1, "completion_words": 1, "header_words": 2, "size_log2_max": 1,
                  "address_alignment": 8, "length_alignment": 4}
RSA_CONSTANTS = {"min_bits": 1, "max_bits": 1, "step_bits": 32}
AES_CONSTANTS = {"block_bytes": 1, "key_bytes": 1, "long_key_bytes": 1}
POWERS_OF_TWO = {"address_alignment", "length_alignment", "block_bytes"}  # the RTL looks at the bits below them
REACHED = 0x39C  # bits of an offset that registers.sv looks at
PAYLOAD_PARTS = ("constant", "operation", "scheme", "status", "descriptor", "job")


@dataclass(frozen=True)
class Constant:
    """A size or an alignment."""

    name: str
    value: int
    meaning: str


@dataclass(frozen=True)
class Code:
    """One of an enumeration; `operands`, `result` and `broadcast` are of an operation."""

    name: str
    code: int
    meaning: str
    operands: tuple[str, ...] = ()
    result: str | None = None
    broadcast: bool = False

    @property
    def upper(self) -> str:
        """BAD_SLOT for BadSlot."""
        return re.sub(r"(?<!^)(?=[A-Z])", "_", self.name).upper()


@dataclass(frozen=True)
class Enumeration:
    """Codes of a field, in their order."""

    name: str
    width: int
    codes: tuple[Code, ...]

    def __getitem__(self, name: str) -> Code:
        return next(code for code in self.codes if code.name == name)

    def of(self, *names: str) -> tuple[int, ...]:
        """The codes with these names."""
        return tuple(self[name].code for name in names)


@dataclass(frozen=True)
class Ring:
    """What every engine shares."""

    constants: tuple[Constant, ...]
    statuses: tuple[Code, ...]
    completion: Layout

    def __getitem__(self, name: str) -> int:
        return next(constant.value for constant in self.constants if constant.name == name)


@dataclass(frozen=True)
class Engine:
    """What an engine of any kind adds to the rings."""

    constants: tuple[Constant, ...]
    own_statuses: tuple[Code, ...]
    statuses: Enumeration  # the ring's and its own
    descriptor: Layout

    def __getitem__(self, name: str) -> int:
        return next(constant.value for constant in self.constants if constant.name == name)


@dataclass(frozen=True)
class Payload(Engine):
    """And what one adds whose descriptors are jobs for cores: RSA's."""

    operations: Enumeration
    schemes: Enumeration
    job: tuple[Field, ...]


@dataclass(frozen=True)
class Interface:
    """All of it."""

    registers: tuple[Register, ...]
    ring: Ring
    rsa: Payload
    aes: Engine

    def register_constants(self) -> dict[str, int]:
        """Offsets of registers, masks of their fields as REGISTER_FIELD, and what a field always is as
        REGISTER_FIELD_CONSTANT: the names of the Rust constants."""
        found = {}
        for register in self.registers:
            found[register.name] = register.offset
            found |= {f"{register.name}_{field.name.upper()}": field.mask for field in register.parts}
            found |= {f"{register.name}_{field.name.upper()}_CONSTANT": field.constant for field in register.fields
                      if field.constant is not None}
        return found


def entries(parts: dict[str, Any], part: str, file: str) -> list[dict[str, Any]]:
    """The tables `[[part]]`, each with a name and all its keys."""
    for entry in tables.entries(parts[part], part, KEYS[part], file, OPTIONAL):
        where = f"{file}: {part} \"{entry['name']}\""
        named(entry["name"], CODE_NAME if "code" in KEYS[part] else FIELD_NAME, f"{file}: {part}")
        for text in ("meaning", "result"):
            if text in entry:
                told(entry[text], where)
        if "operands" in entry:
            entry["operands"] = operands(entry["operands"], where)
    unique([entry["name"] for entry in parts[part]], f"{file}: two of {part} are called")
    return parts[part]


def operands(found: list[Any], where: str) -> tuple[str, ...]:
    """The names of a stream's parts, each of its own."""
    if not found or not all(isinstance(name, str) for name in found):
        raise InterfaceError(f"{where}: operands = {found!r} is no list of names; an operation without operands leaves it out")
    for name in found:
        told(name, where)
    unique(found, f"{where}: two operands are called")
    return tuple(found)


def read(folder: Path, file: str, known: tuple[str, ...]) -> dict[str, Any]:
    try:
        parts = tomllib.loads((folder / file).read_text())
    except OSError as error:
        raise InterfaceError(f"{file}: {error.strerror}") from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise InterfaceError(f"{file}: {error}") from None
    for part in parts.keys() ^ set(known):
        raise InterfaceError(f"{file}: \"{part}\" is {'unknown' if part in parts else 'missing'}")
    return parts


def constants(parts: dict[str, Any], file: str, known: dict[str, int]) -> tuple[Constant, ...]:
    found = tuple(Constant(**entry) for entry in entries(parts, "constant", file))
    for name in known.keys() - {constant.name for constant in found}:
        raise InterfaceError(f"{file}: there is no constant \"{name}\"")
    for constant in found:
        least = known.get(constant.name, 1)
        if not 0 < constant.value < 1 << WORD or constant.value % least:
            raise InterfaceError(f"{file}: constant \"{constant.name}\" is {constant.value}, not a multiple of {least} from "
                                 f"{least} up to what {WORD} bits hold")
        if constant.name in POWERS_OF_TWO and constant.value & constant.value - 1:
            raise InterfaceError(f"{file}: constant \"{constant.name}\" is {constant.value}, no power of two")
    return found


def codes(parts: dict[str, Any], part: str, file: str) -> tuple[Code, ...]:
    return tuple(Code(**entry) for entry in entries(parts, part, file))


def layout(parts: dict[str, Any], name: str, words: int, file: str) -> Layout:
    fields = []
    for entry in entries(parts, name, file):
        high, low = bits_of(entry["bits"], f"{file}: {name} \"{entry['name']}\"")
        fields.append(Field(entry["name"], entry["word"], high, low, entry["meaning"], entry.get("codes")))
    found = Layout(name, words, tuple(fields))
    found.check(f"{file}: {name}")
    return found


def enumeration(name: str, field: Field, found: tuple[Code, ...], file: str) -> Enumeration:
    ordered = tuple(sorted(found, key=lambda code: code.code))
    for i, code in enumerate(ordered):
        if not 0 <= code.code < 1 << field.width:
            raise InterfaceError(f"{file}: the code {code.code} of {name} \"{code.name}\" does not fit the "
                                 f"{field.width} bits of the field \"{field.name}\"")
        if i and code.code == ordered[i - 1].code:
            raise InterfaceError(f"{file}: {name} \"{ordered[i - 1].name}\" and \"{code.name}\" have the same code, "
                                 f"{code.code}")
    unique([code.name for code in ordered], f"{file}: two of {name} are called")
    return Enumeration(name, field.width, ordered)


def field_of(found: Layout, name: str, file: str) -> Field:
    for field in found.fields:
        if field.name == name:
            return field
    raise InterfaceError(f"{file}: {found.name} has no field \"{name}\"")


def read_ring(folder: Path) -> Ring:
    file = "ring.toml"
    parts = read(folder, file, RING_PARTS)
    found = constants(parts, file, RING_CONSTANTS)
    sizes = {constant.name: constant.value for constant in found}
    completion = layout(parts, "completion", sizes["completion_words"], file)
    for name in ("tag", "status", "cycles", "index", "head", "phase"):
        field_of(completion, name, file)
    last = max(completion.fields, key=lambda field: field.start)
    if last.name != "phase" or last.word != completion.words - 1:
        raise InterfaceError(f"{file}: completion \"phase\" is not in the last word, which is written last")
    return Ring(found, codes(parts, "status", file), completion)


def read_engine(parts: dict[str, Any], file: str, ring: Ring, known: dict[str, int],
                enumerations: tuple[str, ...] = ()) -> Engine:
    descriptor = layout(parts, "descriptor", ring["descriptor_words"], file)
    tag, completed = field_of(descriptor, "tag", file), ring.completion["tag"]
    if tag.width != completed.width:
        raise InterfaceError(f"{file}: descriptor \"tag\" has {tag.width} bits, in the completion it has "
                             f"{completed.width}")
    if sorted(field.codes for field in descriptor.fields if field.codes) != sorted(enumerations):
        raise InterfaceError(f"{file}: descriptor has not one field with the codes of each of {', '.join(enumerations)}, "
                             "and no other with codes" if enumerations else
                             f"{file}: descriptor has a field with codes, of which there are none here")
    own = codes(parts, "status", file)
    statuses = enumeration("status", ring.completion["status"], ring.statuses + own, file)
    if (statuses.codes[0].code, statuses.codes[0].name) != (0, "Ok"):  # the dispatcher takes the higher code for the worse
        raise InterfaceError(f"{file}: the status 0 is not \"Ok\"")
    return Engine(constants(parts, file, known), own, statuses, descriptor)


def read_payload(folder: Path, file: str, ring: Ring) -> Payload:
    parts = read(folder, file, PAYLOAD_PARTS)
    engine = read_engine(parts, file, ring, RSA_CONSTANTS, ("operation", "scheme"))
    descriptor = engine.descriptor
    by_codes = {field.codes: field for field in descriptor.fields if field.codes}
    least, most, step = (engine[name] for name in ("min_bits", "max_bits", "step_bits"))
    if not least <= most or least % step or most % step:
        raise InterfaceError(f"{file}: min_bits ({least}) and max_bits ({most}) are not multiples of step_bits ({step}) in order")
    width = field_of(descriptor, "bits", file).width
    if most >> width:
        raise InterfaceError(f"{file}: max_bits ({most}) does not fit the {width} bits of the field \"bits\"")
    names = parts["job"].get("fields") if isinstance(parts["job"], dict) and len(parts["job"]) == 1 else None
    if not isinstance(names, list) or not all(isinstance(name, str) for name in names):
        raise InterfaceError(f"{file}: job is not `fields`, a list of names of the descriptor's fields")
    unique(names, f"{file}: job: two fields are called")
    job = tuple(field_of(descriptor, name, f"{file}: job") for name in names)
    for field in job:
        if field.word >= ring["header_words"]:
            raise InterfaceError(f"{file}: job field \"{field.name}\" ({field.place}) is not in the descriptor's "
                                 "header")
    return Payload(engine.constants, engine.own_statuses, engine.statuses, descriptor,
                   enumeration("operation", by_codes["operation"], codes(parts, "operation", file), file),
                   enumeration("scheme", by_codes["scheme"], codes(parts, "scheme", file), file), job)


def check_registers(registers: tuple[Register, ...], ring: Ring) -> None:
    """That the registers of the rings are for the rings that are described."""
    for register in registers:
        if register.offset & ~REACHED:
            raise InterfaceError(f"garner_regs.rdl: {register.name} is at 0x{register.offset:03X}; registers.sv reaches eight words "
                                 "at each multiple of 0x080 below 0x400")
    fields = {f"{register.name}.{field.name}": field for register in registers for field in register.fields}
    for wanted in (f"{ring_name}_{field}" for ring_name in ("SUBMISSION", "COMPLETION")
                   for field in ("BASE_LOW.value", "SIZE.log2", "HEAD.index", "TAIL.index")):
        if wanted not in fields:
            raise InterfaceError(f"garner_regs.rdl: there is no field {wanted}")
    for ring_name, words, index in (("SUBMISSION", ring["descriptor_words"], "head"),
                                    ("COMPLETION", ring["completion_words"], "index")):
        base, size = fields[f"{ring_name}_BASE_LOW.value"], fields[f"{ring_name}_SIZE.log2"]
        if 1 << base.low != 4 * words:
            raise InterfaceError(f"garner_regs.rdl: {ring_name}_BASE_LOW is a multiple of {1 << base.low}, and a place "
                                 f"of the ring has {4 * words} bytes")
        if (1 << size.width) - 1 != ring["size_log2_max"]:
            raise InterfaceError(f"garner_regs.rdl: {ring_name}_SIZE holds up to {(1 << size.width) - 1}, "
                                 f"size_log2_max is {ring['size_log2_max']}")
        for name in (f"{ring_name}_HEAD.index", f"{ring_name}_TAIL.index"):
            if fields[name].width != ring.completion[index].width:
                raise InterfaceError(f"garner_regs.rdl: {name} has {fields[name].width} bits, completion "
                                     f"\"{index}\" has {ring.completion[index].width}")


def load(folder: Path = SOURCES) -> Interface:
    """The description in a folder.

    Raises `InterfaceError` for one that contradicts itself.
    """
    registers = register_file.read(folder / "garner_regs.rdl")
    ring = read_ring(folder)
    check_registers(registers, ring)
    return Interface(registers, ring, read_payload(folder, "rsa.toml", ring),
                     read_engine(read(folder, "aes.toml", ENGINE_PARTS), "aes.toml", ring, AES_CONSTANTS))
