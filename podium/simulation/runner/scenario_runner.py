"""The simulation of a scenario, whose steps are executed through the API in virtual time."""

from collections.abc import Callable, Sequence
from random import Random

import msgspec
from msgspec.structs import replace

from podium.api.errors import RefusedError
from podium.api.kinds.builtin_kinds import KINDS
from podium.api.nodes import taints_of
from podium.api.objects import Object, name, place_of, spec_of
from podium.api.state_times import ahead_of
from podium.api.values.message_words import likely_meant
from podium.apiserver.attributes import Attributes
from podium.apiserver.decoding.bodies import PatchType
from podium.apiserver.server import DeleteOptions, PatchRequest
from podium.cluster.virtual import Cluster
from podium.cluster.virtual.kubectl_apply import apply
from podium.simulation.runner.check_evaluator import violation_of
from podium.simulation.runner.drain import Drainer
from podium.simulation.scenario.checks import Check
from podium.simulation.scenario.drain_step import Drain
from podium.simulation.scenario.fields import ActionTarget, FaultRates
from podium.simulation.scenario.scenario_document import ArrivalsDocument, Scenario
from podium.simulation.scenario.steps import (
    Action,
    Delete,
    Expect,
    Merge,
    ScenarioStep,
    ServerSideApply,
    Taint,
)
from podium.simulation.timeline.facts import TimelineEntry
from podium.simulation.timeline.observer import Observer
from podium.simulation.timeline.pod_history import PodHistories, pods_by_uid

Progress = Callable[[float, int], None]
"""Receives the seconds that have passed in the simulation, and the number of entries."""

Prepare = Callable[[Cluster], None]
"""Prepares a cluster before it starts."""

PROGRESS_EVERY_S = 10.0
_NOT_REFUSED = "it was to be refused, but wasn't"


class Simulation(msgspec.Struct, frozen=True, kw_only=True):
    """The outcome of a scenario."""

    scenario: Scenario
    cluster: Cluster
    pods_before: Sequence[Object]
    entries: Sequence[TimelineEntry]
    ended_s: float
    failures: int
    """Number of failed assertions, and of steps without the expected result."""
    interrupted: bool
    notes: Sequence[str]

    def histories(self) -> PodHistories:
        """Collect the histories of all pods."""
        return PodHistories(self.entries, pods_by_uid(self.pods_before))


def simulate(
    scenario: Scenario, progress: Progress | None = None, *, prepare: Prepare | None = None
) -> Simulation:
    """Simulate a scenario to its end, or until Ctrl-C."""
    cluster = Cluster(scenario.options)
    notes = cluster.load(scenario.objects)
    start_s = scenario.options.start_s
    notes += ahead_of(start_s, scenario.objects, "the scenario starts before it")
    pods_before = cluster.store.list("Pod").items
    if prepare is not None:
        prepare(cluster)
    play = _ScenarioRunner(scenario, cluster, progress)
    interrupted = False
    try:
        play.run()
    except KeyboardInterrupt:
        interrupted = True
    ended_s = cluster.driver.now_s - start_s
    return Simulation(
        scenario=scenario,
        cluster=cluster,
        pods_before=pods_before,
        entries=play.observer.entries,
        ended_s=ended_s,
        failures=play.failures,
        interrupted=interrupted,
        notes=notes,
    )


