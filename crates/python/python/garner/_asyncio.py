# SPDX-License-Identifier: Apache-2.0
"""Answers for an event loop: one mailbox, and one descriptor, for each loop.

Called by the native module's asynchronous methods. Nothing here waits, and no thread is started here.
"""

import asyncio
from functools import partial
from typing import Any
from weakref import WeakKeyDictionary, ref

from ._native import Mailbox, Pending


class _Post:
    """What one loop waits for."""

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        self._mailbox = Mailbox()
        self._futures: dict[int, asyncio.Future[Any]] = {}
        loop.add_reader(self._mailbox.fileno(), self._deliver)

    def start(self, loop: asyncio.AbstractEventLoop, pending: Pending) -> "asyncio.Future[Any]":
        number = self._mailbox.submit(pending)
        future: asyncio.Future[Any] = loop.create_future()
        self._futures[number] = future
        future.add_done_callback(partial(self._done, number))
        return future

    def _deliver(self) -> None:
        for number, succeeded, answer in self._mailbox.take():
            future = self._futures.get(number)
            if future is None or future.done():
                continue
            if succeeded:
                future.set_result(answer)
            else:
                future.set_exception(answer)

    def _done(self, number: int, future: "asyncio.Future[Any]") -> None:
        del self._futures[number]
        if future.cancelled():
            self._mailbox.forget(number)


# A post lives as long as its loop watches its descriptor: its futures know the loop, which they must not keep from here.
_posts: "WeakKeyDictionary[asyncio.AbstractEventLoop, ref[_Post]]" = WeakKeyDictionary()


def _post(loop: asyncio.AbstractEventLoop) -> _Post:
    there = _posts.get(loop)
    post = there() if there is not None else None
    if post is None:
        post = _Post(loop)
        _posts[loop] = ref(post)
    return post


def start(pending: Pending) -> "asyncio.Future[Any]":
    """Queues an operation for the running loop, whose future has its answer.

    Raises RuntimeError where no loop runs, and QueueFull.
    """
    loop = asyncio.get_running_loop()
    return _post(loop).start(loop, pending)
