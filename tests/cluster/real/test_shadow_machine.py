"""The shadow of a scheduler that a test plays: what it says of placements and preemptions."""

from typing import Any

from podium.api.kinds.builtin_kinds import KINDS
from podium.apiserver.attributes import Attributes
from podium.apiserver.decoding.bodies import PatchType
from podium.apiserver.server import PatchRequest
from podium.cluster.real.shadow import DOUBT_S, ShadowMachine
from podium.cluster.virtual import Cluster, ClusterOptions
from podium.machines.effects import Bind
from podium.scheduler.machine.scheduler_machine import SchedulerMachine
from tests.objects import node, pod, priority_class

MARK = {"type": "DisruptionTarget", "status": "True", "reason": "PreemptionByScheduler"}


class Shadowed:
    """A cluster without a scheduler, and a shadow of the one that the test plays."""

    def __init__(self, *nodes: Any) -> None:
        self.cluster = Cluster(ClusterOptions(schedulers=(), nodes=None, controllers=frozenset()))
        self.cluster.load([*nodes, priority_class("high", 1000)])
        self.cluster.start()
        self.shadow = ShadowMachine(SchedulerMachine())
        self.cluster.driver.add(self.shadow)
        self.cluster.driver.advance(1)

    def _about(self, name: str, subresource: str = "") -> Attributes:
        now_s = self.cluster.driver.now_s
        return Attributes(KINDS["Pod"], "default", name, now_s, subresource)

    def create(self, *pods: Any) -> None:
        for one in pods:
            self.cluster.server.create(self._about(""), one)
        self.cluster.driver.advance(0)

    def bind(self, name: str, node_name: str) -> None:
        uid = self.cluster.store.get("Pod", "default", name)["metadata"]["uid"]  # type: ignore[index]
        binding = Bind(namespace="default", name=name, uid=uid, node_name=node_name).binding
        self.cluster.server.bind(self._about(name), binding)
        self.cluster.driver.advance(0)

    def set_status(self, name: str, **status: Any) -> None:
        request = PatchRequest(PatchType.STRATEGIC, {"status": status})
        self.cluster.server.patch(self._about(name, "status"), request)
        self.cluster.driver.advance(0)

    def judgements(self) -> dict[tuple[str, str], int]:
        self.cluster.driver.advance(DOUBT_S)
        return dict(self.shadow.counts)


def test_placements_agree_at_once_or_later_or_not_at_all() -> None:
    shadowed = Shadowed(node("a", "2"), node("b", "8"))
    shadowed.create(pod("one"), pod("two"), pod("three"))
    shadowed.bind("one", "b")
    assert shadowed.judgements() == {("placement", "agrees"): 1}
    # Podium takes the emptier node, which this one is not.
    shadowed.bind("two", "a")
    assert shadowed.judgements()["placement", "disagrees"] == 1
    # Where it seems wrong at first, as another pod hasn't come to its node yet.
    shadowed.create(pod("large", "7"))
    shadowed.bind("three", "a")
    shadowed.bind("large", "b")
    assert shadowed.judgements()["placement", "agrees-later"] == 1


def test_a_preemption_agrees_where_its_victims_are_those_of_podium() -> None:
    for victim, result in (("small", "agrees"), ("other", "disagrees")):
        shadowed = Shadowed(node("a", "3"))
        shadowed.create(pod("small", "2"), pod("other", "1", priorityClassName="high"))
        shadowed.bind("small", "a")
        shadowed.bind("other", "a")
        shadowed.create(pod("vip", "2", priorityClassName="high"))
        shadowed.set_status(victim, conditions=[MARK])
        shadowed.set_status("vip", nominatedNodeName="a")
        assert shadowed.judgements()["preemption", result] == 1
