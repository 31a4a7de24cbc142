"""Work done by several processes at once: each piece by a fork of this process.

A fork finds everything that was loaded before, shares it, and leaves it as it was for the others,
whatever it does to it. So the result of a piece doesn't depend on how many processes there are.
"""

import os
import signal
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from multiprocessing import get_all_start_methods, get_context
from multiprocessing.connection import Connection, wait
from threading import current_thread, main_thread
from typing import Any, Generic, Self, TypeVar

from podium.api.errors import PodiumError
from podium.api.process.python_garbage_collection import keep_all_there_is

Item = TypeVar("Item")
Result = TypeVar("Result")

Progress = Callable[[int], None]
"""Is told how many pieces are done."""

_begun_by = 0
"""The process that has forked this one, if it is a fork."""


class LostProcessError(PodiumError):
    """A process that worked on a piece is gone."""

    def __init__(self, number: int) -> None:
        super().__init__(number)
        self.number = number

    def __str__(self) -> str:
        return f"the process of piece {self.number + 1} died, perhaps for want of memory"


def can_fork() -> bool:
    """Whether processes can be forked here."""
    return "fork" in get_all_start_methods()


def in_workers(
    function: Callable[[Item], Result],
    items: Sequence[Item],
    workers: int,
    progress: Progress | None = None,
) -> Iterator[Result]:
    """Yield what a function returns for each item, in the order of the items.

    Where the system can't fork, this process does it all, one after the other, and the function
    must leave alone what the next one will read. What it returns or raises is pickled.

    Raises:
        LostProcessError: one of the processes was killed.
    """
    if not can_fork():
        for done, item in enumerate(items, start=1):
            yield function(item)
            if progress is not None:
                progress(done)
        return
    with Forks(function, items, workers) as forks:
        yield from forks.results(progress)


def in_a_copy(function: Callable[[], Result]) -> Result:
    """What a function returns that may change everything here: it does so in a fork."""
    with Forks(lambda _: function(), [None], 1) as forks:
        (result,) = forks.results()
    return result


class Forks(Generic[Item, Result]):
    """Processes that work on items, each on one; those that still do are ended on leaving.

    The first begin on entering. Whenever results are waited for, others follow them.
    """

    def __init__(
        self, function: Callable[[Item], Result], items: Sequence[Item], workers: int
    ) -> None:
        self._function = function
        self._items = items
        self._workers = workers
        self._waiting = deque(range(len(items)))
        self._running: dict[Connection, tuple[int, Any]] = {}
        self._answers: dict[int, tuple[bool, Any]] = {}

    def __enter__(self) -> Self:
        # np.unique would import it when it is first called, in each fork anew.
        import numpy.ma  # noqa: F401

        try:
            self._start()
        except BaseException:
            # Nobody calls __exit__ of what wasn't entered.
            self._end()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        self._end()

    def _end(self) -> None:
        for _, process in self._running.values():
            process.kill()
        for connection, (_, process) in self._running.items():
            process.join()
            connection.close()
        self._running.clear()

    def results(self, progress: Progress | None = None) -> Iterator[Result]:
        """Yield the result of each item, in their order; raises LostProcessError."""
        done = 0
        for number in range(len(self._items)):
            while number not in self._answers:
                self._collect()
                if progress is not None and len(self._answers) + number > done:
                    done = len(self._answers) + number
                    progress(done)
            is_error, answer = self._answers.pop(number)
            if is_error:
                raise answer
            yield answer

    def _start(self) -> None:
        if _begun_by and os.getppid() != _begun_by:
            # No process waits for the result any more.
            raise SystemExit
        while self._waiting and len(self._running) < self._workers:
            with _ctrl_c_waits():
                number = self._waiting.popleft()
                context = get_context("fork")
                reader, writer = context.Pipe(duplex=False)
                target = (self._function, self._items[number], writer)
                process = context.Process(target=answer_in_fork, args=target)
                process.start()
                writer.close()
                self._running[reader] = number, process

    def _collect(self) -> None:
        for ready in wait([*self._running]):
            assert isinstance(ready, Connection)
            number, process = self._running[ready]
            try:
                self._answers[number] = ready.recv()
            except EOFError:
                self._answers[number] = True, LostProcessError(number)
            process.join()
            del self._running[ready]
            ready.close()
        self._start()


@contextmanager
def _ctrl_c_waits() -> Iterator[None]:
    """Have Ctrl-C wait, so that there is no process that nobody knows yet, and nobody would end."""
    if current_thread() is not main_thread():
        yield
        return
    came: list[int] = []
    before = signal.signal(signal.SIGINT, lambda number, _: came.append(number))
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
        if came:
            signal.raise_signal(signal.SIGINT)


def answer_in_fork(function: Callable[[Item], Result], item: Item, writer: Connection) -> None:
    """In a fork, answer with whether an item raised an error, and the error or the result."""
    global _begun_by
    _begun_by = os.getppid()
    # What was there before isn't searched for garbage, and so stays shared.
    keep_all_there_is()
    # Ctrl-C is for the process that waits for the others.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    answer: tuple[bool, Any]
    try:
        answer = False, function(item)
    except Exception as error:  # noqa: BLE001 - it is raised where it is waited for
        answer = True, error
    # Nobody may wait for it any more.
    with suppress(BrokenPipeError):
        writer.send(answer)
