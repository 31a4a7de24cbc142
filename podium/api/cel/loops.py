"""Macros over lists and maps: what they do when they run, and what it costs."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import msgspec

from podium.api.cel.functions.overloads import LIST_COST, MAP_COST
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


class LoopMacro(msgspec.Struct, frozen=True):
    """A macro over a list or map.

    Attributes:
        run: evaluates the macro, for the items, the frame, and the closures of its arguments.
        step: what each step costs besides the arguments, if its condition holds.
        condition: what is evaluated before each step costs.
        start: the estimated cost of the empty result, which as a constant costs nothing then.
        end: what reading the result costs.
        tests: whether the first argument decides about each step.
    """

    run: Callable[[Any, list[Any], Sequence[Run]], Any]
    step: int
    condition: int = 0
    start: int = 0
    end: int = 1
    tests: bool = False


_LIST_OF = LoopMacro(_transform, 2 + LIST_COST, start=LIST_COST)
LOOPS: Mapping[str, LoopMacro] = {
    "all": LoopMacro(_quantified(False), 1, condition=2),
    "exists": LoopMacro(_quantified(True), 1, condition=3),
    "exists_one": LoopMacro(_exists_one, 2, end=2, tests=True),
    "filter": LoopMacro(_filter, 3 + LIST_COST, start=LIST_COST, tests=True),
    "map": _LIST_OF,
    "transformList": _LIST_OF,
    # Makes the keys; the list itself is bound to a variable, which is read twice.
    "sortBy": LoopMacro(_transform, 2 + LIST_COST, start=2 * LIST_COST, end=3),
    "transformMap": LoopMacro(_transform_map, 3, start=MAP_COST),
    "transformMapEntry": LoopMacro(_transform_entries, 2, start=MAP_COST),
}
"""The macros by name, with the costs of the loops that cel-go makes of them."""
