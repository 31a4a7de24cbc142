"""DefaultPreemption: makes room for pods that fit nowhere, by removing less important ones.

The work is done in `podium.core.preemption`; this plugin says by which rules.
"""

from podium.config.args import DefaultPreemptionArgs
from podium.core.handle import Handle
from podium.core.pods import PodInfo
from podium.core.status import SUCCESS, Status


class DefaultPreemption:
    """PostFilter of v1.36's default profile.

    Attributes:
        args: how many candidates to look at.
    """

    name = "DefaultPreemption"

    def __init__(self, handle: Handle, args: DefaultPreemptionArgs) -> None:
        self.args = args

    def post_filter(self, pod: PodInfo) -> Status:
        """Not asked: the cycle preempts by itself where this plugin is enabled."""
        return SUCCESS

    def pre_enqueue(self, pod: PodInfo) -> Status:
        """Success: deciding by itself starts no preemption whose end would have to be awaited."""
        return SUCCESS