class _ScenarioRunner:
    def __init__(self, scenario: Scenario, cluster: Cluster, progress: Progress | None) -> None:
        self.observer = Observer(cluster)
        self.failures = 0
        self._scenario = scenario
        self._cluster = cluster
        self._driver = cluster.driver
        self._start_s = scenario.options.start_s
        self._progress = progress
        self._drainers: dict[str, Drainer] = {}

    def run(self) -> None:
        self._cluster.start()
        for path, arrivals in self._scenario.arrivals.items():
            rng = Random(f"{path}/{self._scenario.options.seed}")
            self._await_arrival(path, arrivals, rng, 1, arrivals.from_s)
        self._driver.advance(0)
        until_s = self._scenario.until_s
        for step in self._scenario.steps:
            at_s = max(step.at_s or 0.0, self._passed_s())
            if until_s is not None and at_s > until_s:
                break
            self._advance_to(at_s)
            self._take(step)
            self._driver.advance(0)
        if until_s is not None:
            self._advance_to(until_s)

    def _passed_s(self) -> float:
        return self._driver.now_s - self._start_s

    def _advance_to(self, passed_s: float) -> None:
        goal_s = self._start_s + passed_s
        while (now_s := self._driver.now_s) < goal_s:
            # Months in which nothing happens are one piece.
            next_s = self._driver.next_s()
            piece_s = goal_s if next_s is None else max(now_s + PROGRESS_EVERY_S, next_s)
            self._driver.run_until(min(goal_s, piece_s))
            if self._progress is not None:
                self._progress(self._passed_s(), len(self.observer.entries))

    def _await_arrival(
        self, path: str, arrivals: ArrivalsDocument, rng: Random, number: int, after_s: float
    ) -> None:
        at_s = after_s + arrivals.every.draw(rng)
        if number > arrivals.count or (arrivals.until_s is not None and at_s > arrivals.until_s):
            return

        def arrive() -> None:
            action = arrivals.numbered(path, number, self._scenario.options.seed)
            self._take(ScenarioStep(path, None, action))
            self._await_arrival(path, arrivals, rng, number + 1, at_s)

        self._driver.at(self._start_s + at_s, arrive)

    def _take(self, step: ScenarioStep) -> None:
        if isinstance(step.action, Expect):
            # Let time pass until all checks hold at one moment, or it is too late.
            deadline_s = self._driver.now_s + step.action.within_s
            until_s = self._scenario.until_s
            if until_s is not None:
                deadline_s = min(deadline_s, self._start_s + until_s)
            began_s = self._driver.now_s
            while (wrong := self._wrong(step.action.checks)) and self._step_until(deadline_s):
                pass
            took_s = round(self._driver.now_s - began_s, 6)
            self.failures += len(wrong)
            for check in step.action.checks:
                found = wrong.get(check)
                kind = "AssertionPassed" if found is None else "AssertionFailed"
                details: dict[str, object] = {
                    "assertion": check.words,
                    "step": step.path,
                    "seconds": took_s,
                }
                if found is not None:
                    details["found"] = found
                self.observer.note(kind, details)
            return
        try:
            self._act(step.action)
        except RefusedError as refused:
            expected = step.refusal is not None and step.refusal in refused.message
            self.failures += not expected
            details = {
                "step": step.path,
                "code": refused.code,
                "reason": refused.reason,
                "message": refused.message + self._likely_meant(refused),
                "expected": expected,
            }
            self.observer.note("StepRefused", details)
            return
        if step.refusal is not None:
            self.failures += 1
            self.observer.note("StepFailed", {"step": step.path, "message": _NOT_REFUSED})

    def _act(self, action: Action) -> None:
        server, note = self._cluster.server, self.observer.note
        match action:
            case ServerSideApply():
                for obj in action.objects:
                    written = apply(self._cluster, obj, "podium-simulate")
                    about = (str(obj["kind"]), *place_of(obj))
                    note("Applied", {"created": written.created}, about=about)
            case Delete():
                how = DeleteOptions(grace_period_s=action.grace_period_s)
                for target in action.objects:
                    request = self._request(target)
                    note("Deleting", about=target)
                    server.delete(request, how)
            case Merge():
                request = self._request(action.target)
                note("Changing", {"what": action.words}, about=action.target)
                server.patch(request, PatchRequest(PatchType.STRATEGIC, action.body))
            case Taint():
                request = Attributes(KINDS["Node"], "", action.node, self._driver.now_s)
                node = server.get(request.kind, "", action.node)
                wanted = (action.taint["key"], action.taint["effect"])
                taints = [one for one in taints_of(node) if (one["key"], one["effect"]) != wanted]
                if not action.removes:
                    taints.append(dict(action.taint))
                server.replace(request, {**node, "spec": {**spec_of(node), "taints": taints}})
            case Drain():
                drainer = Drainer(self._cluster, self.observer, action)
                self._drainers[action.node] = drainer
                drainer.start()
            case FaultRates():
                rates = action.rates()
                self._driver.faults = replace(self._driver.faults, **rates)
                note("FaultsSet", rates)
            case Expect():
                raise ValueError("assertions aren't actions upon the cluster")
        self.observer.look()

    def _request(self, target: ActionTarget) -> Attributes:
        kind = KINDS[target.kind]
        self._cluster.server.get(kind, target.namespace, target.name)
        return Attributes(kind, target.namespace, target.name, self._driver.now_s)

    def _likely_meant(self, refused: RefusedError) -> str:
        about = refused.details or {}
        resource = (about.get("kind"), about.get("group", ""))
        wanted = about.get("name", "")
        for kind in KINDS.values() if refused.reason == "NotFound" else ():
            if (kind.plural, kind.group) == resource:
                names = map(name, self._cluster.store.list(kind.key).items)
                return likely_meant(wanted, (known for known in names if known != wanted))
        return ""

    def _wrong(self, checks: Sequence[Check]) -> dict[Check, str]:
        drains = {node: drainer.state for node, drainer in self._drainers.items()}
        found = {check: violation_of(check, self._cluster.store, drains) for check in checks}
        return {check: text for check, text in found.items() if text}

    def _step_until(self, deadline_s: float) -> bool:
        """Advance to the next event; if none is before the deadline, to that, and return False."""
        next_s = self._driver.next_s()
        if next_s is None or next_s > deadline_s:
            self._driver.run_until(deadline_s)
            return False
        self._driver.run_until(next_s)
        return True
