"""What becomes of the drains that a plan is asked about."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Annotated, Literal

from pydantic import Field

from podium.api.documents.report import IF_ANY, IF_KNOWN, Report
from podium.api.values.counts import listed
from podium.cluster.virtual.loading.overdue_pods import WAY_OUT
from podium.simulation.runner.drain import Drainer
from podium.simulation.runner.eviction_advice import DELETION, advised

_NAMED_MAX = 5


@dataclass(frozen=True, slots=True)
class DrainBlocker(Report):
    """A budget in the way of a drain.

    Attributes:
        budget: `namespace/name`.
        pods: those of the node that it selects, and that are still to go.
        reason: why it refuses their eviction.
        remedies: changes of which each was seen to have it let one of them go.
    """

    budget: str
    pods: Sequence[str]
    reason: str = ""
    remedies: tuple[str, ...] = ()

    @property
    def text(self) -> str:
        """Why it refuses, and what would help, in one sentence."""
        return advised(self.reason, self.remedies)


@dataclass(frozen=True, slots=True, kw_only=True)
class Drainage(Report):
    """A node that is to be drained.

    Attributes:
        node: its name.
        state: `Done`, `Failed` if it can't be, `Open` if the plan ended before.
        evicted: how many pods were evicted.
        at_s: when it was done, in seconds since the plan began.
        message: why it failed.
        left: the pods that are still to go, `namespace/name`.
        held: the pods that have to go and stay, as the node doesn't answer, likewise.
        blockers: the budgets that select them.
        reasons: what keeps them, which budget, and what would help.
    """

    node: str
    state: Literal["Done", "Failed", "Open"]
    evicted: int
    at_s: Annotated[float | None, IF_KNOWN, Field(serialization_alias="at")] = None
    message: Annotated[str, IF_ANY] = ""
    left: tuple[str, ...] = ()
    held: Annotated[tuple[str, ...], IF_ANY] = ()
    blockers: tuple[DrainBlocker, ...] = ()
    reasons: tuple[str, ...] = ()

    @property
    def text(self) -> str:
        """What keeps it from being done, in a few words."""
        reasons = "; ".join(self.reasons)
        waits = f"{', '.join(self.left)} can't be evicted" if self.left else "its pods take longer"
        if self.held:
            reasons = "; ".join((*self.reasons, WAY_OUT))
            stay = f"{listed(self.held, _NAMED_MAX)} can't end, as the node doesn't answer"
            waits = f"{waits}, and {stay}" if self.left else stay
        waits = self.message or waits
        return f"{waits}: {reasons}" if reasons else waits


def drainages(drainers: Iterable[Drainer], start_s: float) -> Iterator[Drainage]:
    """The drains that have begun, in order; times are seconds since `start_s`."""
    for one in drainers:
        done = one.state == "done"
        blocks = one.blocks()
        reasons = [block.text for block in blocks]
        yield Drainage(
            node=one.drain.node,
            state="Done" if done else "Failed" if one.state == "failed" else "Open",
            evicted=one.evicted,
            at_s=round(one.moved_s - start_s, 3) if done else None,
            message=one.failure,
            left=tuple(one.left()),
            held=tuple(one.held_by_silence()),
            blockers=tuple(
                DrainBlocker(budget, block.pods, block.reason, block.remedies)
                for block in blocks
                for budget in block.budgets
            ),
            reasons=(*reasons, DELETION) if reasons else (),
        )
