"""Trials of the next pods of workloads, in copies of the simulated cluster that lint checks.

Lint imports the module only when running pods have successors with another priority.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence

from podium.api.kinds.snapshot_kinds import decisive
from podium.api.objects import Object, controller_key, uid_of
from podium.api.pods import node_name_of
from podium.api.workloads import TEMPLATED
from podium.whatif.plan.next_pods import tried
from podium.whatif.plan.outcome.stale_priorities import StalePods
from podium.whatif.plan.plan_report import StalePriority
from podium.whatif.plan.play import Play
from podium.whatif.plan.presentation.next_pod_words import stale_sentences
from podium.whatif.plan.request import NEXT_PODS_MAX, LoadedState, PlanRequest


def next_pod_sentences(
    objects: Iterable[Object], stale: Sequence[StalePods]
) -> Iterator[tuple[Sequence[StalePods], str]]:
    """Describe trials of the next pods of workloads, grouped by the change of priority.

    Pending pods, and workloads that aren't in the cluster yet, are left out of the simulation, so
    that nothing else changes.
    """
    there = decisive(objects)
    owning = {above for obj in there.values() if (above := controller_key(obj))}
    state = []
    for identity, obj in there.items():
        is_new = identity[0] in TEMPLATED and not uid_of(obj) and identity not in owning
        is_waiting = identity[0] == "Pod" and not node_name_of(obj)
        if not (is_new or is_waiting):
            state.append(obj)
    has_nodes = any(obj["kind"] == "Node" for obj in state)
    play = Play(PlanRequest(LoadedState(state), is_whole=True), changes_later=True)
    groups = defaultdict[object, list[tuple[StalePods, StalePriority]]](list)
    for one, row in zip(stale, tried(play, stale, NEXT_PODS_MAX if has_nodes else 0), strict=True):
        groups[one.priority, one.next_priority, one.next_class].append((one, row))
    for group in groups.values():
        pods, rows = zip(*group, strict=True)
        yield pods, "; ".join(stale_sentences(rows))
