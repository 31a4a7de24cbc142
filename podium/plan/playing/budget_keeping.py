"""Keeps the budgets of a plan while it is played, as the disruption controller would."""

from collections.abc import Sequence

from podium.api.meta import name, namespace
from podium.control.effects import Effect, Patch
from podium.control.events import Change, Event
from podium.plan.budgets import BudgetBook, Tracked


class BudgetKeeper:
    """The machine that writes what budgets allow.

    Args:
        book: what they allow; the statuses that were loaded are those of its beginning.
        start_s: when the plan begins.
    """

    name = "disruption-controller"
    kinds = frozenset({"Pod"})

    def __init__(self, book: BudgetBook, start_s: float) -> None:
        self._book = book
        self._start_s = start_s
        self._now_s = start_s
        self._touched: dict[int, Tracked] = {}

    def step(self, event: Event, now_s: float) -> Sequence[Effect]:
        """Take in what happens to pods; when woken, write what is allowed now."""
        self._now_s = now_s
        if isinstance(event, Change):
            for tracked in self._book.follow(event.old, event.new):
                self._touched[id(tracked)] = tracked
            return ()
        touched, self._touched = self._touched, {}
        return [
            Patch(
                kind="PodDisruptionBudget",
                namespace=namespace(tracked.pdb),
                name=name(tracked.pdb),
                body={"status": {"disruptionsAllowed": tracked.allowed}},
                subresource="status",
            )
            for tracked in touched.values()
            if tracked.note(now_s - self._start_s)
        ]

    def next_wakeup_s(self) -> float | None:
        """At once after something happened to pods of a budget."""
        return self._now_s if self._touched else None
