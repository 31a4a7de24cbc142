"""Calls of a function for many items, each in a fork of this process.

A fork shares all loaded objects, but its changes affect no other process. So the result for an item
doesn't depend on the number of processes.
"""

import os
import pickle
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
"""Receives the number of finished items."""

_parent = 0
"""Id of the process that has forked this one, if it is a fork."""


class LostProcessError(PodiumError):
    """A process was killed while it worked on an item."""

    def __init__(self, number: int) -> None:
        super().__init__(number)
        self.number = number

    def __str__(self) -> str:
        return f"the process of piece {self.number + 1} died, perhaps for want of memory"


def can_fork() -> bool:
    """Return whether processes can be forked on this system."""
    return "fork" in get_all_start_methods()


def in_workers(
    function: Callable[[Item], Result],
    items: Sequence[Item],
    workers: int,
    progress: Progress | None = None,
) -> Iterator[Result]:
    """Yield the result of a function for each item, in order; raises LostProcessError.

    If the system can't fork, the function is called in this process, and must not change objects
    that it reads. Its results and errors are pickled.
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
    """Call a function in a fork, where it may change all objects, and return its result."""
    with Forks(lambda _: function(), [None], 1) as forks:
        (result,) = forks.results()
    return result


class Forks(Generic[Item, Result]):
    """Forked processes, each for one item; a context manager that ends them on exit.

    The first processes start on entering, others while `results` waits.
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
        # np.unique would import it when it is first called, in each fork again.
        import numpy.ma  # noqa: F401

        try:
            self._start()
        except BaseException:
            # Without having entered, __exit__ isn't called.
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
        """Yield the result of each item, in order; raises LostProcessError."""
        done = 0
        for number in range(len(self._items)):
            while number not in self._answers:
                for ready in wait([*self._running]):
                    assert isinstance(ready, Connection)
                    item, process = self._running[ready]
                    try:
                        self._answers[item] = ready.recv()
                    except EOFError:
                        self._answers[item] = True, LostProcessError(item)
                    process.join()
                    del self._running[ready]
                    ready.close()
                self._start()
                if progress is not None and len(self._answers) + number > done:
                    done = len(self._answers) + number
                    progress(done)
            is_error, answer = self._answers.pop(number)
            if is_error:
                raise answer
            yield answer

    def _start(self) -> None:
        if _parent and os.getppid() != _parent:
            # No process waits for the result any more.
            raise SystemExit
        while self._waiting and len(self._running) < self._workers:
            with _without_ctrl_c():
                number = self._waiting.popleft()
                context = get_context("fork")
                reader, writer = context.Pipe(duplex=False)
                target = (self._function, self._items[number], writer)
                process = context.Process(target=answer_in_fork, args=target)
                process.start()
                writer.close()
                self._running[reader] = number, process


@contextmanager
def _without_ctrl_c() -> Iterator[None]:
    # Delay Ctrl-C, so that no process is started that isn't known yet, and would never be ended.
    if current_thread() is not main_thread():
        yield
        return
    delayed: list[int] = []
    before = signal.signal(signal.SIGINT, lambda number, _: delayed.append(number))
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
        if delayed:
            signal.raise_signal(signal.SIGINT)


def answer_in_fork(function: Callable[[Item], Result], item: Item, writer: Connection) -> None:
    """Call a function for an item, and send whether it raised, with the error or the result."""
    global _parent
    _parent = os.getppid()
    # Existing objects aren't searched for garbage, and so stay shared.
    keep_all_there_is()
    # Ctrl-C is for the process that waits for the others.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    answer: tuple[bool, Any]
    try:
        answer = False, function(item)
    except Exception as error:  # noqa: BLE001 - it is raised where it is waited for
        answer = True, _sendable(error)
    # The parent may have stopped waiting.
    with suppress(BrokenPipeError):
        writer.send(answer)


def _sendable(error: Exception) -> Exception:
    # Exceptions of plugins, for example, needn't survive being copied.
    try:
        pickle.loads(pickle.dumps(error))
    except Exception:  # noqa: BLE001 - constructors may raise anything
        return PodiumError(f"{type(error).__name__}: {error}")
    return error
