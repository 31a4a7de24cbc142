"""Long work on a cluster in a fork of this process, while the cluster continues to run.

Explanations and plans simulate a copy of the cluster, which takes seconds with thousands of nodes.
A thread would block the interpreter, and so the cluster; another process would need a copy of all
objects. A fork has the current objects, and can't change those of this process.
"""

import asyncio
import os
import signal
from collections.abc import Callable
from multiprocessing import get_context
from multiprocessing.connection import Connection
from typing import Any, TypeVar

from podium.api.errors import PodiumError
from podium.apiserver.refusals import too_many
from podium.simulation.workers import answer_in_fork, can_fork

T = TypeVar("T")

AT_ONCE = 1
WAITING_MAX = 16
WORK_S_MAX = 300.0
"""Work that takes longer is given up."""

_NICENESS = 5


class WorkError(PodiumError):
    """The work has failed for a reason that the user can understand."""


class ForkedWork:
    """Runs functions in forks, one after the other."""

    def __init__(self) -> None:
        self._turns = asyncio.Semaphore(AT_ONCE)
        self._asked = 0

    async def __call__(self, work: Callable[[], T]) -> T:
        """Return the result of a function; cancelling the call ends its process.

        Args:
            work: function to run, whose result or error must be picklable.

        Raises:
            RefusedError: 429, too many calls are waiting already.
            WorkError: the work failed, took too long, or its process was killed.
        """
        if self._asked >= WAITING_MAX:
            raise too_many("questions")
        self._asked += 1
        try:
            async with self._turns:
                if not can_fork():
                    return await asyncio.to_thread(_telling, work)
                result: T = await _forked(work)
                return result
        finally:
            self._asked -= 1


async def _forked(work: Callable[[], Any]) -> Any:
    loop, context = asyncio.get_running_loop(), get_context("fork")
    reader, writer = context.Pipe(duplex=False)
    process = context.Process(target=_work, args=(work, writer), daemon=True)
    process.start()
    writer.close()
    answered = asyncio.Event()
    loop.add_reader(reader.fileno(), answered.set)
    try:
        async with asyncio.timeout(WORK_S_MAX):
            await answered.wait()
        is_error, answer = await asyncio.to_thread(reader.recv)
    except EOFError:
        raise WorkError("the process died, perhaps for want of memory") from None
    except TimeoutError:
        raise WorkError(f"the answer took longer than {WORK_S_MAX:g} s") from None
    finally:
        loop.remove_reader(reader.fileno())
        process.kill()
        reader.close()
        process.join()
    if is_error:
        raise answer
    return answer


def _work(work: Callable[[], Any], writer: Connection) -> None:
    # The fork shares the pipe by which signals wake the event loop of the server.
    signal.set_wakeup_fd(-1)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    os.nice(_NICENESS)
    answer_in_fork(_telling, work, writer)


def _telling(work: Callable[[], T]) -> T:
    # Of an error only the text, as not all errors can be pickled.
    try:
        return work()
    except PodiumError as error:
        raise WorkError(str(error)) from None
