"""Who waits and who is disrupted, by priority class, out of what has happened to each pod."""

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from statistics import median

from podium.api.disruption import EVICTED, LOST, PREEMPTED, cause_of_reason
from podium.api.objects import Object, name, namespace
from podium.simulation.observing import Entry

AT_ONCE_S = 1.0
"""Who is placed within this time hasn't waited for room, but for calls."""

CAUSES = (PREEMPTED, EVICTED, LOST)
"""Why pods are disrupted."""

_ENDS = ("PodTerminating", "PodFailed", "PodGone")


@dataclass(slots=True)
class ClassSummary:
    """How the pods of one priority class fared.

    Attributes:
        priority_class: its name; empty for pods that name none.
        priority: the highest of its pods.
        pods: how many there have been, those included that replace others.
        placed_before: how many had a node at the start.
        waits_s: how long each of those took that were given a node since, in seconds.
        disrupted: how many were `preempted` by pods of higher priority, `evicted` through the API
            or for a taint, `lost` with their node or stopped by it.
    """

    priority_class: str
    priority: int
    pods: int = 0
    placed_before: int = 0
    waits_s: list[float] = field(default_factory=list)
    disrupted: Counter[str] = field(default_factory=Counter)

    @property
    def placed_at_once(self) -> int:
        """How many were given a node without waiting."""
        return len(self.waits_s) - self.waited

    @property
    def waited(self) -> int:
        """How many were given a node after they had waited."""
        return sum(wait_s > AT_ONCE_S for wait_s in self.waits_s)

    @property
    def never_placed(self) -> int:
        """How many had no node up to their end, or the simulation's."""
        return self.pods - self.placed_before - len(self.waits_s)

    def median_wait_s(self) -> float:
        """Of those that waited; 0 if nobody did."""
        waits_s = [wait_s for wait_s in self.waits_s if wait_s > AT_ONCE_S]
        return round(median(waits_s), 6) if waits_s else 0.0

    def longest_wait_s(self) -> float:
        """Of those that waited; 0 if nobody did."""
        return max((wait_s for wait_s in self.waits_s if wait_s > AT_ONCE_S), default=0.0)


@dataclass(slots=True)
class _Life:
    """A pod: its class, when it began to wait (None once it has a node), and if it's disrupted."""

    summary: ClassSummary
    waits_since_s: float | None
    disrupted: bool = False


def sum_up(entries: Iterable[Entry], pods_before: Iterable[Object]) -> list[ClassSummary]:
    """What became of pods, the highest priority first.

    Args:
        entries: what happened.
        pods_before: the pods that were there at the start.
    """
    summaries: dict[str, ClassSummary] = {}
    # By namespace and name: pods of StatefulSets come again under theirs.
    lives = dict(_lives_before(summaries, pods_before))
    for entry in entries:
        if entry.kind != "Pod":
            continue
        place = (entry.namespace, entry.name)
        if entry.type == "PodCreated":
            details = entry.details
            summary = _count_in(summaries, details.get("priorityClass", ""), details["priority"])
            lives[place] = _Life(summary, entry.at_s)
        elif entry.type == "PodBound":
            _bind(lives[place], entry.at_s)
        elif entry.type in _ENDS:
            _disrupt(lives[place], str(entry.details.get("disruption", "")))
    return sorted(summaries.values(), key=lambda one: (-one.priority, one.priority_class))


def _lives_before(
    summaries: dict[str, ClassSummary], pods: Iterable[Object]
) -> Iterator[tuple[tuple[str, str], _Life]]:
    for pod in pods:
        spec = pod["spec"]
        called, priority = spec.get("priorityClassName") or "", spec.get("priority") or 0
        summary = _count_in(summaries, called, priority)
        is_placed = bool(spec.get("nodeName"))
        summary.placed_before += is_placed
        yield (namespace(pod), name(pod)), _Life(summary, None if is_placed else 0.0)


def _count_in(summaries: dict[str, ClassSummary], called: str, priority: int) -> ClassSummary:
    """The summary of a class, with one pod more."""
    summary = summaries.setdefault(called, ClassSummary(called, priority))
    summary.priority = max(summary.priority, priority)
    summary.pods += 1
    return summary


def _bind(life: _Life, at_s: float) -> None:
    if life.waits_since_s is not None:
        life.summary.waits_s.append(round(at_s - life.waits_since_s, 6))
        life.waits_since_s = None


def _disrupt(life: _Life, disruption: str) -> None:
    """Count why a pod goes, once."""
    found = cause_of_reason(disruption)
    if found is None or life.disrupted:
        return
    life.disrupted = True
    life.summary.disrupted[found.group] += 1
