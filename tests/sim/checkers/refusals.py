"""Where nobody and nothing interferes, the kubelet never has to refuse a pod."""

from podium.api import objects as meta
from tests.sim.checkers.checker import Checker


class Refusals(Checker):
    """The end-to-end side of keeping to what nodes have."""

    def at_rest(self) -> None:
        if self.world.settings.is_calm:
            refused = [
                meta.key(pod)
                for pod in self.world.store.list("Pod").items
                if (pod.get("status") or {}).get("reason")
            ]
            assert not refused
