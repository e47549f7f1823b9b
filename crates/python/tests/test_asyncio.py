# SPDX-License-Identifier: Apache-2.0
"""Tasks of an event loop: tickets, one descriptor for all, no thread for each."""

import asyncio
import gc
import os
import threading
import weakref

import pytest
from conftest import pair

import garner
from garner import _asyncio

SCHEME = garner.PKCS1v15("SHA-256")
OAEP = garner.OAEP("SHA-256")


def threads() -> int:
    return len(os.listdir("/proc/self/task"))


def descriptors() -> int:
    return len(os.listdir("/proc/self/fd"))


def test_every_operation_can_be_awaited() -> None:
    key = pair(2048).ours
    public = key.public_key

    async def main() -> None:
        signature = await key.sign_async(b"message", SCHEME)
        assert signature == key.sign(b"message", SCHEME)
        assert await public.verify_async(b"message", signature, SCHEME) is None  # type: ignore[func-returns-value]
        assert await key.decrypt_async(await public.encrypt_async(b"message", OAEP), OAEP) == b"message"
        with pytest.raises(garner.InvalidSignature):
            await public.verify_async(b"massage", signature, SCHEME)
        with pytest.raises(garner.DecryptionFailed, match="^decryption failed$"):
            await key.decrypt_async(bytes(256), OAEP)
        with pytest.raises(garner.InvalidArgument):
            await key.sign_async(b"", SCHEME, prehashed=True)

    asyncio.run(main())


def test_a_thousand_tasks_need_neither_threads_nor_descriptors_of_their_own() -> None:
    key = pair(1024).ours
    most_threads = most_descriptors = 0

    async def main() -> None:
        nonlocal most_threads, most_descriptors
        await key.sign_async(b"first", SCHEME)
        before = garner.stats()
        messages = [b"message %d" % number for number in range(1000)]
        futures = [key.sign_async(message, SCHEME) for message in messages]
        most_threads, most_descriptors = threads(), descriptors()
        assert await asyncio.gather(*futures) == key.sign_many(messages, SCHEME)
        after = garner.stats()
        assert after.queue_high_water > 100 and after.private_operations - before.private_operations == 2000

    before_threads, before_descriptors = threads(), descriptors()
    asyncio.run(main())
    assert most_threads - before_threads < 16 and most_descriptors - before_descriptors < 10


def test_the_loop_runs_on_while_operations_do() -> None:
    key = pair(4096).ours

    async def main() -> int:
        futures = [key.sign_async(b"%d" % number, SCHEME) for number in range(100)]
        turns = 0
        while not all(future.done() for future in futures):
            await asyncio.sleep(0.001)
            turns += 1
        return turns

    assert asyncio.run(main()) > 10


def test_what_is_cancelled_leaves_the_queue_and_nothing_behind() -> None:
    key = pair(4096).ours

    async def main() -> None:
        before = garner.stats().private_operations
        futures = [key.sign_async(b"%d" % number, SCHEME) for number in range(400)]
        for future in futures[::2]:
            assert future.cancel()
        results = await asyncio.gather(*futures, return_exceptions=True)
        assert all(isinstance(result, asyncio.CancelledError) for result in results[::2])
        assert all(isinstance(result, bytes) for result in results[1::2])
        for number in (1, 399):
            key.public_key.verify(b"%d" % number, results[number], SCHEME)  # type: ignore[arg-type]
        # Those under way when they were cancelled went on; the others were never computed.
        assert garner.stats().private_operations - before < 300
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(0.005):
                await asyncio.gather(*(key.sign_async(b"", SCHEME) for _ in range(200)))
        await asyncio.sleep(0)
        post = _asyncio._post(asyncio.get_running_loop())
        assert len(post._mailbox) == 0 and not post._futures
        assert await key.sign_async(b"after", SCHEME) == key.sign(b"after", SCHEME)

    asyncio.run(main())


def test_without_a_loop_it_is_said() -> None:
    with pytest.raises(RuntimeError, match="no running event loop"):
        pair(1024).ours.sign_async(b"message", SCHEME)


def test_a_full_queue_is_an_exception_and_no_wait() -> None:
    key = pair(4096).ours

    async def main() -> None:
        futures = []
        with pytest.raises(garner.QueueFull, match="the queue is full"):
            for _ in range(100_000):
                futures.append(key.sign_async(bytes(32), SCHEME, prehashed=True))
        assert len(futures) >= 65_536
        assert len(await futures[0]) == 512

    async def after() -> int:
        return len(await key.sign_async(b"after", SCHEME))

    asyncio.run(main())
    gc.collect()  # the loop is gone, and what waited for it
    assert asyncio.run(after()) == 512 and garner.stats().queue == 0


def test_loops_come_and_go_with_their_descriptors() -> None:
    key = pair(1024).ours

    async def main() -> "weakref.ref[asyncio.AbstractEventLoop]":
        await key.sign_async(b"message", SCHEME)
        key.sign_async(b"never awaited", SCHEME)
        return weakref.ref(asyncio.get_running_loop())

    asyncio.run(main())
    gc.collect()
    before = descriptors()
    loops = [asyncio.run(main()) for _ in range(20)]
    gc.collect()
    assert descriptors() == before and all(loop() is None for loop in loops)


def test_loops_in_several_threads() -> None:
    key = pair(1024).ours
    failed: list[BaseException] = []

    async def main(name: int) -> None:
        messages = [b"%d %d" % (name, number) for number in range(200)]
        for message, signature in zip(
            messages, await asyncio.gather(*(key.sign_async(message, SCHEME) for message in messages)), strict=True
        ):
            key.public_key.verify(message, signature, SCHEME)

    def run(name: int) -> None:
        try:
            asyncio.run(main(name))
        except BaseException as error:
            failed.append(error)

    workers = [threading.Thread(target=run, args=(name,)) for name in range(4)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    assert not failed
