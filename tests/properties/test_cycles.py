"""Whole decisions agree with the scalar cycle: filters, scores, preemption, and what follows."""

import json

import numpy as np
from hypothesis import given

from podium.api.objects import Object
from podium.scheduler.config.scheduler_options import VictimOrder
from podium.scheduler.framework.evaluation.evaluation import Evaluation
from podium.scheduler.framework.interface import FITS
from podium.scheduler.preemption.dry_run import NO_VICTIMS, NO_VICTIMS_REASON, DryRun
from podium.scheduler.preemption.victim_order import IMPORTANCE
from podium.scheduler.preemption.victim_table import VictimTables
from podium.scheduler.scheduler import Scheduler
from podium.scheduler.snapshot.pod_info import PodInfo
from podium.simulation.decide.stream import answers
from tests.conformance.comparison import Json, difference
from tests.properties import clusters
from tests.properties.clusters import Obj, Scenes
from tests.properties.mirrors import evaluation_of, loaded, mirrored
from tests.reference.cluster import Cluster
from tests.reference.cycle import pre_filter
from tests.reference.node_affinity import eligible_names
from tests.reference.preemption import Candidate, dry_run
from tests.reference.scenario import answer
from tests.reference.trial import Refusal, Trial, prepare
from tests.reference.verdict import UNRESOLVABLE, UNSCHEDULABLE


def decided(drawn: Obj) -> Json:
    (line,) = answers([json.dumps(drawn).encode()])
    decoded: Json = json.loads(line)
    assert not decoded["error"]
    return decoded


@given(clusters.scenes())
def test_scenarios(scenes: Scenes) -> None:
    """Several pods, each against the same state or one after another, victims and all."""
    for drawn, _ in scenes:
        assert difference(answer(drawn), decided(drawn)) is None


@given(clusters.scenes())
def test_dry_run(scenes: Scenes) -> None:
    """On every node where it could help, whether all are run at once or one by one."""
    for drawn, _ in scenes:
        scheduler, scenario = loaded(drawn)
        cluster = mirrored(scheduler, scenario.pdbs)
        for pod in map(scheduler.pending, scenario.pending):
            expected = {
                trial.node["metadata"]["name"]: in_columns(dry_run(trial, cluster.budgets))
                for trial in promising(cluster, pod.obj)
            }
            rows = [scheduler.snapshot.row_of[name] for name in expected]
            for steps in [rows], [[row] for row in rows]:
                run, evaluation = dry_run_of(scheduler, pod, steps)
                found = [found_on(run, evaluation, row) for row in rows]
                assert found == [*expected.values()]
            scheduler.nominator.withdraw(pod)


def promising(cluster: Cluster, pod: Object) -> list[Trial]:
    """The nodes that the pod fits, or could fit without others."""
    if pre_filter(cluster, pod) is not None:
        return []
    states, names = prepare(cluster, pod), eligible_names(pod, cluster.nodes)
    named = [n for n in cluster.nodes if names is None or n["metadata"]["name"] in names]
    trials = [Trial(cluster, pod, node, states) for node in named]
    refusals = [trial.refusal() for trial in trials]
    return [
        trial
        for trial, refusal in zip(trials, refusals, strict=True)
        if refusal is None or refusal.code == UNSCHEDULABLE
    ]


def in_columns(result: Candidate | Refusal) -> tuple[object, ...]:
    if isinstance(result, Refusal):
        return result
    keys = [f"{v['metadata']['namespace']}/{v['metadata']['name']}" for v in result.victims]
    return keys, result.violations


def dry_run_of(
    scheduler: Scheduler, pod: PodInfo, steps: list[list[int]]
) -> tuple[DryRun, Evaluation]:
    """A new dry run that was asked about these rows in turn."""
    evaluation = evaluation_of(scheduler, pod)
    order = IMPORTANCE[VictimOrder.DEFAULT]
    tables = VictimTables(scheduler.snapshot, scheduler.budgets, order)
    run = DryRun(tables, scheduler.nominator)
    for rows in steps:
        all_rows = np.arange(scheduler.snapshot.node_count)
        run.update(pod, evaluation.filtering, np.isin(all_rows, rows))
    return run, evaluation


def found_on(run: DryRun, evaluation: Evaluation, row: int) -> tuple[object, ...]:
    assert run.is_candidate[row] == (run.outcome[row] == FITS)
    if run.is_candidate[row]:
        assert run.victim_count[row] == len(run.victims_on(row))
        return [victim.key for victim in run.victims_on(row)], int(run.violations[row])
    if run.blame[row] == NO_VICTIMS:
        return Refusal("", UNRESOLVABLE, (NO_VICTIMS_REASON,))
    status = evaluation.filtering.status(int(run.blame[row]), int(run.outcome[row]), row)
    return Refusal(status.plugin, status.code.value, status.reasons)
