# SPDX-License-Identifier: Apache-2.0
"""Children of fork, and the end of a process."""

import asyncio
import multiprocessing
import os
import subprocess
import sys
import threading
import traceback
from collections.abc import Callable

import pytest
from conftest import pair

import garner
from garner import _asyncio

SCHEME = garner.PKCS1v15("SHA-256")

# Python's own warning that a process with threads forks is what is tried here.
pytestmark = pytest.mark.filterwarnings("ignore:.*fork:DeprecationWarning")


def in_child(work: Callable[[], None], seconds: int = 60) -> None:
    """Runs work in a child of fork, which must end by itself within some seconds."""
    child = os.fork()
    if child == 0:
        status = 1
        try:
            import signal

            signal.alarm(seconds)
            work()
            status = 0
        except BaseException:
            traceback.print_exc()
        finally:
            os._exit(status)
    assert os.waitpid(child, 0)[1] == 0


def test_a_child_signs_with_its_parents_key_while_the_parent_signs() -> None:
    key = pair(2048).ours
    expected = key.sign(b"message", SCHEME)
    stop = threading.Event()

    def sign() -> None:
        while not stop.is_set():
            key.sign(b"another", SCHEME)

    def work() -> None:
        assert garner.stats().private_operations == 0
        for _ in range(3):
            assert key.sign(b"message", SCHEME) == expected
        assert key.sign_many([b"message"] * 20, SCHEME) == [expected] * 20
        assert garner.stats().private_operations == 23

        async def main() -> None:
            assert await key.sign_async(b"message", SCHEME) == expected

        asyncio.run(main())

    threads = [threading.Thread(target=sign) for _ in range(4)]
    for thread in threads:
        thread.start()
    try:
        for _ in range(10):
            in_child(work)
    finally:
        stop.set()
        for thread in threads:
            thread.join()


def test_a_child_in_the_middle_of_the_parents_loop() -> None:
    key = pair(2048).ours
    expected = key.sign(b"message", SCHEME)

    async def main() -> None:
        futures = [key.sign_async(b"message", SCHEME) for _ in range(200)]
        post = _asyncio._post(asyncio.get_running_loop())

        def work() -> None:
            # The parent's loop does not run here, and its mailbox is the parent's; a call that waits works.
            with pytest.raises(RuntimeError, match="no running event loop"):
                key.sign_async(b"message", SCHEME)
            with pytest.raises(garner.NotDone, match="fork"):
                post._mailbox.take()
            futures[-1].cancel()
            assert key.sign(b"message", SCHEME) == expected

        in_child(work)
        assert await asyncio.gather(*futures) == [expected] * 200

    asyncio.run(main())


def sign_there(pem: str) -> bytes:
    return garner.PrivateKey.from_pem(pem).sign(b"message", SCHEME)


@pytest.mark.parametrize("method", ["fork", "spawn", "forkserver"])
def test_multiprocessing(method: str) -> None:
    key = pair(2048).ours
    expected = key.sign(b"message", SCHEME)
    with multiprocessing.get_context(method).Pool(2) as pool:
        assert pool.map(sign_there, [key.to_pem()] * 8) == [expected] * 8


@pytest.mark.parametrize(
    "last",
    [
        "key.sign(b'', scheme)",
        "threading.Thread(target=sign_for_ever, daemon=True).start(); time.sleep(0.1)",
        "asyncio.run(leave())",
        "atexit.register(key.sign, b'', scheme)",
        "key.sign(b'', scheme); sys.exit(0)",
        "pass",
    ],
)
def test_a_process_ends_whatever_is_under_way(last: str) -> None:
    program = f"""
import asyncio, atexit, sys, threading, time
import garner
scheme = garner.PKCS1v15("SHA-256")
key = garner.PrivateKey.generate(1024, below_fips=True)
def sign_for_ever():
    while True:
        key.sign(b"", scheme)
async def leave():
    for number in range(3000):
        key.sign_async(b"%d" % number, scheme)
    await asyncio.sleep(0.01)
{last}
"""
    run = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=60)
    assert (run.returncode, run.stdout, run.stderr) == (0, "", "")
