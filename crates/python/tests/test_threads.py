# SPDX-License-Identifier: Apache-2.0
"""Threads: they gather, and nobody holds the interpreter's lock while an operation runs."""

import threading
import time
from concurrent.futures import ThreadPoolExecutor

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
    """A call that held the lock would leave the other thread no more than the moments between calls."""
    key = pair(4096).ours
    messages = [b"message"] * 200
    done = threading.Event()
    longest = 0.0

    def sign() -> None:
        key.sign_many(messages, SCHEME)
        garner.PrivateKey.generate(3072)
        done.set()

    start = time.monotonic()
    thread = threading.Thread(target=sign)
    thread.start()
    last, turns = time.monotonic(), 0
    while not done.is_set():
        time.sleep(0.001)
        now = time.monotonic()
        longest, last, turns = max(longest, now - last), now, turns + 1
    whole = time.monotonic() - start
    thread.join()
    assert whole > 0.1 and turns > 20, f"{turns} turns in {whole:.3f} s"
    assert longest < whole / 2, f"held up for {longest:.3f} of {whole:.3f} s"
