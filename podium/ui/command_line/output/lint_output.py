"""The findings of `podium lint`, for people and for CI systems, and the pages about its rules."""

from difflib import get_close_matches

from podium.ui.inputs.input_error import InputError
from podium.ui.writers.ci_reports import CiResult, junit, sarif
from podium.ui.writers.console import console, print_json, print_report, print_table, print_warnings
from podium.ui.writers.terminal import print_document, print_presentation
from podium.whatif.lint.catalogue import RULES
from podium.whatif.lint.lint_presentation import finding_text, lint_presentation, plain_text
from podium.whatif.lint.lint_report import Finding, LintReport, Severity


def print_lint(report: LintReport, output: str) -> None:
    """Print what was found, in a format of `LintOutput`."""
    match output:
        case "json":
            print_report(report, "json")
        case "sarif":
            rules = [
                {
                    "id": rule.id,
                    "shortDescription": {"text": rule.title},
                    "fullDescription": {"text": plain_text(rule.reason)},
                    "help": {"text": plain_text(rule.fix), "markdown": rule.fix},
                    "defaultConfiguration": {"level": _level(rule.severity)},
                }
                for rule in report.rules
            ]
            results = map(_ci_result, (*report.findings, *report.suppressed))
            print_json(sarif(rules, results))
        case "junit":
            names = [rule.id for rule in report.rules]
            print(junit("lint", names, [*map(_ci_result, report.findings)]))
        case "text" | "wide":
            print_warnings(report.warnings)
            print_presentation(console(), lint_presentation(report, wide=output == "wide"))
        case _:
            print_document(lint_presentation(report), output)


def _ci_result(one: Finding) -> CiResult:
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


def page_of(rule_id: str) -> str:
    """The page about a rule."""
    if rule_id not in RULES:
        near = get_close_matches(rule_id, RULES)
        hint = f"is {' or '.join(near)} meant?" if near else "podium lint --list lists them"
        raise InputError(f"--explain {rule_id}: there is no such rule; {hint}")
    return RULES[rule_id].text


def print_rules() -> None:
    """Print all rules: what each finds, and how much that matters."""
    summaries = [rule.summary for rule in RULES.values()]
    rows = [(one.id, str(one.severity), one.title) for one in summaries]
    print_table(console(), ("RULE", "SEVERITY", "FINDS"), rows)
