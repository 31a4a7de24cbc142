"""Pure work on large objects, which a server has done elsewhere while it goes on serving.

A verb is one step, and sees one state of the store. Where it comes to long work it is given up,
before it has written anything. The work is done in a thread, and the verb begins anew: it finds
what the work came to, if the work is still the same.
"""

from collections.abc import Callable, Mapping
from contextvars import ContextVar
from typing import Any, ParamSpec, Self, TypeVar

P = ParamSpec("P")
T = TypeVar("T")

LARGE_BYTES = 64 * 2**10
"""Bodies from this length on are large."""

_PARTS_MAX = 4000
# Objects may change faster than anybody can work on them; then all others have to wait.
_TRIES_MAX = 8


class PostponedError(Exception):
    """A verb has been given up until `work` has been done."""

    def __init__(self, work: Callable[[], None]) -> None:
        super().__init__("postponed")
        self.work = work


class LongWork:
    """Keeps results of a request's long work within `with`; `concerns` may find that it is long."""

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
    """Call a pure function, at any time; raises PostponedError if that takes long."""
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
        except Exception as error:  # noqa: BLE001 - whoever asks for the result gets it
            result = error
        work.done.append((call, result))

    raise PostponedError(elsewhere)


def is_long() -> bool:
    """Whether the work of the present request is long."""
    work = _current.get()
    return work is not None and work.is_large


def kept(name: str, function: Callable[[], T]) -> T:
    """The result, by its name in the request, that stays when a verb is started again."""
    work = _current.get()
    if work is None:
        return function()
    if name not in work.kept:
        work.kept[name] = function()
    return work.kept[name]  # type: ignore[no-any-return]


def concerns(obj: Mapping[str, Any]) -> None:
    """Treat further work as long if an object has many parts, or very long ones."""
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
