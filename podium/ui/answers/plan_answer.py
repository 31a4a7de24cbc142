"""The answer of `podium plan`: the plan, and what of it meets conditions."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from podium.cluster.manifests import Loaded, Source
from podium.cluster.manifests.problems import describe
from podium.ui.answers.answer import Answer
from podium.ui.inputs.inputs import read_gates
from podium.ui.inputs.option import text
from podium.ui.writers.ci_reports import CiReport, CiResult
from podium.ui.writers.formats import TERMINAL
from podium.whatif.plan.fail_on import CONDITIONS, Finding, Gate, caused, every_gate, findings
from podium.whatif.plan.plan_report import Plan


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
