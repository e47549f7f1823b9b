# SPDX-License-Identifier: Apache-2.0
"""The rows and the table of the AES ciphers, from their placements. test_encrypt.py and test_decrypt.py hold the cycles
of a block."""

from statistics import median

BLOCK_BITS = 128
ENCRYPT, DECRYPT = TOPS = ("aes_cbc_encrypt", "aes_cbc_decrypt")
ROUNDS, ENCRYPT_CYCLES = 10, 11


def points(found: list[dict]) -> list[dict]:
    """Of encryption with one message, and with as many as there are round units; of decryption with one, as more are no
    quicker. The clock is the median over the seeds."""
    placed: dict[tuple[str, int, int], list[dict]] = {}
    for record in found:
        if record["top"] in TOPS and record["family"] == "ecp5":
            rounds = record["parameters"]["Units" if record["top"] == ENCRYPT else "Stages"]
            placed.setdefault((record["top"], rounds, record["speed"]), []).append(record)
    rows = []
    for (top, rounds, speed), runs in sorted(placed.items(), key=lambda item: (TOPS.index(item[0][0]), *item[0][1:])):
        clock = median(run["fmax"] for run in runs)
        for messages in sorted({1, rounds}) if top == ENCRYPT else [1]:
            cycles = ENCRYPT_CYCLES / messages if top == ENCRYPT else ROUNDS / rounds
            rows.append({"design": top, "messages": messages, "units": rounds, "part": f"LFE5U-85, speed {speed}",
                         "seeds": len(runs), "mhz": clock, "block_cycles": cycles,
                         "gbit_per_s": BLOCK_BITS / cycles * clock / 1e3, "lut": runs[0]["LUT"], "ff": runs[0]["FF"]})
    return rows


def table(rows: list[dict]) -> str:
    lines = ["| cipher | rounds in hardware | messages | cycles a block | part | MHz (seeds) | Gbit/s | LUT / FF |",
             "|---|---|---|---|---|---|---|---|"]
    lines += [f"| `{row['design']}` | {row['units']} | {row['messages']} | {row['block_cycles']:.4g} | {row['part']} | "
              f"{row['mhz']:.0f} ({row['seeds']}) | {row['gbit_per_s']:.2f} | {row['lut']:,} / {row['ff']:,} |" for row in rows]
    return "\n".join(lines)
