# SPDX-License-Identifier: Apache-2.0
"""Signs very many SHA-256 digests on the workers of a Dask cluster, each of which uses Garner on its own machine.

    python dask_sign.py --key key.pem digests.txt --out signatures.bin          on this machine, two workers
    python dask_sign.py --key key.pem --random 1000000 --out signatures.bin     digests made up, written to OUT.digests
    python dask_sign.py --key key.pem --scheduler tcp://host:8786 digests.txt --out signatures.bin

digests.txt has 64 hexadecimal digits at the start of each line, as sha256sum writes it. The signatures (RSASSA-PKCS1-v1_5)
follow each other in the order of the digests, each as long as the modulus. The key is read by each worker from its own
file of that name and never travels. A chunk whose worker is lost goes to another; the output appears when it is complete.
"""

import argparse
import os
import sys
import time
from collections.abc import Iterator
from contextlib import nullcontext
from itertools import islice
from pathlib import Path
from typing import BinaryIO

from distributed import Client, Future, LocalCluster, Worker, WorkerPlugin, get_worker

import garner

CHUNK = 4096
"""Digests that one task signs: some tenths of a second, so that the scheduler's milliseconds do not count."""

SCHEME = "SHA-256"


class Signer(WorkerPlugin):
    """Reads a worker's key when the worker starts, or joins."""

    name = "garner-signer"

    def __init__(self, path: str) -> None:
        self.path = path

    def setup(self, worker: Worker) -> None:
        worker.garner_key = garner.PrivateKey.from_pem(Path(self.path).read_text())


def sign(digests: bytes) -> bytes:
    """The signatures of digests that follow each other; runs on a worker."""
    parts = [digests[at : at + 32] for at in range(0, len(digests), 32)]
    return b"".join(get_worker().garner_key.sign_many(parts, garner.PKCS1v15(SCHEME), prehashed=True))


def chunks(digests: Iterator[bytes]) -> Iterator[bytes]:
    while chunk := b"".join(islice(digests, CHUNK)):
        yield chunk


def signed(client: Client, digests: Iterator[bytes], workers: int) -> Iterator[bytes]:
    """The signatures of all chunks, in order, of which only enough to keep the workers busy are under way."""
    under_way: list[Future] = []
    for chunk in chunks(digests):
        under_way.append(client.submit(sign, chunk, pure=False, retries=3))
        if len(under_way) > 4 * workers:
            yield under_way.pop(0).result()
    for future in under_way:
        yield future.result()


def of_file(path: str) -> Iterator[bytes]:
    with open(path) as lines:
        for number, line in enumerate(lines, 1):
            try:
                digest = bytes.fromhex(line[:64])
            except ValueError:
                digest = b""
            if len(digest) != 32 or line[64:65].strip():
                sys.exit(f"{path}:{number}: does not begin with the 64 hexadecimal digits of a SHA-256 digest")
            yield digest


def made_up(count: int, copy: BinaryIO) -> Iterator[bytes]:
    for _ in range(count):
        digest = os.urandom(32)
        copy.write(digest.hex().encode() + b"\n")
        yield digest


def main() -> None:
    parser = argparse.ArgumentParser(description="Signs very many SHA-256 digests on a Dask cluster.")
    parser.add_argument("digests", nargs="?", help="a file of them, one a line, in hexadecimal")
    parser.add_argument("--random", type=int, metavar="COUNT", help="make so many up instead")
    parser.add_argument("--key", required=True, help="the private key in PEM, at this path on each worker")
    parser.add_argument("--out", required=True, type=Path)
    parser.add_argument("--scheduler", metavar="ADDRESS", help="of a cluster that is there; without, one on this machine")
    parser.add_argument("--workers", type=int, default=2, help="of the cluster on this machine")
    options = parser.parse_args()
    if (options.digests is None) == (options.random is None):
        parser.error("either a file of digests or --random")
    if options.scheduler is None:
        try:
            garner.PrivateKey.from_pem(Path(options.key).read_text())
        except (OSError, garner.InvalidKey) as error:
            sys.exit(f"{options.key}: {error}")
    # One thread each: sign_many uses all processors by itself.
    cluster = (
        nullcontext(options.scheduler)
        if options.scheduler
        else LocalCluster(n_workers=options.workers, threads_per_worker=1, dashboard_address=None)
    )
    part = options.out.with_name(options.out.name + ".part")
    with cluster as address, Client(address) as client, open(part, "wb") as out:
        client.register_plugin(Signer(os.path.abspath(options.key)))
        workers = len(client.scheduler_info()["workers"])
        copy = open(f"{options.out}.digests", "wb") if options.random is not None else nullcontext()
        start = time.monotonic()
        with copy as written:
            digests = of_file(options.digests) if written is None else made_up(options.random, written)
            count = 0
            for signatures in signed(client, digests, workers):
                out.write(signatures)
                count += 1
        seconds = time.monotonic() - start
    part.rename(options.out)
    print(f"{count} chunks of up to {CHUNK} digests signed by {workers} workers in {seconds:.1f} s")


if __name__ == "__main__":
    main()
