"""Tries whether a gang finds places together, before anything is done for any of its pods."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import msgspec
from msgspec.structs import replace

from podium.api.pods import scheduler_name_of
from podium.core.decision import Decision
from podium.core.diagnosis import rejecting_plugins
from podium.core.explanation import failure_message
from podium.core.framework import PostFilterResult
from podium.core.pods import PodInfo
from podium.scheduler import Scheduler, rehearsal

Tell = Callable[[Decision], None]


class Place(msgspec.Struct, frozen=True):
    """Where a pod of a gang goes.

    Attributes:
        pod: the pod.
        node_name: the node.
        found: who has to go first, as DefaultPreemption says; None if it fits.
    """

    pod: PodInfo
    node_name: str
    found: PostFilterResult | None


@dataclass(frozen=True, slots=True)
class Trial:
    """What came of it.

    Attributes:
        places: of the pods that find one.
        is_success: whether these are as many as there must be.
        message: why the first pod that finds none doesn't; empty if all do.
        plugins: who rejected any of them, or would have without victims.
    """

    places: Sequence[Place]
    is_success: bool
    message: str
    plugins: frozenset[str]

    @property
    def victims(self) -> list[PodInfo]:
        """Who has to go."""
        found = (place.found for place in self.places)
        return [pod for one in found if one is not None for pod in one.victims]


def try_gang(
    scheduler: Scheduler,
    pods: Sequence[PodInfo],
    least: int,
    *,
    preempts: bool = True,
    tell: Tell | None = None,
) -> Trial:
    """Decide the pods of a gang one after the other, each as if those before had their places.

    Args:
        scheduler: as it was when this returns.
        pods: the more important ones first.
        least: how many of them have to find a place. Beyond that nobody has to go for one.
        preempts: whether anybody may have to go at all.
        tell: told of each decision right after it was made; of preemptions only if they count.
    """
    places, message, plugins = list[Place](), "", set[str]()
    with rehearsal(scheduler, pods) as rehearsed:
        for pod in pods:
            decision = scheduler.decide(pod, scheduler_name_of(pod.obj))
            if not decision.node_name:
                plugins |= set(rejecting_plugins(decision))
            found = decision.post_filter
            takes = found is not None and bool(found.victims)
            if takes and (not preempts or len(places) >= least):
                takes, decision = False, replace(decision, post_filter=None, preemption=None)
            if tell is not None:
                tell(decision)
            if decision.node_name or takes:
                node_name = rehearsed.carry_out(decision)
                places.append(Place(pod, node_name, found if takes else None))
            elif not message:
                message = failure_message(decision, scheduler.snapshot)
    return Trial(places, len(places) >= least, message, frozenset(plugins))
