"""Linting: what the rules find in a cluster view, less what isn't to be told."""

from collections.abc import Callable, Iterator

from podium.api.objects import Object, metadata_of, name
from podium.linting.catalogue import RULES
from podium.linting.cluster_view import ClusterView
from podium.linting.configuration import LintConfiguration
from podium.linting.lint_report import Finding, LintReport, RuleSummary
from podium.linting.rule import Offence, Rule
from podium.linting.severity import Severity
from podium.linting.suppressions import reason_for

SourceOf = Callable[[Object], tuple[str, int]]
"""Tells in which file and on which line of it an object stands."""


def lint(
    view: ClusterView, configuration: LintConfiguration, source_of: SourceOf = lambda _: ("", 0)
) -> LintReport:
    """Ask all rules that count.

    Args:
        view: of what is judged.
        configuration: which rules count, and how much.
        source_of: tells where objects were read.
    """
    asked = {rule: configuration.severity_of(rule) for rule in RULES.values()}
    rules = {rule: severity for rule, severity in asked.items() if severity is not None}
    found = [
        _finding(rule, severity, offence, source_of)
        for rule, severity in rules.items()
        for offence in rule.check(view, configuration.thresholds)
    ]
    excluded = configuration.exclude_namespaces
    told = [one for one in _ordered(found) if one.namespace not in excluded]
    return LintReport(
        findings=tuple(one for one in told if not one.suppressed_by),
        suppressed=tuple(one for one in told if one.suppressed_by),
        rules=tuple(RuleSummary.of(rule, severity) for rule, severity in rules.items()),
        objects=sum(map(len, view.by_kind.values())),
        excluded=len(found) - len(told),
    )


def _ordered(found: list[Finding]) -> Iterator[Finding]:
    """The gravest first, rule by rule; of one rule by object. Nothing stands there twice."""
    place = {rule_id: index for index, rule_id in enumerate(RULES)}
    ordered = sorted(
        found,
        key=lambda one: (one.severity.rank, place[one.rule], one.object, one.field, one.message),
    )
    yield from dict.fromkeys(ordered)


def _finding(rule: Rule, severity: Severity, found: Offence, source_of: SourceOf) -> Finding:
    file, line = source_of(found.obj)
    return Finding(
        rule=rule.id,
        severity=severity,
        kind=str(found.obj["kind"]),
        namespace=str(metadata_of(found.obj).get("namespace") or ""),
        name=name(found.obj),
        field=found.field,
        file=file,
        line=line,
        message=found.message,
        witnesses=found.witnesses,
        suppressed_by=reason_for(found.obj, rule.id),
    )
