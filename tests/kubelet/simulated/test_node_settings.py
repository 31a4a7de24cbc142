"""What settings of simulated nodes change."""

from podium.kubelet.simulated.behaviour import NodeSettings
from podium.kubelet.simulated.simulated_kubelets import SimulatedKubelets
from podium.machines.effects import Patch
from tests.controllers.builders import Hand
from tests.kubelet.builders import node, pod


def test_kubelets_look_after_all_news_that_have_gathered_at_once() -> None:
    hand = Hand(SimulatedKubelets(NodeSettings(gathers_s=0.05)))
    hand.start(node())
    hand.wake(0)
    for name in ("p", "q"):
        hand.tell(pod(name))
    assert hand.wake(0.04) == []
    patches = [one for one in hand.wake(0.06) if isinstance(one, Patch)]
    assert [one.name for one in patches] == ["p", "q"]
