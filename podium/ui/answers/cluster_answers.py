"""The answers about a cluster, each a report of a command with what all answers can do.

What shows them is imported when somebody looks.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from podium.cluster.manifests import Loaded, Source
from podium.cluster.manifests.problems import describe
from podium.ui.answers.answer import Answer
from podium.ui.inputs.inputs import read_gates
from podium.ui.inputs.option import text
from podium.ui.writers.ci_reports import CiReport, CiResult
from podium.ui.writers.formats import FORMATS, TERMINAL
from podium.whatif.capacity.capacity_report import Capacity, CheapestNodes
from podium.whatif.explain.eviction_rankings import EvictionRanking
from podium.whatif.explain.explanation import PodExplanation
from podium.whatif.lint.lint_presentation import finding_text, plain_text
from podium.whatif.lint.lint_report import Finding as LintFinding
from podium.whatif.lint.lint_report import LintReport, Severity
from podium.whatif.plan.fail_on import CONDITIONS, Finding, Gate, caused, every_gate, findings
from podium.whatif.plan.plan_report import Plan
from podium.whatif.resilience.impact import Impact
from podium.whatif.resilience.resilience_report import Resilience
from podium.whatif.rollout_order.rollout_report import RolloutAdvice

_EXPLANATIONS = "podium.whatif.explain.explanation_presentation"


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class PlanAnswer(Answer, Plan):
    """What a plan came to; see `podium plan`.

    Attributes:
        failed_on: what of it meets the conditions that it was asked with.
        gates: these conditions.
        unchanged: the plan without the changes, if what it meets as well doesn't count.
        applied: the objects that were applied, with where they stand.
    """

    failed_on: Sequence[Finding] = ()
    gates: Sequence[Gate] = ()
    unchanged: Plan | None = None
    applied: Sequence[Loaded] = ()
    rows = "placements"
    presented_by = "podium.whatif.plan.presentation.plan_presentation.plan_presentation"
    printed_by = "podium.whatif.plan.presentation.plan_presentation.printed_plan"
    warns = TERMINAL

    def findings(
        self, *fail_on: str, gates: str | Path | None = None, baseline: Plan | None = None
    ) -> list[Finding]:
        """What of it meets conditions, in the words of `--fail-on`.

        Args:
            gates: a file with more of them, as `--gates` takes it.
            baseline: a plan without the changes; what it meets as well doesn't count.

        Raises:
            PodiumError: the conditions, or the file, can't be read.
        """
        conditions = read_gates(fail_on, text(gates))
        found = findings(self, conditions)
        return found if baseline is None else caused(found, findings(baseline, conditions))

    def ci_report(self) -> CiReport:
        """A result for everything that met a condition.

        Tools show a result beside a file: beside the object that it is about, or whose pod is
        behind it, if that is applied; else beside the first object that is.
        """
        places: Mapping[str, Source] = {
            describe(one.obj): one.source for one in self.applied if Path(one.source.file).is_file()
        }
        tested, found = self.gates, self.failed_on
        if not tested:
            # A report of tests that nothing was put to would pass whatever happens.
            tested = every_gate()
            found = findings(self, tested)
            if self.unchanged is not None:
                found = caused(found, findings(self.unchanged, tested))
        workloads = {row.pod: row.workload for row in (*self.placements, *self.pending)}
        first = next(iter(places.values()), None)

        def results() -> Iterator[CiResult]:
            for one in found:
                of = places.get(one.workload) or places.get(workloads.get(one.by, "")) or first
                yield CiResult(
                    file=of.file if of else "",
                    line=of.place[0] if of else 0,
                    rule=one.condition,
                    object=one.object,
                    text=f"{one.object} {one.message}",
                    properties={"workload": one.workload, "priority": one.priority, "by": one.by},
                )

        return CiReport(
            command="plan",
            rules=[{"id": condition} for condition in CONDITIONS],
            tested=[*dict.fromkeys(gate.condition for gate in tested)],
            results=[*results()],
        )


class ExplanationAnswer(Answer, PodExplanation):
    """The decisions about a pod; see `podium explain`."""

    __slots__ = ()
    rows = "decisions.feasible"
    presented_by = f"{_EXPLANATIONS}.explanation_presentation"
    printed_by = f"{_EXPLANATIONS}.printed_explanation"
    warns = TERMINAL


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class RankingAnswer(Answer, EvictionRanking):
    """In which order a node evicts its pods; see `podium explain --eviction`."""

    warnings: Sequence[str] = ()
    rows = "pods"
    presented_by = f"{_EXPLANATIONS}.ranking_presentation"
    warns = FORMATS


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class ImpactAnswer(Answer, Impact):
    """What a drain or a failure does; see `podium drain` and `podium fail`.

    Attributes:
        failed_on: what of it meets the conditions that it was asked with.
    """

    failed_on: Sequence[Finding] = ()
    rows = "disruptions"
    presented_by = "podium.whatif.resilience.resilience_presentation.impact_presentation"
    printed_by = presented_by
    warns = TERMINAL


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class ResilienceAnswer(Answer, Resilience):
    """Which drains and failures a cluster withstands; see `podium resilience`.

    Attributes:
        failed_on: what of them meets the conditions that it was asked with.
    """

    failed_on: Sequence[Finding] = ()
    rows = "ranking"
    presented_by = "podium.whatif.resilience.resilience_presentation.resilience_presentation"
    printed_by = presented_by
    warns = TERMINAL


class CapacityAnswer(Answer, Capacity):
    """How many more pods fit; see `podium capacity`."""

    __slots__ = ()
    rows = "templates"
    presented_by = "podium.whatif.capacity.capacity_presentation.capacity_presentation"


class NodesAnswer(Answer, CheapestNodes):
    """Which nodes to add at least cost; see `podium capacity --node-shape`."""

    __slots__ = ()
    rows = "shapes"
    presented_by = "podium.whatif.capacity.capacity_presentation.cheapest_nodes_presentation"


class RolloutAnswer(Answer, RolloutAdvice):
    """An order in which to introduce priority classes; see `podium rollout`."""

    __slots__ = ()
    rows = "steps"
    presented_by = "podium.whatif.rollout_order.rollout_presentation.rollout_presentation"


class LintAnswer(Answer, LintReport):
    """What is wrong with manifests; see `podium lint`."""

    __slots__ = ()
    rows = "findings"
    presented_by = "podium.whatif.lint.lint_presentation.lint_presentation"
    printed_by = presented_by
    warns = TERMINAL

    def ci_report(self) -> CiReport:
        """A result for each finding, also for those that are suppressed."""
        return CiReport(
            command="lint",
            rules=[
                {
                    "id": rule.id,
                    "shortDescription": {"text": rule.title},
                    "fullDescription": {"text": plain_text(rule.reason)},
                    "help": {"text": plain_text(rule.fix), "markdown": rule.fix},
                    "defaultConfiguration": {"level": _level(rule.severity)},
                }
                for rule in self.rules
            ],
            tested=[rule.id for rule in self.rules],
            results=[*map(_ci_result, (*self.findings, *self.suppressed))],
        )


def _ci_result(one: LintFinding) -> CiResult:
    return CiResult(
        rule=one.rule,
        object=one.object,
        text=f"{one.object}: {finding_text(one)}",
        level=_level(one.severity),
        file=one.file,
        line=one.line,
        accepted_as=one.suppressed_by,
        properties={"field": one.field, "witnesses": [*one.witnesses]},
    )


def _level(severity: Severity) -> str:
    return "note" if severity is Severity.INFO else severity.value
