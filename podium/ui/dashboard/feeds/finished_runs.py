"""Explanations of the decisions in finished runs.

To explain a decision, the run is repeated in a fork of the process: with the same state and seed,
it makes the same decisions. Recording the inputs of all decisions would cost too much.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from podium.api.errors import PodiumError
from podium.api.pods import scheduler_name_of
from podium.api.priority import preemption_policy
from podium.cluster.drivers.driver_events import DriverEvent
from podium.cluster.virtual import Cluster
from podium.scheduler.machine.scheduler_machine import SchedulerMachine
from podium.simulation.runner.scenario_runner import simulate
from podium.simulation.scenario.scenario_document import Scenario
from podium.simulation.timeline.preemption import PreemptionRecorder
from podium.ui.dashboard.views import PlanPage, presented
from podium.whatif.explain.decision_watcher import DecisionWatcher
from podium.whatif.explain.explanation import PodExplanation
from podium.whatif.explain.explanation_presentation import explanation_presentation
from podium.whatif.plan.workload_owners import WorkloadOwners


class RunIsOverError(PodiumError):
    """A request that isn't possible for a finished run."""


class FinishedRun:
    """Explains pods of a finished run; has the methods of `WhatIf`.

    Args:
        explain: explains a pod, named `namespace/name`, by repeating the run.
    """

    def __init__(self, explain: Callable[[str], PodExplanation]) -> None:
        self._explain = explain

    def explain(self, pod: str) -> Any:
        return presented(explanation_presentation(self._explain(pod)))

    def attempt(self, manifests: bytes, texts: Mapping[str, Sequence[str]]) -> PlanPage:
        raise RunIsOverError("this run is over, so that nothing can be planned in it")


def simulation_explainer(scenario: Scenario) -> Callable[[str], PodExplanation]:
    """Return a function that explains a pod by all decisions about it in a simulation."""

    def explained(pod: str) -> PodExplanation:
        watchers: list[DecisionWatcher] = []

        def follow(cluster: Cluster) -> None:
            def passed_s() -> float:
                return cluster.driver.now_s - cluster.options.start_s

            def happened(_: DriverEvent) -> None:
                # Schedulers may start later, or restart.
                for handle in cluster.schedulers.values():
                    if not isinstance(handle.machine, SchedulerMachine):
                        continue
                    scheduler = handle.machine.scheduler
                    if scheduler.watch is None:
                        recorder = PreemptionRecorder(scheduler, 0, passed_s)
                        scheduler.watch = DecisionWatcher(scheduler, recorder, passed_s, pod)
                        watchers.append(scheduler.watch)

            cluster.driver.hooks.append(happened)

        ended = simulate(scenario, prepare=follow)
        watchers = [watcher for watcher in watchers if watcher.pod is not None]
        if not watchers:
            raise RunIsOverError(f"no scheduler of this run has decided about {pod}")
        views = sorted((view for one in watchers for view in one.views), key=lambda view: view.at)
        last = max(watchers, key=lambda one: one.views[-1].at)
        subject = last.pod
        assert subject is not None
        store = ended.cluster.store
        owners = WorkloadOwners(
            obj for kind in ("ReplicaSet", "Job") for obj in store.list(kind).items
        )
        return PodExplanation(
            **owners.row_of(subject),
            preemption_policy=preemption_policy(subject),
            scheduler_name=scheduler_name_of(subject),
            bound_to="",
            decisions=tuple(views),
        )

    return explained
