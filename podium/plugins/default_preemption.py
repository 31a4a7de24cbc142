"""DefaultPreemption: makes room for pods that fit nowhere, by removing less important ones.

The work is done in `podium.core.preemption`; this plugin says by which rules.
"""

from collections.abc import Callable

from podium.config.args import DefaultPreemptionArgs
from podium.core.handle import Handle
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

    def post_filter(self, pod: PodInfo) -> Status:
        """Not asked: the cycle preempts by itself where this plugin is enabled."""
        return SUCCESS

    def pre_enqueue(self, pod: PodInfo) -> Status:
        """A pod isn't tried again before its victims have been told to go."""
        return unresolvable(_UNDER_WAY) if self.keeps_waiting(pod) else SUCCESS


def _never(pod: PodInfo) -> bool:
    return False
