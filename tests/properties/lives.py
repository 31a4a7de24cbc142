"""The life of a scheduler: pods, nodes, nominations and objects come, change and go at random."""

from collections.abc import Callable

from podium.api.pods import DEFAULT_SCHEDULER_NAME
from podium.api.policy.disruption_budgets import Budget
from podium.scheduler.scheduler import Scheduler
from podium.scheduler.snapshot.pod_info import PodInfo, placed_pod
from podium.simulation.decide.scenario import OTHERS
from tests.properties import clusters
from tests.properties.clusters import Obj
from tests.properties.mirrors import loaded, placed
from tests.properties.volume_clusters import Dice

NODES_MAX = 11


class Life:
    """A long-lived scheduler, and what happens to it.

    Attributes:
        scheduler: the one whose life it is.
        asked: pods that wait all the time, to be decided again and again.
    """

    def __init__(self, drawn: Obj, dice: Dice) -> None:
        self.scheduler, scenario = loaded(drawn)
        related = [clusters.related_pod(dice, f"r{index}") for index in range(2)]
        self.asked = [self.scheduler.pending(pod) for pod in (*scenario.pending, *related)]
        self._dice = dice
        self._born = 0
        # Pods of few kinds, so that classes of pods meet again.
        self._kinds = [clusters.pod(dice, "kind") for _ in range(5)]
        self._waiting: list[PodInfo] = []

    def step(self) -> None:
        """Let one thing happen."""
        happenings: list[Callable[[], None]] = [
            *[self._pod_comes] * 4,
            *[self._pod_goes] * 3,
            *[self._pod_is_bound] * 3,
            *[self._pod_preempts] * 2,
            *[self._pod_is_nominated] * 2,
            self._nomination_is_withdrawn,
            self._node_changes,
            self._node_goes,
            self._node_comes,
            self._budgets_change,
            self._object_changes,
        ]
        self._dice.one(*happenings)()

    def _new_pod(self) -> PodInfo:
        self._born += 1
        kind = self._dice.one(*self._kinds)
        name = f"born-{self._born}"
        metadata = {**kind["metadata"], "name": name, "uid": name}
        status = self._dice.fields(50, startTime=self._dice.one(*clusters.TIMES))
        return self.scheduler.pending({**kind, "metadata": metadata, "status": status})

    def _some_node(self) -> str:
        return str(self._dice.one(*self.scheduler.snapshot.row_of, "unknown"))

    def _pod_comes(self) -> None:
        snapshot = self.scheduler.snapshot
        snapshot.add_pod(placed_pod(self._new_pod().obj, snapshot.classes), self._some_node())

    def _pod_goes(self) -> None:
        here = placed(self.scheduler)
        if here:
            self.scheduler.snapshot.remove_pod(self._dice.one(*here))

    def _pod_is_bound(self) -> None:
        """Half of the bound pods are only assumed, and give back what they have reserved."""
        pod = self._new_pod()
        decision = self.scheduler.decide(pod)
        if decision.node_name:
            bound = self.scheduler.bind(pod, decision.node_name)
            cycle = self.scheduler.binding[DEFAULT_SCHEDULER_NAME]
            assert cycle.reserve(pod, decision.node_name).is_success
            if self._dice.chance(50):
                cycle.unreserve(pod, decision.node_name)
                self.scheduler.snapshot.remove_pod(bound)

    def _pod_preempts(self) -> None:
        pod = self._dice.one(*self.asked, self._new_pod())
        self.scheduler.preempt(self.scheduler.decide(pod))
        if pod.nominated_node_name and pod not in self.asked:
            self._waiting.append(pod)

    def _pod_is_nominated(self) -> None:
        pod = self._dice.one(*self.asked, self._new_pod())
        self.scheduler.nominator.nominate(pod, self._some_node())
        if pod not in self.asked:
            self._waiting.append(pod)

    def _nomination_is_withdrawn(self) -> None:
        self.scheduler.nominator.withdraw(self._dice.one(*self.asked, *self._waiting))

    def _node_changes(self) -> None:
        name = self._some_node()
        if name in self.scheduler.snapshot.row_of:
            self.scheduler.snapshot.set_node(clusters.node(self._dice, name))

    def _node_goes(self) -> None:
        if self.scheduler.snapshot.node_count > 1:
            self.scheduler.snapshot.remove_node(self._dice.one(*self.scheduler.snapshot.row_of))

    def _node_comes(self) -> None:
        """One that was there before, with its pods, or another, or several."""
        names = [f"n{index}" for index in range(NODES_MAX)]
        missing = [name for name in names if name not in self.scheduler.snapshot.row_of]
        coming = self._dice.some(missing, min(3, len(missing)))
        self.scheduler.snapshot.set_nodes([clusters.node(self._dice, name) for name in coming])

    def _budgets_change(self) -> None:
        budgets = [clusters.budget(self._dice, f"b{index}") for index in range(2)]
        self.scheduler.budgets.replace(map(Budget.of, budgets))

    def _object_changes(self) -> None:
        dice = self._dice
        name = dice.one(*clusters.NAMESPACES)
        labels = dice.fields(70, kind=dice.one("lab", "prod"))
        claim = dice.one(*self.scheduler.listers.list("PersistentVolumeClaim"))
        change = dice.one(
            {"kind": "Namespace", "metadata": {"name": name, "labels": labels}},
            {
                "kind": "Service",
                "metadata": {"name": "s", "namespace": name},
                "spec": {"selector": {"app": dice.one(*clusters.APPS)}},
            },
            {**claim, "spec": {**claim["spec"], "accessModes": ["ReadWriteOncePod"]}},
        )
        if dice.chance(25) and change["kind"] != "PersistentVolumeClaim":
            self.scheduler.listers.remove(change)
        else:
            self.scheduler.listers.set(change)


def reborn(scheduler: Scheduler) -> Scheduler:
    """A new scheduler with the state of another."""
    new, snapshot = Scheduler(every_node=True), scheduler.snapshot
    new.snapshot.set_nodes([snapshot.nodes[row] for row in snapshot.row_of.values()])
    for kind in OTHERS.values():
        for obj in scheduler.listers.list(kind):
            new.listers.set(obj)
    for name, row in snapshot.row_of.items():
        for pod in snapshot.pods_on[row]:
            new.snapshot.add_pod(placed_pod(pod.obj, new.snapshot.classes), name)
        for pod in scheduler.nominator.on(name):
            new.nominator.nominate(again(new, pod), name)
    # Which pod left that held a port as well can't be seen from those that are there.
    new.snapshot.freed_ports = {
        new.snapshot.row_of[name]: snapshot.freed_ports[row]
        for name, row in snapshot.row_of.items()
        if row in snapshot.freed_ports
    }
    new.budgets.replace(scheduler.budgets.budgets)
    return new


def again(scheduler: Scheduler, pod: PodInfo) -> PodInfo:
    """The same pending pod, in another scheduler; nominated where it is, but not counted there."""
    same = scheduler.pending({**pod.obj, "status": {**pod.obj["status"], "nominatedNodeName": ""}})
    same.nominated_node_name = pod.nominated_node_name
    return same
