# SPDX-License-Identifier: Apache-2.0
"""The rows and the table of the AES ciphers, alone and with their engine's registers, rings and DMA, from their placements.
test_encrypt.py and test_decrypt.py hold the cycles of a block, engine_tests.py that an engine comes within 5 % of them."""

from statistics import median

BLOCK_BITS = 128
ENCRYPT, DECRYPT = TOPS = ("aes_cbc_encrypt", "aes_cbc_decrypt")
ENGINE = "aes_core"
ENGINE_DEFAULTS = {"Decrypt": 0, "Messages": 4, "Stages": 10, "BusWidth": 64}  # as in aes_core.sv
KEY_BITS = 128  # of the ciphers shown here, and where no other length is asked for
ROUNDS, ENCRYPT_CYCLES = 10, 11


def cipher(record: dict) -> tuple[str, int, int] | None:
    """Of a placement of a cipher for keys of 128 bits: which, how many rounds are in hardware, and the width of the bus before
    it; 0 without one."""
    values = record["parameters"]
    if values.get("KeyBits", KEY_BITS) != KEY_BITS:
        return None
    if record["top"] in TOPS:
        return record["top"], values["Units" if record["top"] == ENCRYPT else "Stages"], 0
    if record["top"] == ENGINE:
        values = ENGINE_DEFAULTS | values
        return (DECRYPT, values["Stages"], values["BusWidth"]) if values["Decrypt"] else (ENCRYPT, values["Messages"], values["BusWidth"])
    return None


def points(found: list[dict]) -> list[dict]:
    """Of encryption with one message, and with as many as there are round units; of decryption with one, as more are no
    quicker. The clock is the median over the seeds."""
    placed: dict[tuple[str, int, int, int], list[dict]] = {}
    for record in found:
        if (which := cipher(record)) and record["family"] == "ecp5":
            placed.setdefault((*which, record["speed"]), []).append(record)
    rows = []
    order = sorted(placed.items(), key=lambda item: (item[0][2] > 0, TOPS.index(item[0][0]), *item[0][1:]))
    for (top, rounds, bus, speed), runs in order:
        clock = median(run["fmax"] for run in runs)
        for messages in sorted({1, rounds}) if top == ENCRYPT else [1]:
            cycles = ENCRYPT_CYCLES / messages if top == ENCRYPT else ROUNDS / rounds
            cycles = max(cycles, BLOCK_BITS / bus) if bus else cycles
            rows.append({"design": top, "bus": bus, "messages": messages, "units": rounds, "part": f"LFE5U-85, speed {speed}",
                         "seeds": len(runs), "mhz": clock, "block_cycles": cycles,
                         "gbit_per_s": BLOCK_BITS / cycles * clock / 1e3, "lut": runs[0]["LUT"], "ff": runs[0]["FF"]})
    return rows


def engine(bus: int) -> str:
    return f"`{ENGINE}`, bus of {bus} bits" if bus else "none"


def table(rows: list[dict]) -> str:
    lines = ["| cipher | engine around it | rounds in hardware | messages | cycles a block | part | MHz (seeds) | Gbit/s | LUT / FF |",
             "|---|---|---|---|---|---|---|---|---|"]
    lines += [f"| `{row['design']}` | {engine(row['bus'])} | {row['units']} | {row['messages']} | {row['block_cycles']:.4g} | {row['part']} | "
              f"{row['mhz']:.0f} ({row['seeds']}) | {row['gbit_per_s']:.2f} | {row['lut']:,} / {row['ff']:,} |" for row in rows]
    return "\n".join(lines)
