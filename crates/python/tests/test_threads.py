# SPDX-License-Identifier: Apache-2.0
"""Threads: they gather, and nobody holds the interpreter's lock while an operation runs."""

import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial

from conftest import pair

import garner

SCHEME = garner.PKCS1v15("SHA-256")


def test_threads_get_their_own_answers() -> None:
    keys = [pair(bits).ours for bits in (1024, 1536, 2048)]

    def work(number: int) -> None:
        key, message = keys[number % 3], b"message %d" % number
        signature = key.sign(message, SCHEME)
        key.public_key.verify(message, signature, SCHEME)
        sealed = key.public_key.encrypt(message, garner.OAEP("SHA-256"))
        assert key.decrypt(sealed, garner.OAEP("SHA-256")) == message
        assert keys[0].sign_many([message] * 5, SCHEME) == [keys[0].sign(message, SCHEME)] * 5

    with ThreadPoolExecutor(16) as pool:
        list(pool.map(work, range(300)))


def test_threads_share_batches() -> None:
    key = pair(2048).ours
    before = garner.stats()
    with ThreadPoolExecutor(16) as pool:
        list(pool.map(lambda number: key.sign(b"%d" % number, SCHEME), range(800)))
    after = garner.stats()
    operations, batches = after.private_operations - before.private_operations, after.batches - before.batches
    assert operations == 800
    lanes = garner.devices()[0].preferred_batch
    if lanes > 1:
        assert batches < 700, f"{operations} operations in {batches} batches"
    else:
        print("this processor has no kernels: batches of one")


def test_another_thread_makes_progress_while_one_waits() -> None:
    """While one call runs, this thread takes turns; a call that held the lock would leave it none.

    How long a call takes is the processor's affair, so the calls grow until one is long enough. The lock held, no
    call ever is: the interpreter cannot change threads between the two marks around it more than a time or two.
    """
    key = pair(4096).ours

    def turns_during(call: Callable[[], object]) -> int:
        begun, ended = threading.Event(), threading.Event()

        def marked() -> None:
            begun.set()
            call()
            ended.set()

        thread = threading.Thread(target=marked)
        thread.start()
        begun.wait()
        turns = 0
        while not ended.is_set():
            time.sleep(0.001)
            turns += 1
        thread.join()
        return turns

    enough = 20
    calls = [partial(key.sign_many, [b"message"] * (200 << doubling), SCHEME) for doubling in range(6)]
    assert any(turns_during(call) > enough for call in calls)
    assert any(turns_during(partial(garner.PrivateKey.generate, 3072)) > enough for _ in range(50))
    pem = key.public_key.to_pem().encode()
    texts = (b"what is no key\n" * (100_000 << doubling) + pem for doubling in range(7))
    assert any(turns_during(partial(garner.PublicKey.from_pem, text)) > enough for text in texts)
