"""What macros over lists and maps do when they run, and what it costs.

The costs are those of the loops that cel-go makes of macros: a condition before each step, an
accumulated value, and conditions in its steps.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from podium.api.cel.functions.overloads import LIST_COST
from podium.api.cel.values import CelError, cost_exceeded, no_such_overload

Run = Callable[[list[Any]], Any]
"""Returns the value of a part for a frame, the values of all variables; raises CelError."""


class Budget:
    """What an expression may still cost; raises CelError when nothing is left."""

    __slots__ = ("left", "limit")

    def __init__(self, limit: int) -> None:
        self.limit = self.left = limit

    def spend(self, cost: int) -> None:
        self.left -= cost
        if self.left < 0:
            raise cost_exceeded()


def items(over: Any, frame: list[Any], slots: Sequence[int]) -> Iterator[tuple[Any, Any]]:
    """Iterate over a list or map, with a loop's variables set in the frame.

    Yields:
        The index or key, and the value of the first variable.
    """
    pairs: Any
    if isinstance(over, Mapping):
        pairs = over.items()
    elif isinstance(over, list | tuple):
        pairs = enumerate(over)
    else:
        raise no_such_overload()
    for key, value in pairs:
        if len(slots) == 2:
            frame[slots[0]], frame[slots[1]] = key, value
        else:
            frame[slots[0]] = key if isinstance(over, Mapping) else value
        yield key, frame[slots[0]]


def _tested(run: Run, frame: list[Any]) -> bool:
    value = run(frame)
    if not isinstance(value, bool):
        raise no_such_overload()
    return value


def _quantified(decisive: bool) -> Callable[[Any, list[Any], Sequence[Run]], bool]:
    def run(items: Any, frame: list[Any], runs: Sequence[Run]) -> bool:
        error = None
        for _ in items:
            try:
                if _tested(runs[0], frame) is decisive:
                    return decisive
            except CelError as failure:
                error = failure
        if error is not None:
            raise error
        return not decisive

    return run


def _exists_one(items: Any, frame: list[Any], runs: Sequence[Run]) -> bool:
    return sum(_tested(runs[0], frame) for _ in items) == 1


def _filter(items: Any, frame: list[Any], runs: Sequence[Run]) -> list[Any]:
    return [value for _, value in items if _tested(runs[0], frame)]


def _transform(items: Any, frame: list[Any], runs: Sequence[Run]) -> list[Any]:
    *tests, body = runs
    return [body(frame) for _ in items if all(_tested(test, frame) for test in tests)]


def _transform_map(items: Any, frame: list[Any], runs: Sequence[Run]) -> dict[Any, Any]:
    *tests, body = runs
    return {k: body(frame) for k, _ in items if all(_tested(test, frame) for test in tests)}


def _transform_entries(items: Any, frame: list[Any], runs: Sequence[Run]) -> dict[Any, Any]:
    *tests, body = runs
    made: dict[Any, Any] = {}
    for _ in items:
        if all(_tested(test, frame) for test in tests):
            entries = body(frame)
            if not isinstance(entries, Mapping):
                raise no_such_overload()
            for key in entries:
                if key in made:
                    raise CelError(f"insert failed: key {key} already exists")
            made.update(entries)
    return made


LOOPS: Mapping[str, Callable[[Any, list[Any], Sequence[Run]], Any]] = {
    "all": _quantified(False),
    "exists": _quantified(True),
    "exists_one": _exists_one,
    "filter": _filter,
    "map": _transform,
    "sortBy": _transform,
    "transformList": _transform,
    "transformMap": _transform_map,
    "transformMapEntry": _transform_entries,
}
"""The macros; that of `sortBy` returns the keys."""

CONDITION_COSTS = {"all": 2, "exists": 3}
"""What a loop's condition costs before each step."""

STEP_COSTS = {
    "all": 1, "exists": 1, "exists_one": 2, "filter": 3 + LIST_COST, "map": 2 + LIST_COST,
    "sortBy": 2 + LIST_COST, "transformList": 2 + LIST_COST, "transformMap": 3,
    "transformMapEntry": 2,
}  # fmt: skip
"""What each step costs besides the macro's arguments."""
