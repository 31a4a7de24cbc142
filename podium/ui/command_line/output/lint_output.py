"""What `podium lint` has found, for people and for CI systems."""

from collections.abc import Iterator, Mapping

from podium.api.documents.report import plain
from podium.api.presentation import (
    Bullets,
    Cell,
    Paragraph,
    Presentation,
    Section,
    Table,
    Tone,
    Toned,
)
from podium.api.values.message_words import count, listed
from podium.ui.command_line.commands.lint import LintOutput
from podium.ui.command_line.output.output import console, print_report, print_warnings
from podium.ui.writers.ci_reports import CiResult, junit, sarif
from podium.ui.writers.terminal import print_document, print_presentation
from podium.whatif.lint.lint_report import ExcludedNamespace, Finding, LintReport, RuleSummary
from podium.whatif.lint.severity import Severity

_WITNESSES_MAX = 3
_LEVELS: Mapping[Severity, str] = {
    Severity.ERROR: "error",
    Severity.WARNING: "warning",
    Severity.INFO: "note",
}
_TONES: Mapping[Severity, Tone] = {
    Severity.ERROR: Tone.BAD,
    Severity.WARNING: Tone.WAITING,
    Severity.INFO: Tone.NONE,
}


def print_lint(report: LintReport, output: LintOutput) -> None:
    """Print what was found."""
    match output:
        case LintOutput.JSON:
            print_report(plain(report), "json")
        case LintOutput.SARIF:
            results = map(_ci_result, (*report.findings, *report.suppressed))
            print_report(sarif(map(_sarif_rule, report.rules), results), "json")
        case LintOutput.JUNIT:
            rules = [rule.id for rule in report.rules]
            print(junit("lint", rules, [*map(_ci_result, report.findings)]))
        case LintOutput.TEXT | LintOutput.WIDE:
            print_warnings(report.warnings)
            is_wide = output is LintOutput.WIDE
            print_presentation(console(), lint_presentation(report, wide=is_wide))
        case _:
            print_document(lint_presentation(report), output)


def lint_presentation(report: LintReport, *, wide: bool = False) -> Presentation:
    """What was found, rule by rule, the gravest first.

    Args:
        report: what was found.
        wide: whether to name all witnesses, however many.
    """
    suppressed = [(one.object, one.rule, one.suppressed_by) for one in report.suppressed]
    notes = [*report.notes, *map(_excluded, report.excluded_in)]
    return Presentation(
        "Podium lint",
        _headline(report),
        [
            *_found(report, wide),
            Section(
                "Suppressed", [Table(("Object", "Rule", "Reason"), suppressed)], is_detail=True
            ),
            Section("Notes", [Bullets(notes)], is_detail=True),
        ],
    )


def _excluded(one: ExcludedNamespace) -> str:
    rules = ", ".join(f"{number} {rule_id}" for rule_id, number in one.rules.items())
    return f"{one.namespace} is excluded: {count(one.findings, 'finding')} ({rules})"


def _headline(report: LintReport) -> str:
    counts = dict.fromkeys(Severity, 0)
    for finding in report.findings:
        counts[finding.severity] += 1
    found = ", ".join(
        count(number, severity if severity is not Severity.INFO else "remark")
        for severity, number in counts.items()
        if number
    )
    suppressed = f", {len(report.suppressed)} suppressed" if report.suppressed else ""
    places = ", ".join(one.namespace for one in report.excluded_in)
    excluded = f", {report.excluded} more in {places}, excluded" if places else ""
    return f"{found or 'Nothing found'} in {count(report.objects, 'object')}{suppressed}{excluded}."


def _found(report: LintReport, wide: bool) -> Iterator[Section]:
    rules = {rule.id: rule for rule in report.rules}
    by_rule: dict[str, list[Finding]] = {}
    for finding in report.findings:
        by_rule.setdefault(finding.rule, []).append(finding)
    for rule_id, findings in by_rule.items():
        rule = rules[rule_id]
        yield Section(
            rule.title,
            [
                Paragraph(f"{rule.severity}, {rule.id}. {_plain(rule.reason)}"),
                Table(("Object", "Where", "Finding"), [_row(one, wide) for one in findings]),
                Paragraph(f"Fix: {_plain(rule.fix)}"),
            ],
        )


def _row(finding: Finding, wide: bool) -> tuple[Cell, ...]:
    line = f":{finding.line}" if finding.line else ""
    item = f", {finding.item}" if finding.item else ""
    where = f"{finding.file}{line}{item}" if finding.file else finding.field
    return Toned(finding.object, _TONES[finding.severity]), where, _text(finding, wide)


def _text(finding: Finding, wide: bool = False) -> str:
    shown = listed(finding.witnesses, len(finding.witnesses) if wide else _WITNESSES_MAX)
    return f"{finding.message} ({shown})" if shown else finding.message


def _plain(text: str) -> str:
    """A text of a rule, which has the marks of Markdown for code, without them."""
    return text.replace("`", "")


def _ci_result(one: Finding) -> CiResult:
    return CiResult(
        rule=one.rule,
        object=one.object,
        text=f"{one.object}: {_text(one)}",
        level=_LEVELS[one.severity],
        file=one.file,
        line=one.line,
        accepted_as=one.suppressed_by,
        properties={"field": one.field, "witnesses": [*one.witnesses]},
    )


def _sarif_rule(rule: RuleSummary) -> dict[str, object]:
    return {
        "id": rule.id,
        "shortDescription": {"text": rule.title},
        "fullDescription": {"text": _plain(rule.reason)},
        "help": {"text": _plain(rule.fix), "markdown": rule.fix},
        "defaultConfiguration": {"level": _LEVELS[rule.severity]},
    }
