"""Schedulers made from scenarios, and the plain cluster that a scheduler stands for at any time."""

from collections.abc import Sequence

import numpy as np

from podium.api.documents.document import read
from podium.api.objects import Object
from podium.api.policy.disruption_budgets import Budget
from podium.scheduler.framework.handle import Handle
from podium.scheduler.framework.interface import FITS, FilterState
from podium.scheduler.scheduler import Scheduler
from podium.scheduler.snapshot.pod_info import PodInfo
from podium.simulation.decide.scenario import OTHERS, DecisionScenario
from tests.properties.clusters import Obj
from tests.properties.volume_clusters import in_words
from tests.reference.cluster import Cluster
from tests.reference.node_ports import UsedPorts
from tests.reference.verdict import Verdict


def loaded(drawn: Obj) -> tuple[Scheduler, DecisionScenario]:
    """A scheduler with the state of a scenario."""
    scenario = read(DecisionScenario, drawn).filled()
    scheduler = Scheduler(every_node=True)
    scheduler.load(scenario.nodes, scenario.pods, scenario.others)
    scheduler.budgets.replace(map(Budget.of, scenario.pdbs))
    return scheduler, scenario


def handle(scheduler: Scheduler) -> Handle:
    return Handle(scheduler.snapshot, scheduler.listers)


def mirrored(scheduler: Scheduler, budgets: Sequence[Object] = ()) -> Cluster:
    """The state of a scheduler as plain objects; only budgets must be told."""
    snapshot = scheduler.snapshot
    objects = [obj for kind in OTHERS.values() for obj in scheduler.listers.list(kind)]
    cluster = Cluster([snapshot.nodes[row] for row in snapshot.row_of.values()], objects=objects)
    cluster.budgets = list(budgets)
    for name, row in snapshot.row_of.items():
        cluster.pods[name] = []
        for pod in snapshot.pods_on[row]:
            cluster.add(pod.obj, name)
        cluster.ports.setdefault(name, UsedPorts()).ports -= snapshot.freed_ports.get(row, set())
        cluster.nominated[name] = [pod.obj for pod in scheduler.nominator.on(name)]
    return cluster


def placed(scheduler: Scheduler) -> list[PodInfo]:
    """All pods on nodes."""
    return [pod for pods in scheduler.snapshot.pods_on for pod in pods]


def row_of(scheduler: Scheduler, node: Object) -> int:
    return scheduler.snapshot.row_of[node["metadata"]["name"]]


def verdicts(scheduler: Scheduler, state: FilterState | None) -> list[Verdict]:
    """Each node's, in the order of the mirrored cluster; all at once and one by one must agree."""
    rows = np.array(list(scheduler.snapshot.row_of.values()))
    if state is None:
        return [None] * len(rows)
    codes = state.codes(rows).tolist()
    assert codes == [state.code(row) for row in rows.tolist()]
    return [verdict(state, row, code) for row, code in zip(rows.tolist(), codes, strict=True)]


def verdict_without(
    state: FilterState | None, row: int, gone: Sequence[PodInfo], come: Sequence[PodInfo]
) -> Verdict:
    """A row's without some of its pods and with others; arrays and plain integers must agree."""
    if state is None:
        return None
    changes = [*((-1, pod) for pod in gone), *((1, pod) for pod in come)]
    state.register_classes([pod.cls for _, pod in changes])
    weights = [(sign, state.weights(pod.cls)) for sign, pod in changes]
    extra = [0] * state.width
    for sign, of_pod in weights:
        extra = [amount + sign * weight for amount, weight in zip(extra, of_pod, strict=True)]
    code = state.code(row, extra)
    assert state.codes(np.array([row]), [np.array([amount]) for amount in extra]) == [code]
    return verdict(state, row, code)


def verdict(state: FilterState, row: int, code: int) -> Verdict:
    return None if code == FITS else in_words(state.status(row, code))
