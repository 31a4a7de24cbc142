"""Pure computations on large objects, done in a thread while the server continues to serve.

A verb is one step on one state of the store. If it needs a long computation, it is abandoned before
it writes anything. After a thread has finished the computation, the verb is run again, and uses the
result if the arguments are still equal.
"""

from collections.abc import Callable, Mapping
from contextvars import ContextVar
from typing import Any, ParamSpec, Self, TypeVar

P = ParamSpec("P")
T = TypeVar("T")

LARGE_BYTES = 64 * 2**10
"""Length from which on a body is large."""

_PARTS_MAX = 4000
# An object may change faster than a thread works on it; after this, the server waits.
_TRIES_MAX = 8


class PostponedError(Exception):
    """A verb was abandoned; it has to be run again after `work` has run in a thread."""

    def __init__(self, work: Callable[[], None]) -> None:
        super().__init__("postponed")
        self.work = work


class LongWork:
    """Keeps results of a request's long computations, within `with`; `is_large`: they are long."""

    def __init__(self, *, is_large: bool) -> None:
        self.is_large = is_large
        self.done: list[tuple[Any, Any]] = []
        self.kept: dict[str, Any] = {}

    def __enter__(self) -> Self:
        _current.set(self)
        return self

    def __exit__(self, *_: object) -> None:
        _current.set(None)


_current: ContextVar[LongWork | None] = ContextVar("long work", default=None)


def apart(function: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
    """Call a pure function; if it is long, raise PostponedError until a thread has called it."""
    work = _current.get()
    if work is None or not work.is_large:
        return function(*args, **kwargs)
    call = (function, args, kwargs)
    for done, result in work.done:
        if done == call:
            if isinstance(result, Exception):
                raise result
            return result  # type: ignore[no-any-return]
    if len(work.done) == _TRIES_MAX:
        return function(*args, **kwargs)

    def elsewhere() -> None:
        try:
            result: Any = function(*args, **kwargs)
        except Exception as error:  # noqa: BLE001 - raised again where the result is used
            result = error
        work.done.append((call, result))

    raise PostponedError(elsewhere)


def is_long() -> bool:
    """Return whether computations of the current request count as long."""
    work = _current.get()
    return work is not None and work.is_large


def kept(name: str, function: Callable[[], T]) -> T:
    """Return the result of the function's first call in this request, even if the verb is rerun."""
    work = _current.get()
    if work is None:
        return function()
    if name not in work.kept:
        work.kept[name] = function()
    return work.kept[name]  # type: ignore[no-any-return]


def concerns(obj: Mapping[str, Any]) -> None:
    """Mark the current request as long work if an object has many parts or long strings."""
    work = _current.get()
    if work is None or work.is_large:
        return
    parts: list[Any] = [obj]
    length = 0
    for part in parts:
        if isinstance(part, Mapping):
            parts.extend(part.values())
        elif isinstance(part, list):
            parts.extend(part)
        elif isinstance(part, str):
            length += len(part)
        if len(parts) > _PARTS_MAX or length > LARGE_BYTES:
            work.is_large = True
            return
