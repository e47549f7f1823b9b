# SPDX-License-Identifier: Apache-2.0
"""Threads and tasks that sign from Python: garner beside the package cryptography, in turn, in one process.

Called by bench/python.sh, which says what else there is. Prints a table; --json FILE gets the rows.
"""

import argparse
import asyncio
import json
import resource
import statistics
import threading
import time
from collections.abc import Callable
from functools import partial
from importlib.metadata import version

from cryptography.hazmat.backends.openssl import backend
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import padding, rsa

import garner

SHA256 = hashes.SHA256()
SCHEME = garner.PKCS1v15("SHA-256")
MANY = 4096
"""Messages of one call of sign_many, but fewer of long keys: a call takes a second at most."""


class Run:
    """What some callers did in some seconds."""

    def __init__(self, count: int, wall: float, processor: float, latencies: list[float]) -> None:
        self.per_s = count / wall
        self.cpu_us = 1e6 * processor / count
        ordered = sorted(latencies)
        self.p50_us = 1e6 * ordered[len(ordered) // 2]
        self.p99_us = 1e6 * ordered[len(ordered) * 99 // 100]


def processor() -> float:
    used = resource.getrusage(resource.RUSAGE_SELF)
    return used.ru_utime + used.ru_stime


def threads(callers: int, seconds: float, sign: Callable[[bytes], bytes], check: Callable[[bytes, bytes], None]) -> Run:
    """So many threads that sign one message after the other; each checks its last signature."""
    latencies: list[list[float]] = [[] for _ in range(callers)]
    last: list[tuple[bytes, bytes]] = [(b"", b"")] * callers
    begin, stop = threading.Barrier(callers + 1), threading.Event()

    def caller(number: int) -> None:
        begin.wait()
        ended = False  # one signature at least, however busy the machine
        while not ended:
            message = b"%d %d" % (number, len(latencies[number]))
            start = time.perf_counter()
            signature = sign(message)
            latencies[number].append(time.perf_counter() - start)
            ended = stop.is_set()
        last[number] = message, signature

    workers = [threading.Thread(target=caller, args=(number,)) for number in range(callers)]
    for worker in workers:
        worker.start()
    begin.wait()
    start, used = time.perf_counter(), processor()
    time.sleep(seconds)
    stop.set()
    for worker in workers:
        worker.join()
    wall, used = time.perf_counter() - start, processor() - used
    for message, signature in last:
        check(message, signature)
    return Run(sum(map(len, latencies)), wall, used, [each for list in latencies for each in list])


def tasks(callers: int, seconds: float, key: garner.PrivateKey, check: Callable[[bytes, bytes], None]) -> Run:
    """So many tasks of one event loop."""
    latencies: list[float] = []

    async def caller(number: int, until: float) -> None:
        ended = False
        while not ended:
            message = b"%d %d" % (number, len(latencies))
            start = time.perf_counter()
            signature = await key.sign_async(message, SCHEME)
            latencies.append(time.perf_counter() - start)
            ended = time.perf_counter() >= until
        check(message, signature)

    async def main() -> None:
        until = time.perf_counter() + seconds
        await asyncio.gather(*(caller(number, until) for number in range(callers)))

    start, used = time.perf_counter(), processor()
    asyncio.run(main())
    return Run(len(latencies), time.perf_counter() - start, processor() - used, latencies)


def many(count: int, seconds: float, key: garner.PrivateKey, check: Callable[[bytes, bytes], None]) -> Run:
    """Calls of sign_many; a latency is a call's."""
    messages = [b"%d" % number for number in range(count)]
    latencies: list[float] = []
    begin, used = time.perf_counter(), processor()
    signatures: list[bytes] = []
    while not latencies or time.perf_counter() - begin < seconds:
        start = time.perf_counter()
        signatures = key.sign_many(messages, SCHEME)
        latencies.append(time.perf_counter() - start)
    wall, used = time.perf_counter() - begin, processor() - used
    for message, signature in list(zip(messages, signatures, strict=True))[::97]:
        check(message, signature)
    return Run(len(latencies) * count, wall, used, latencies)


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--seconds", type=float, default=3)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--bits", default="2048,3072,4096")
    parser.add_argument("--json")
    options = parser.parse_args()
    rows = []
    print(f"RSA sign, SHA-256, PKCS#1 v1.5: garner {version('garner')} on {garner.devices()[0].name} beside "
          f"cryptography {version('cryptography')} ({backend.openssl_version_text()})")
    print(f"{'':26}{'garner/s':>10}{'cryptography/s':>16}{'ratio':>8}{'p50':>10}{'p99':>10}{'cpu':>9}{'fill':>7}")
    for bits in map(int, options.bits.split(",")):
        theirs = rsa.generate_private_key(65537, bits)
        ours, public = garner.PrivateKey.from_cryptography(theirs), theirs.public_key()

        def check(message: bytes, signature: bytes) -> None:
            public.verify(signature, message, padding.PKCS1v15(), SHA256)

        def baseline(callers: int) -> Run:
            return threads(callers, options.seconds, lambda m: theirs.sign(m, padding.PKCS1v15(), SHA256), check)

        def threaded(callers: int) -> Run:
            return threads(callers, options.seconds, lambda message: ours.sign(message, SCHEME), check)

        count = max(64, MANY * 1024**3 // bits**3 * 2)
        kinds: list[tuple[str, int, Callable[[], Run], int]] = [
            (f"{callers} threads", callers, partial(threaded, callers), callers) for callers in (1, 2, 8, 64)
        ]
        kinds.append(("64 tasks of one loop", 64, partial(tasks, 64, options.seconds, ours, check), 8))
        kinds.append((f"sign_many of {count}", count, partial(many, count, options.seconds, ours, check), 8))
        for name, callers, run, beside in kinds:
            run()  # warms both up
            runs, others, before = [], [], garner.stats()
            for _ in range(options.rounds):
                others.append(baseline(beside))
                runs.append(run())
            after = garner.stats()
            fill = (after.private_operations - before.private_operations) / (after.batches - before.batches)
            rate, other = (statistics.median(one.per_s for one in each) for each in (runs, others))
            middle = {key: statistics.median(getattr(one, key) for one in runs) for key in ("p50_us", "p99_us", "cpu_us")}
            rows.append({
                "op": "sign", "bits": bits, "clients": callers, "transport": name, "garner_per_s": round(rate, 1),
                "baseline": f"cryptography, {beside} threads", "baseline_per_s": round(other, 1),
                "ratio": round(rate / other, 3), **{key: round(value, 1) for key, value in middle.items()},
                "baseline_cpu_us": round(statistics.median(one.cpu_us for one in others), 1), "fill": round(fill, 2),
                "garner_rounds": [round(one.per_s, 1) for one in runs],
                "baseline_rounds": [round(one.per_s, 1) for one in others], "checked": True,
            })
            print(f"RSA-{bits}  {name:16}{rate:10.0f}{other:16.0f}{rate / other:8.2f}{middle['p50_us'] / 1e3:7.2f} ms"
                  f"{middle['p99_us'] / 1e3:7.2f} ms{middle['cpu_us']:6.0f} us{fill:7.1f}", flush=True)
    if options.json:
        with open(options.json, "w") as out:
            out.write(",\n".join("    " + json.dumps(row) for row in rows))


main()
