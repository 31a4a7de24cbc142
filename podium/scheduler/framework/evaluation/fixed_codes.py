"""Filters whose answers only node objects can change: everything is judged when they are made."""

from collections.abc import Callable

from podium.scheduler.framework.interface import FilterState, Scope
from podium.scheduler.framework.status import Status
from podium.scheduler.snapshot.arrays import Codes, Rows, Sums


class FixedCodes(FilterState):
    """Codes by row, made once.

    Args:
        plugin: the plugin's name.
        codes: int32[nodes].
        explain: a code in words.
    """

    scope = Scope.NODE

    def __init__(self, plugin: str, codes: Codes, explain: Callable[[int], Status]) -> None:
        self.plugin = plugin
        self._codes = codes
        self._explain = explain

    def codes(self, rows: Rows, extra: Sums = ()) -> Codes:
        return self._codes[rows]

    def all_codes(self, node_count: int) -> Codes:
        return self._codes

    def status(self, row: int, code: int) -> Status:
        return self._explain(code)


def fixed_codes(plugin: str, codes: Codes, explain: Callable[[int], Status]) -> FixedCodes | None:
    """The same; None where no row is objected to, which spares everybody a look at them."""
    return FixedCodes(plugin, codes, explain) if codes.any() else None
