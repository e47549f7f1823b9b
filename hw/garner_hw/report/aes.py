# SPDX-License-Identifier: Apache-2.0
"""The rows and the table of the AES ciphers, from their placements. test_encrypt.py holds the cycles of a block."""

from statistics import median

BLOCK_BITS, BLOCK_CYCLES = 128, 11


def points(found: list[dict]) -> list[dict]:
    """One message, and as many as there are round units; the clock is the median over the seeds."""
    placed: dict[tuple[int, int], list[dict]] = {}
    for record in found:
        if record["top"] == "aes_cbc_encrypt" and record["family"] == "ecp5":
            placed.setdefault((record["parameters"]["Units"], record["speed"]), []).append(record)
    rows = []
    for (units, speed), runs in sorted(placed.items()):
        clock = median(run["fmax"] for run in runs)
        rows += [{"design": "aes_cbc_encrypt", "messages": messages, "units": units, "part": f"LFE5U-85, speed {speed}",
                  "seeds": len(runs), "mhz": clock, "gbit_per_s": messages * BLOCK_BITS / BLOCK_CYCLES * clock / 1e3,
                  "lut": runs[0]["LUT"], "ff": runs[0]["FF"]} for messages in sorted({1, units})]
    return rows


def table(rows: list[dict]) -> str:
    lines = ["| round units | messages | part | MHz (seeds) | Gbit/s | LUT / FF |", "|---|---|---|---|---|---|"]
    lines += [f"| {row['units']} | {row['messages']} | {row['part']} | {row['mhz']:.0f} ({row['seeds']}) | "
              f"{row['gbit_per_s']:.2f} | {row['lut']:,} / {row['ff']:,} |" for row in rows]
    return "\n".join(lines)
