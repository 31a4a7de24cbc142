"""Runs a scenario: lets time pass from step to step, and carries each one out."""

from collections.abc import Callable, Sequence
from random import Random

import msgspec

from podium.api.kinds.builtin_kinds import KINDS
from podium.api.objects import Object, name
from podium.api.refused import RefusedError
from podium.api.state_times import ahead_of
from podium.api.values.message_words import likely_meant
from podium.cluster.virtual import Cluster
from podium.simulation.runner.action_runner import ActionRunner
from podium.simulation.runner.check_evaluator import violation_of
from podium.simulation.scenario import Scenario
from podium.simulation.scenario.arrivals import ArrivalsDocument
from podium.simulation.scenario.checks import Check
from podium.simulation.scenario.steps import Expect, ScenarioStep
from podium.simulation.timeline import Observer, TimelineEntry

Progress = Callable[[float, int], None]
"""Is told how many seconds have passed in the simulation, and how many entries there are."""

Prepare = Callable[[Cluster], None]
"""Is handed a cluster before it starts."""

PROGRESS_EVERY_S = 10.0
_NOT_REFUSED = "it was to be refused, but wasn't"


class Simulation(msgspec.Struct, frozen=True, kw_only=True):
    """The outcome of a scenario.

    Attributes:
        failures: assertions that don't hold, and steps that went otherwise than they should.
    """

    scenario: Scenario
    cluster: Cluster
    pods_before: Sequence[Object]
    entries: Sequence[TimelineEntry]
    ended_s: float
    failures: int
    interrupted: bool
    notes: Sequence[str]


def simulate(
    scenario: Scenario, progress: Progress | None = None, *, prepare: Prepare | None = None
) -> Simulation:
    """Play a scenario to its end, or until Ctrl-C."""
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
        self._actor = ActionRunner(cluster, self.observer)

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
            self._actor.act(step.action)
        except RefusedError as refused:
            expected = step.refusal is not None and step.refusal in refused.message
            self._refused(step, refused, expected=expected)
            return
        if step.refusal is not None:
            self.failures += 1
            self.observer.note("StepFailed", {"step": step.path, "message": _NOT_REFUSED})

    def _refused(self, step: ScenarioStep, refused: RefusedError, *, expected: bool) -> None:
        self.failures += not expected
        details = {
            "step": step.path,
            "code": refused.code,
            "reason": refused.reason,
            "message": refused.message + self._likely_meant(refused),
            "expected": expected,
        }
        self.observer.note("StepRefused", details)

    def _likely_meant(self, refused: RefusedError) -> str:
        about = refused.details or {}
        wanted = (about.get("kind"), about.get("group", ""), about.get("name", ""))
        if refused.reason != "NotFound":
            return ""
        for kind in KINDS.values():
            if (kind.plural, kind.group) == wanted[:2]:
                known = map(name, self._cluster.store.list(kind.key).items)
                return likely_meant(wanted[2], (one for one in known if one != wanted[2]))
        return ""

    def _wrong(self, checks: Sequence[Check]) -> dict[Check, str]:
        found = {
            check: violation_of(check, self._cluster.store, self._actor.drain_states())
            for check in checks
        }
        return {check: text for check, text in found.items() if text}

    def _step_until(self, deadline_s: float) -> bool:
        """Do all that happens at the next moment; whether it comes before the deadline."""
        next_s = self._driver.next_s()
        if next_s is None or next_s > deadline_s:
            self._driver.run_until(deadline_s)
            return False
        self._driver.run_until(next_s)
        return True
