#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""AES-128-CBC over buffer sizes: the kernel's driver through AF_ALG, the board from user space, libcrypto. `make linux-bench`

  .venv/bin/python bench/aes.py --guest target/linux/6.12-bench.log --board target/release/garner-board --model MODEL
                                --costs target/release/examples/aes_costs

What is counted and what is measured:
  board       cycles of its clock for a message, by the simulated RTL
  AF_ALG      instructions and system calls of an operation, in a guest whose clock counts instructions (the log's lines)
  user space  instructions of an operation, by callgrind, without waiting and without what stands for the bus
  libcrypto   nanoseconds on this processor, with AES-NI and without

No time of the emulated guest, nor of the simulated board, is used. What a real host would see is a model of the counts, with the
parameters of MODEL. Writes bench/results/linux-aes.json and linux-aes.svg, and prints the table.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from garner_hw.profile.callgraph import from_callgrind
from garner_hw.surroundings import surroundings

ROOT = Path(__file__).resolve().parent.parent
RESULTS = ROOT / "bench" / "results"
SIZES = (16, 64, 256, 1024, 4096, 16384, 65536, 450000)  # bytes; the seed's are 16 to 450,000
WAYS = ("encrypt", "decrypt")
DEPTHS = (1, 8, 64)     # messages in a batch from user space
COUNTED_UP_TO = 16384   # bytes of a message there: a batch of 64 of them has a million bytes to simulate
OPERATIONS = 200        # of libcrypto, five times
NO_AES_NI = {"OPENSSL_ia32cap": "~0x200000200000000"}
# callgrind counts each byte of `rep movsb` and `rep stosb`, which the C library has for what is long: it shall have its loops.
NO_REPETITION = {"GLIBC_TUNABLES": ":".join(f"glibc.cpu.x86_rep_{what}_threshold=0x40000000" for what in ("movsb", "stosb"))}

MODEL = {
    "host_ghz": 3.0,
    "instructions_per_cycle": 1.0,  # of kernel and driver code
    "board_mhz": 150.0,             # what engines with their shell are to reach; what they do: docs/hardware.md
    "bus_us": 2.0,                  # doorbell, the fetches of descriptor and data, the completion's write: each time one waits
    "wake_us": 3.0,                 # from the interrupt to the thread that waits; polling has none
}
COLOURS = {"libcrypto, AES-NI": "C0", "libcrypto, no AES-NI": "C1", "AF_ALG": "C2", "user space": "C3"}


def model(bytes_: int, instructions: float, cycles: float, interrupts: float) -> dict:
    """Throughput of one thread with one operation at a time, and its share of the processor. Instructions by the host, and
    cycles by the board, come one after the other. Without interrupts the thread polls, and waits once."""
    host = instructions / MODEL["instructions_per_cycle"] / MODEL["host_ghz"] / 1e3
    board = cycles / MODEL["board_mhz"] + MODEL["bus_us"] * (interrupts or 1) + MODEL["wake_us"] * interrupts
    return {"us": round(host + board, 3), "mbit_per_s": round(8 * bytes_ / (host + board), 1),
            "load": round(host / (host + board), 3)}


def guest(log: Path) -> list[dict]:
    """The lines of afalg_bench."""
    rows = []
    for line in log.read_text().splitlines():
        if line.startswith("[bench] "):
            driver, way, bytes_, operations, instructions, calls, _, ticks, requests, interrupts = line.split()[1:]
            rows.append({"driver": driver, "way": way, "bytes": int(bytes_), "operations": int(operations),
                         "instructions": int(instructions), "system_calls": float(calls), "ticks": float(ticks),
                         "requests": int(requests), "interrupts": int(interrupts)})
    wanted = {(driver, way, size) for driver in ("cbc-aes-garner", "cbc(aes-generic)") for way in WAYS for size in SIZES}
    missing = wanted - {(row["driver"], row["way"], row["bytes"]) for row in rows}
    if missing:
        raise SystemExit(f"{log} lacks {len(missing)} measurements, as {min(missing)}")
    return rows


@contextmanager
def board(program: Path, library: Path) -> Iterator[str]:
    """A simulated board; its address."""
    with tempfile.TemporaryDirectory() as folder:
        socket = Path(folder) / "board"
        served = subprocess.Popen([program, "--model", library, "--socket", socket], stderr=subprocess.DEVNULL)
        try:
            while not socket.exists():
                if served.poll() is not None:
                    raise SystemExit(f"{program} ended with {served.returncode}")
                time.sleep(0.05)
            yield f"vfio-user:{socket}"
        finally:
            served.kill()
            served.wait()


def cycles(costs: Path, address: str) -> list[dict]:
    """The engine's cycles for a message that is alone."""
    rows = []
    for size in SIZES:
        for way in WAYS:
            said = subprocess.run([costs, address, way, str(size), "1", "3"], check=True, capture_output=True, text=True).stdout
            rows.append({"way": way, "bytes": size, "cycles": float(said.split()[1])})
            progress(f"board: {way} {size}")
    return rows


def direct(costs: Path, address: str) -> list[dict]:
    """Instructions of a message from user space: the difference of two runs, so that opening the board is in none."""
    rows = []
    for size in (size for size in SIZES if size <= COUNTED_UP_TO):
        for depth in DEPTHS:
            more = max(2, 8192 // (size * depth))  # what begins and ends a run shall not show
            few, many = (counted(costs, address, size, depth, batches) for batches in (2, 2 + more))
            rows.append({"way": "encrypt", "bytes": size, "depth": depth, "instructions": round((many - few) / (more * depth))})
            progress(f"user space: {size} bytes, depth {depth}")
    return rows


def counted(costs: Path, address: str, size: int, depth: int, batches: int) -> float:
    """Instructions of so many batches, less the waiting for the board and the accesses to the simulated bus, which are loads
    and stores on a real one."""
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder) / "callgrind.out"
        subprocess.run(["valgrind", "--quiet", "--tool=callgrind", f"--callgrind-out-file={out}", costs, address, "encrypt",
                        str(size), str(depth), str(batches)], check=True, capture_output=True, env=os.environ | NO_REPETITION)
        graph = from_callgrind(out)
    work = [function for name, function in graph.functions.items() if name.endswith("engine::Engine::convert")]
    if not work:
        raise SystemExit(f"callgrind names no function of the engine in {costs}: build it with its symbols")
    left_out = sum(share for function in work for name, share in function.callees.items()
                   if name.endswith("engine::Engine::wait") or "as garner_device_board::transport::Transport>" in name)
    return graph.cost * (sum(function.share for function in work) - left_out)


def libcrypto() -> list[dict]:
    """Nanoseconds of an operation on this processor."""
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        program = Path(folder) / "libcrypto"
        subprocess.run(["cc", "-O2", "-o", program, ROOT / "linux" / "bench" / "libcrypto.c", "-lcrypto"], check=True)
        for size in SIZES:
            for way in WAYS:
                for name, environment in (("libcrypto, AES-NI", {}), ("libcrypto, no AES-NI", NO_AES_NI)):
                    said = subprocess.run([program, way, str(size), str(OPERATIONS)], check=True, capture_output=True, text=True,
                                          env=os.environ | environment).stdout
                    rows.append({"who": name, "way": way, "bytes": size, "ns": float(said),
                                 "mbit_per_s": round(8e3 * size / float(said), 1)})
            progress(f"libcrypto: {size}")
    return rows


def modelled(counts: dict) -> list[dict]:
    """What a real host would see, of AF_ALG and of user space."""
    alone = {(row["way"], row["bytes"]): row["cycles"] for row in counts["board"]}
    rows = [{"who": "AF_ALG", "way": row["way"], "bytes": row["bytes"],
             **model(row["bytes"], row["instructions"], alone[row["way"], row["bytes"]], row["interrupts"] / row["operations"])}
            for row in counts["guest"] if row["driver"] == "cbc-aes-garner"]
    return rows + [{"who": "user space", "way": row["way"], "bytes": row["bytes"],
                    **model(row["bytes"], row["instructions"], alone[row["way"], row["bytes"]], 0)}
                   for row in counts["direct"] if row["depth"] == 1]


def crossovers(result: dict) -> list[dict]:
    """From which size on the model is ahead of libcrypto; None where it never is."""
    found = []
    for peer in ("libcrypto, AES-NI", "libcrypto, no AES-NI"):
        theirs = {(row["way"], row["bytes"]): row["mbit_per_s"] for row in result["libcrypto"] if row["who"] == peer}
        for who, way in sorted({(row["who"], row["way"]) for row in result["model_rows"]}):
            ahead = [row["bytes"] for row in result["model_rows"] if (row["who"], row["way"]) == (who, way)
                     and row["mbit_per_s"] > theirs[way, row["bytes"]]]
            found.append({"who": who, "way": way, "peer": peer, "bytes": min(ahead, default=None)})
    return found


def draw(result: dict, to: Path) -> None:
    """The seed's curves: throughput and the processor's load over the buffer's size."""
    import matplotlib
    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    figure, axes = plt.subplots(2, 2, figsize=(11, 8), sharex=True)
    for column, way in enumerate(WAYS):
        above, below = axes[0][column], axes[1][column]
        series = {}
        for row in [*result["libcrypto"], *result["model_rows"]]:
            if row["way"] == way:
                series.setdefault(row["who"], []).append(row)
        for who, rows in series.items():
            is_model = "load" in rows[0]
            above.plot([row["bytes"] for row in rows], [row["mbit_per_s"] for row in rows], "o-" if not is_model else "s--",
                       color=COLOURS[who], label=who + (", model" if is_model else ", measured"))
            if is_model:
                below.plot([row["bytes"] for row in rows], [100 * row["load"] for row in rows], "s--", color=COLOURS[who],
                           label=f"{who}, model")
        theirs = {"encrypt": ((16, 92), (450000, 29)), "decrypt": ((16, 93), (450000, 43))}[way]
        below.plot(*zip(*theirs), "kx", label="Ethond, measured there")
        above.axhline({"encrypt": 400, "decrypt": 250}[way], color="k", linestyle=":", label="Ethond, hardware at its best")
        above.axhline(160, color="grey", linestyle=":", label="Ethond, software")
        above.set(title=f"{way}ion", xscale="log", yscale="log", ylabel="Mbit/s")
        below.set(xlabel="bytes of an operation", ylabel="load of the processor, %", ylim=(0, 105))
        above.legend(fontsize=7)
        below.legend(fontsize=7)
    figure.tight_layout()
    figure.savefig(to, metadata={"Date": None})


def progress(said: str) -> None:
    print(said, file=sys.stderr, flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0], epilog=__doc__.split("\n\n", 1)[1],
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--guest", type=Path, required=True, metavar="LOG", help="of the guest's stage `bench`")
    parser.add_argument("--board", type=Path, required=True, metavar="PROGRAM", help="garner-board")
    parser.add_argument("--model", type=Path, required=True, metavar="LIBRARY", help="the simulated RTL, for garner-board")
    parser.add_argument("--costs", type=Path, required=True, metavar="PROGRAM", help="the example aes_costs, with its symbols")
    arguments = parser.parse_args()
    result = surroundings() | {"command": "make linux-bench", "kernel_of_the_guest": arguments.guest.name.split("-")[0],
                               "model": MODEL, "guest": guest(arguments.guest)}
    with board(arguments.board, arguments.model) as address:
        result["board"] = cycles(arguments.costs, address)
    with board(arguments.board, arguments.model) as address:
        result["direct"] = direct(arguments.costs, address)
    result["libcrypto"] = libcrypto()
    result["model_rows"] = modelled(result)
    result["crossovers"] = crossovers(result)
    (RESULTS / "linux-aes.json").write_text(json.dumps(result, indent=1) + "\n")
    draw(result, RESULTS / "linux-aes.svg")
    for row in result["model_rows"]:
        print(f"{row['who']:11} {row['way']} {row['bytes']:7,} bytes: {row['us']:9.1f} us, {row['mbit_per_s']:8.1f} Mbit/s, "
              f"load {100 * row['load']:.0f} % (model)")


if __name__ == "__main__":
    main()
