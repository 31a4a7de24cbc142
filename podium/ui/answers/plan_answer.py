"""The answer of `podium plan`: the plan, and the findings that meet conditions to fail on."""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from podium.cluster.manifests.manifest_objects import Loaded
from podium.cluster.manifests.problems import Source, describe
from podium.ui.answers.answer import Answer
from podium.ui.inputs.inputs import read_gates
from podium.ui.inputs.option import text
from podium.ui.writers.ci_reports import CiReport, CiResult
from podium.ui.writers.formats import TERMINAL
from podium.whatif.plan.fail_on import (
    CONDITIONS,
    MEANINGS,
    READY_SHARE,
    Finding,
    Gate,
    caused,
    findings,
)
from podium.whatif.plan.plan_report import Plan


class PlanAnswer(Answer, Plan, kw_only=True, repr=False):
    """The effects of changes; see `podium plan`."""

    failed_on: Sequence[Finding] = ()
    gates: Sequence[Gate] = ()
    unchanged: Plan | None = None
    """The plan without the changes, whose findings are ignored; None to ignore none."""
    applied: Sequence[Loaded] = ()
    """The applied objects, with their places in files."""
    rows = "placements"
    presented_by = "podium.whatif.plan.presentation.plan_presentation.plan_presentation"
    printed_by = "podium.whatif.plan.presentation.plan_presentation.printed_plan"
    warns = TERMINAL

    def findings(
        self, *fail_on: str, gates: str | Path | None = None, baseline: Plan | None = None
    ) -> list[Finding]:
        """Return the findings that meet conditions of `--fail-on`; raises PodiumError.

        Args:
            gates: file with additional conditions, as for `--gates`.
            baseline: plan without the changes, whose findings are ignored; None to ignore none.
        """
        conditions = read_gates(fail_on, text(gates))
        met = findings(self, conditions)
        return met if baseline is None else caused(met, findings(baseline, conditions))

    def ci_report(self) -> CiReport:
        """Make a CI report with a result for each finding that meets a condition to fail on.

        CI systems show a result next to a file: that of the applied object that the finding is
        about, or of this object's workload, or else of the first applied object.
        """
        places: Mapping[str, Source] = {
            describe(one.obj): one.source for one in self.applied if Path(one.source.file).is_file()
        }
        tested, found = self.gates, self.failed_on
        if not tested:
            # A report of tests that nothing was put to would pass whatever happens.
            tested = [Gate(name, name) for name in CONDITIONS if name != READY_SHARE]
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
            rules=[{"id": n, "shortDescription": {"text": text}} for n, text in MEANINGS.items()],
            tested=[*dict.fromkeys(gate.condition for gate in tested)],
            results=[*results()],
        )
