"""The answer of `podium lint`."""

from podium.ui.answers.answer import Answer
from podium.ui.writers.ci_reports import CiReport, CiResult
from podium.ui.writers.formats import TERMINAL
from podium.whatif.lint.lint_presentation import finding_text, plain_text
from podium.whatif.lint.lint_report import LintReport, Severity


class LintAnswer(Answer, LintReport, repr=False):
    """Mistakes in manifests or in a cluster; see `podium lint`."""

    rows = "findings"
    presented_by = "podium.whatif.lint.lint_presentation.lint_presentation"
    printed_by = presented_by
    warns = TERMINAL

    def ci_report(self) -> CiReport:
        """Make a CI report with a result for each finding, including suppressed findings."""
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
            results=[
                CiResult(
                    rule=finding.rule,
                    object=finding.object,
                    text=f"{finding.object}: {finding_text(finding)}",
                    level=_level(finding.severity),
                    file=finding.file,
                    line=finding.line,
                    accepted_as=finding.suppressed_by,
                    properties={"field": finding.field, "witnesses": [*finding.witnesses]},
                )
                for finding in (*self.findings, *self.suppressed)
            ],
        )


def _level(severity: Severity) -> str:
    return "note" if severity is Severity.INFO else severity.value
