"""The presentation of the findings of lint."""

from collections.abc import Mapping, Sequence

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
    """Present findings by rule, the most severe first, with all witnesses if `wide`."""
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
    rows_of: dict[str, list[Sequence[Cell]]] = {}
    for finding in report.findings:
        line = f":{finding.line}" if finding.line else ""
        item = f", {finding.item}" if finding.item else ""
        where = f"{finding.file}{line}{item}" if finding.file else finding.field
        about = Toned(finding.object, _TONES[finding.severity])
        rows_of.setdefault(finding.rule, []).append((about, where, finding_text(finding, wide)))
    summaries, sections = {rule.id: rule for rule in report.rules}, []
    for rule_id, rows in rows_of.items():
        rule = summaries[rule_id]
        head = Paragraph(f"{rule.severity}, {rule.id}. {plain_text(rule.reason)}")
        table = Table(("Object", "Where", "Finding"), rows)
        fix = Paragraph(f"Fix: {plain_text(rule.fix)}")
        sections.append(Section(rule.title, [head, table, fix]))
    suppressions = Table(("Object", "Rule", "Reason"), suppressed)
    sections.append(Section("Suppressed", [suppressions], is_detail=True))
    sections.append(Section("Notes", [Bullets(notes)], is_detail=True))
    return Presentation("Podium lint", headline, sections)


def finding_text(finding: Finding, wide: bool = False) -> str:
    """Return the message of a finding with its first witnesses, or all witnesses if `wide`."""
    shown = listed(finding.witnesses, len(finding.witnesses) if wide else _WITNESSES_MAX)
    return f"{finding.message} ({shown})" if shown else finding.message


def plain_text(text: str) -> str:
    """Remove the Markdown marks for code from the text of a rule."""
    return text.replace("`", "")
