"""Small clusters in which pods of higher classes come, seed by seed, and who they preempt."""

import json
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import chain, starmap
from random import Random
from typing import Any

import pytest

from podium.api.objects import Object
from podium.api.pods import is_ready
from podium.scheduler.framework.cycle.decision import Decision
from podium.scheduler.scheduler import Scheduler
from podium.scheduler.snapshot.pod_info import PodInfo
from podium.simulation.runner.scenario_runner import Simulation, simulate
from podium.simulation.scenario.scenario_document import read_scenario
from tests import objects
from tests.covering import covers

OPTIONS = {"apiVersion": "podium.dev/v1alpha1", "kind": "SchedulerOptions"}
CONFIGURATION = {
    "apiVersion": "kubescheduler.config.k8s.io/v1",
    "kind": "KubeSchedulerConfiguration",
}
CLASSES = {"urgent": 1000, "normal": 500, "batch": 100}
PERIOD_S = 600


@dataclass(frozen=True)
class Taken:
    """A victim, as it was when it was chosen, and the budgets that the choice violates."""

    at_s: float
    preemptor: PodInfo
    victim: PodInfo
    obj: Object
    violated: list[str]


def world(seed: int, **extra: Any) -> dict[str, Any]:
    """Deployments of low classes with budgets, and pods of high classes that come and go."""
    rng = Random(seed)
    workloads = [
        _workload(rng, f"{name}-{n}", name) for name in ("batch", "normal") for n in range(2)
    ]
    classes = starmap(objects.priority_class, CLASSES.items())
    return {
        "apiVersion": "podium.dev/v1alpha1",
        "kind": "Scenario",
        "spec": {
            "seed": seed,
            "until": f"{PERIOD_S}s",
            "nodes": [{"name": "n-", "count": 3, "capacity": {"cpu": "4", "memory": "8Gi"}}],
            "pods": {"startup": "1s..3s", "termination": "0s..5s"},
            "manifests": [*classes, *chain.from_iterable(workloads)],
            "steps": sorted(
                (_arrival(rng, number) for number in range(rng.randint(6, 12))),
                key=lambda step: float(step["at"][:-1]),
            ),
            **extra,
        },
    }


def play(scenario: dict[str, Any], options: dict[str, Any]) -> tuple[Simulation, list[Taken]]:
    """What came of it under these options, and all victims that weren't leaving already."""
    documents = [CONFIGURATION, {**OPTIONS, **options}]
    with _schedulers_file(documents) as name, _noting() as taken:
        scenario["spec"]["schedulers"] = [{"file": name}]
        return simulate(read_scenario("world", json.dumps(scenario))), taken


@contextmanager
def _schedulers_file(documents: list[Any]) -> Iterator[str]:
    with tempfile.NamedTemporaryFile("w", suffix=".yaml") as file:
        file.write("\n---\n".join(map(json.dumps, documents)))
        file.flush()
        yield file.name


@contextmanager
def _noting() -> Iterator[list[Taken]]:
    taken: list[Taken] = []
    decide = Scheduler.decide

    def noted(scheduler: Scheduler, pod: PodInfo, scheduler_name: str) -> Decision:
        decision = decide(scheduler, pod, scheduler_name)
        found, leaving = decision.post_filter, scheduler.history.leaving
        victims = [] if found is None else [v for v in found.victims if v.uid not in leaving]
        violated = _violated(scheduler, victims)
        taken.extend(
            Taken(scheduler.clock.now_s, pod, victim, victim.obj, violated)
            for victim in victims
            if not victim.cls.terminating
        )
        return decision

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Scheduler, "decide", noted)
        yield taken


def _violated(scheduler: Scheduler, victims: list[PodInfo]) -> list[str]:
    """The budgets with fewer healthy pods than they want once the victims have gone."""
    found, going = [], {victim.uid for victim in victims}
    for budget in scheduler.budgets.budgets:
        healthy = {
            pod.uid
            for pods in scheduler.snapshot.pods_on
            for pod in pods
            if covers(budget, pod.obj) and is_ready(pod.obj) and not pod.cls.terminating
        } - scheduler.history.leaving.keys()
        if healthy & going and len(healthy - going) < (budget.desired_healthy or 0):
            found.append(budget.name)
    return found


def _workload(rng: Random, name: str, cls: str) -> tuple[dict[str, Any], dict[str, Any]]:
    replicas = rng.randint(1, 4)
    template = {
        "metadata": {"labels": {"app": name}, "annotations": rng.choice(({}, _NEVER))},
        "spec": _spec(rng, cls),
    }
    selector = {"matchLabels": {"app": name}}
    deployment = {
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "metadata": {"name": name},
        "spec": {"replicas": replicas, "selector": selector, "template": template},
    }
    return deployment, objects.budget(name, maxUnavailable=rng.randint(0, 2))


_NEVER = {"podium.dev/never-preempt": "true"}


def _arrival(rng: Random, number: int) -> dict[str, Any]:
    pod = {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {
            "name": f"new-{number}",
            "annotations": {"podium.dev/run-duration": f"{rng.randint(10, 120)}s"},
        },
        "spec": {**_spec(rng, rng.choice(("urgent", "normal"))), "restartPolicy": "Never"},
    }
    return {"at": f"{rng.randint(5, PERIOD_S - 100)}s", "apply": pod}


def _spec(rng: Random, cls: str) -> dict[str, Any]:
    cpu = rng.choice(("500m", "1", "1500m", "2"))
    return {
        "priorityClassName": cls,
        "terminationGracePeriodSeconds": rng.choice((0, 2, 10)),
        "containers": [{"name": "c", "image": "i", "resources": {"requests": {"cpu": cpu}}}],
    }
