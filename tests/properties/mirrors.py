"""Schedulers made from scenarios, and the plain cluster that a scheduler stands for at any time."""

from collections.abc import Sequence

import numpy as np

from podium.api.documents.document import read
from podium.api.objects import Object
from podium.api.policy.disruption_budgets import Budget
from podium.scheduler.framework.evaluation.evaluation import Evaluation
from podium.scheduler.framework.handle import Handle
from podium.scheduler.framework.interface import FITS, FilterState
from podium.scheduler.framework.status import SUCCESS
from podium.scheduler.scheduler import Scheduler
from podium.scheduler.snapshot.arrays import Rows
from podium.scheduler.snapshot.pod_info import PodInfo
from podium.simulation.decide.scenario import OTHERS, DecisionScenario
from tests.properties.clusters import Obj
from tests.properties.volume_clusters import in_words
from tests.reference.cluster import Cluster
from tests.reference.node_ports import UsedPorts
from tests.reference.verdict import Verdict

PROFILE = "default-scheduler"


def loaded(drawn: Obj) -> tuple[Scheduler, DecisionScenario]:
    """A scheduler with the state of a scenario."""
    scenario = read(DecisionScenario, drawn).filled()
    scheduler = Scheduler(every_node=True)
    scheduler.load(scenario.nodes, scenario.pods, scenario.others)
    scheduler.budgets.replace(map(Budget.of, scenario.pdbs))
    return scheduler, scenario


def handle(scheduler: Scheduler) -> Handle:
    return Handle(scheduler.snapshot, scheduler.listers)


def evaluation_of(scheduler: Scheduler, pod: PodInfo) -> Evaluation:
    return Evaluation(
        scheduler.pipelines[PROFILE],
        scheduler.snapshot,
        scheduler.listers,
        scheduler.nominator,
        pod,
    )


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
    """Each node's, in the order of the mirrored cluster."""
    return verdicts_at(state, np.array(list(scheduler.snapshot.row_of.values())))


def verdicts_at(state: FilterState | None, rows: Rows) -> list[Verdict]:
    """Each row's; all at once and one by one must agree."""
    if state is None:
        return [None] * len(rows)
    codes = state.codes(rows)
    assert codes.dtype == np.int32
    assert codes.tolist() == state.all_codes(int(rows.max()) + 1)[rows].tolist()
    assert codes.tolist() == [state.code(row) for row in rows.tolist()]
    return [verdict(state, *pair) for pair in zip(rows.tolist(), codes.tolist(), strict=True)]


def verdict_without(
    state: FilterState | None, row: int, gone: Sequence[PodInfo], come: Sequence[PodInfo]
) -> Verdict:
    """A row's without some of its pods and with others; arrays and plain integers must agree."""
    if state is None:
        return None
    changes = [*((-1, pod) for pod in gone), *((1, pod) for pod in come)]
    state.register_classes([pod.cls for _, pod in changes])
    extra = np.zeros(state.width, np.int64)
    for sign, pod in changes:
        extra += sign * np.array(state.weights(pod.cls), np.int64)
    code = state.code(row, extra.tolist())
    assert state.codes(np.array([row]), [*extra.reshape(-1, 1)]).tolist() == [code]
    return verdict(state, row, code)


def verdict(state: FilterState, row: int, code: int) -> Verdict:
    status = state.status(row, code) if code != FITS else SUCCESS
    assert ("Unresolvable" in status.code) == (code < 0)
    return in_words(status)
