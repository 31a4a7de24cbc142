"""DefaultPreemption: makes room for pods that fit nowhere, by removing less important ones.

The work is done in `podium.core.preemption`; this plugin says by which rules.
"""

from collections.abc import Callable, Sequence

from podium.config.args import DefaultPreemptionArgs
from podium.core.cluster_events import EventHint, EventResource, Object
from podium.core.handle import Handle
from podium.core.hints import after_removal
from podium.core.pods import PodInfo
from podium.core.status import SUCCESS, Status, unresolvable

_UNDER_WAY = "waiting for the preemption for this pod to be finished"


class DefaultPreemption:
    """PostFilter of v1.36's default profile.

    Attributes:
        args: how many candidates to look at.
        keeps_waiting: whether a pod's preemption is still being carried out; whoever carries
            preemptions out over time puts its own answer here.
    """

    name = "DefaultPreemption"

    def __init__(self, handle: Handle, args: DefaultPreemptionArgs) -> None:
        self.args = args
        self.keeps_waiting: Callable[[PodInfo], bool] = _never

    def events_to_register(self) -> Sequence[EventHint]:
        """Look at pods that are held back when a pod goes; whether that helps, others must say."""
        return (after_removal(EventResource.ASSIGNED_POD, _by_itself),)

    def post_filter(self, pod: PodInfo) -> Status:
        """Not asked: the cycle preempts by itself where this plugin is enabled."""
        return SUCCESS

    def pre_enqueue(self, pod: PodInfo) -> Status:
        """A pod isn't tried again before its victims have been told to go."""
        return unresolvable(_UNDER_WAY) if self.keeps_waiting(pod) else SUCCESS


def _never(pod: PodInfo) -> bool:
    return False


def _by_itself(pod: PodInfo, gone: Object) -> bool:
    return False
