"""Linting: what the rules find in a cluster view, less what isn't to be told."""

from collections import Counter, defaultdict
from collections.abc import Callable
from dataclasses import replace
from typing import NamedTuple

from podium.api.objects import Object, metadata_of, name
from podium.whatif.lint.catalogue import RULES, reason_for
from podium.whatif.lint.cluster_view import ClusterView
from podium.whatif.lint.configuration import LintConfiguration
from podium.whatif.lint.lint_report import ExcludedNamespace, Finding, LintReport


class Place(NamedTuple):
    """Where an object was read; the `item` of a list where the line doesn't tell it."""

    file: str
    line: int = 0
    item: str = ""


NOWHERE = Place("")

PlaceOf = Callable[[Object], Place]
"""Tells where an object was read."""


def lint(
    view: ClusterView, configuration: LintConfiguration, place_of: PlaceOf = lambda _: NOWHERE
) -> LintReport:
    """Ask all rules that count."""
    asked = {rule: configuration.severity_of(rule) for rule in RULES.values()}
    rules = {rule: severity for rule, severity in asked.items() if severity is not None}
    found = []
    for rule, severity in rules.items():
        for offence in rule.check(view):
            read = place_of(offence.obj)
            found.append(
                Finding(
                    rule=rule.id,
                    severity=severity,
                    kind=str(offence.obj["kind"]),
                    namespace=str(metadata_of(offence.obj).get("namespace") or ""),
                    name=name(offence.obj),
                    field=offence.field,
                    file=read.file,
                    line=read.line,
                    item=read.item,
                    message=offence.message,
                    witnesses=offence.witnesses,
                    suppressed_by=reason_for(offence.obj, rule.id),
                )
            )
    told, excluded = list[Finding](), list[Finding]()
    # The gravest first, rule by rule; of one rule by object. Nothing stands there twice.
    place = {rule_id: index for index, rule_id in enumerate(RULES)}
    found.sort(
        key=lambda one: (one.severity.rank, place[one.rule], one.object, one.field, one.message)
    )
    for one in dict.fromkeys(found):
        (excluded if one.namespace in configuration.exclude_namespaces else told).append(one)
    by_namespace = defaultdict[str, Counter[str]](Counter)
    for one in excluded:
        by_namespace[one.namespace][one.rule] += 1
    return LintReport(
        findings=tuple(one for one in told if not one.suppressed_by),
        suppressed=tuple(one for one in told if one.suppressed_by),
        rules=tuple(replace(one.summary, severity=severity) for one, severity in rules.items()),
        objects=sum(map(len, view.by_kind.values())),
        excluded=len(excluded),
        excluded_in=tuple(
            ExcludedNamespace(place, counts.total(), dict(counts))
            for place, counts in sorted(by_namespace.items())
        ),
    )
