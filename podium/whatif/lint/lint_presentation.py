"""The presentation of the findings of lint."""

from collections.abc import Iterator, Mapping, Sequence

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
from podium.whatif.lint.lint_report import Finding, LintReport, Severity

_WITNESSES_MAX = 3
_TONES: Mapping[Severity, Tone] = {
    Severity.ERROR: Tone.BAD,
    Severity.WARNING: Tone.WAITING,
    Severity.INFO: Tone.NONE,
}


def lint_presentation(report: LintReport, *, wide: bool = False) -> Presentation:
    """Present findings rule by rule, the gravest first, with all witnesses if `wide`."""
    counts = dict.fromkeys(Severity, 0)
    for finding in report.findings:
        counts[finding.severity] += 1
    found = ", ".join(
        count(number, severity if severity is not Severity.INFO else "remark")
        for severity, number in counts.items()
        if number
    )
    silent = f", {len(report.suppressed)} suppressed" if report.suppressed else ""
    places = ", ".join(one.namespace for one in report.excluded_in)
    excluded = f", {report.excluded} more in {places}, excluded" if places else ""
    headline = f"{found or 'Nothing found'} in {count(report.objects, 'object')}{silent}{excluded}."
    suppressed = [(one.object, one.rule, one.suppressed_by) for one in report.suppressed]
    notes = [*report.notes]
    for one in report.excluded_in:
        rules = ", ".join(f"{number} {rule_id}" for rule_id, number in one.rules.items())
        notes.append(f"{one.namespace} is excluded: {count(one.findings, 'finding')} ({rules})")
    return Presentation(
        "Podium lint",
        headline,
        [
            *_found(report, wide),
            Section(
                "Suppressed", [Table(("Object", "Rule", "Reason"), suppressed)], is_detail=True
            ),
            Section("Notes", [Bullets(notes)], is_detail=True),
        ],
    )


def _found(report: LintReport, wide: bool) -> Iterator[Section]:
    rules = {rule.id: rule for rule in report.rules}
    by_rule: dict[str, list[Finding]] = {}
    for finding in report.findings:
        by_rule.setdefault(finding.rule, []).append(finding)
    for rule_id, findings in by_rule.items():
        rule, rows = rules[rule_id], list[Sequence[Cell]]()
        for one in findings:
            line = f":{one.line}" if one.line else ""
            item = f", {one.item}" if one.item else ""
            where = f"{one.file}{line}{item}" if one.file else one.field
            about = Toned(one.object, _TONES[one.severity])
            rows.append((about, where, finding_text(one, wide)))
        yield Section(
            rule.title,
            [
                Paragraph(f"{rule.severity}, {rule.id}. {plain_text(rule.reason)}"),
                Table(("Object", "Where", "Finding"), rows),
                Paragraph(f"Fix: {plain_text(rule.fix)}"),
            ],
        )


def finding_text(finding: Finding, wide: bool = False) -> str:
    """Return the message of a finding with its witnesses, all of them if `wide`."""
    shown = listed(finding.witnesses, len(finding.witnesses) if wide else _WITNESSES_MAX)
    return f"{finding.message} ({shown})" if shown else finding.message


def plain_text(text: str) -> str:
    """Remove Markdown's marks for code from a text of a rule."""
    return text.replace("`", "")
