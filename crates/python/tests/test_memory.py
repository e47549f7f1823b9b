# SPDX-License-Identifier: Apache-2.0
"""Nothing is kept of operations that have ended."""

import asyncio
import gc
import os
import tracemalloc

from conftest import pair

import garner

SCHEME = garner.PKCS1v15("SHA-256")
OAEP = garner.OAEP("SHA-256")
PAGE = os.sysconf("SC_PAGE_SIZE")


def resident() -> int:
    """Bytes of this process's memory, whoever took it."""
    with open("/proc/self/statm") as statm:
        return int(statm.read().split()[1]) * PAGE


def rounds(count: int) -> None:
    """About `count` operations: right ones, wrong ones, cancelled ones, with keys read and thrown away."""
    key = pair(1024).ours
    public, pem = key.public_key, key.to_pem()
    signature = key.sign(b"message", SCHEME)
    sealed = public.encrypt(b"message", OAEP)

    async def tasks() -> None:
        futures = [key.sign_async(b"message", SCHEME) for _ in range(count // 8)]
        for future in futures[::4]:
            future.cancel()
        await asyncio.gather(*futures, return_exceptions=True)

    for _ in range(count // 8):
        key.sign(b"message", SCHEME)
        public.verify(b"message", signature, SCHEME)
        key.decrypt(sealed, OAEP)
        for wrong in (lambda: public.verify(b"massage", signature, SCHEME), lambda: key.decrypt(bytes(128), OAEP)):
            try:
                wrong()
            except garner.Error:
                pass
    for _ in range(count // 400):
        garner.PrivateKey.from_pem(pem)
    assert public.verify_many([b"message"] * (count // 8), key.sign_many([b"message"] * (count // 8), SCHEME), SCHEME)
    asyncio.run(tasks())
    gc.collect()


def test_twenty_thousand_operations_leave_nothing_behind() -> None:
    rounds(10_000)  # what is kept for good: threads, caches, blinding
    tracemalloc.start()
    rounds(800)
    objects, before = tracemalloc.get_traced_memory()[0], resident()
    for _ in range(2):
        rounds(10_000)
    grown, more = tracemalloc.get_traced_memory()[0] - objects, resident() - before
    tracemalloc.stop()
    # 100 bytes an operation would be 2 MB.
    assert grown < 100_000, f"{grown} bytes of Python's objects"
    assert more < 2_000_000, f"{more} bytes of the process"
