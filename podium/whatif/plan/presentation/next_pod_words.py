"""Sentences about running pods that keep a priority which their successors don't get."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

from podium.api.values.message_words import count, listed

if TYPE_CHECKING:
    from podium.whatif.plan.plan_report import NextPod, StalePriority

_SHOWN_MAX = 3


def stale_sentences(found: "Iterable[StalePriority]") -> Iterator[str]:
    """Yield a sentence, without its full stop, for each stale priority.

    It says how many pods have the priority, and what the next pods do; if several workloads have
    it, the next pods of the workload whose next pods preempt most.
    """
    groups: dict[tuple[object, ...], list[StalePriority]] = defaultdict(list)
    for one in found:
        groups[one.priority, one.next_priority, one.next_class, one.refusal].append(one)
    for group in groups.values():
        pods = sum(stale_priority.pods for stale_priority in group)
        keep = "keeps" if pods == 1 else "keep"
        worst = max(
            group,
            key=lambda one: (max((len(n.preempted) for n in one.next_pods), default=-1), one.pods),
        )
        what = "; ".join(next_pod_clauses(worst))
        yield (
            f"{count(pods, 'running pod')} {keep} priority {group[0].priority}, {_instead(group)}"
            f"{': ' if what else ''}{what}"
        )


def keeping(one: "StalePriority") -> str:
    """Describe how many pods of a workload keep a priority, and which priority new pods get."""
    keep = "keeps" if one.pods == 1 else "keep"
    return f"{count(one.pods, 'pod')} {keep} priority {one.priority}, {_instead([one])}"


def next_pod_clauses(stale_priority: "StalePriority", *, is_named: bool = True) -> Iterator[str]:
    """Yield a clause about each trial of a workload's next pod."""
    for next_pod in stale_priority.next_pods:
        workload = stale_priority.workload if is_named else "the workload"
        if next_pod.is_replacement:
            subject = f"the next pod of {workload}"
        else:
            likeness = f"the requests of {workload}" if is_named else "these requests"
            subject = f"a new pod with {likeness}"
        yield f"{subject} {_fate(next_pod)}"


def _fate(found: "NextPod") -> str:
    if found.preempted:
        own = [lost.pod for lost in found.preempted if lost.by == found.pod]
        others = len(found.preempted) - len(own)
        text = f"preempts {listed(own, _SHOWN_MAX)}" if own else "preempts no pod itself"
        at_least = "at least " if found.cut_short else ""
        give = "gives" if others == 1 else "give"
        return f"{text}, and {at_least}{others} more {give} way in turn" if others else text
    if not found.pod:
        return f"isn't let in: {found.message}"
    if found.node:
        return f"finds room on {found.node}"
    return f"stays pending: {found.message}"


def _instead(group: "Sequence[StalePriority]") -> str:
    one = group[0]
    if one.refusal:
        owners = listed([other.workload for other in group], _SHOWN_MAX)
        return f"and the API refuses new pods of {owners}: {one.refusal}"
    if not one.next_class:
        return f"and new ones get {one.next_priority}, as there is no default class any more"
    how = "the default" if one.by_default else "which they name"
    return f"and new ones get {one.next_priority} of PriorityClass {one.next_class}, {how}"
