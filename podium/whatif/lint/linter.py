"""Linting: all rules, their suppression and configuration, and the findings in a cluster view.

The annotation `lint.podium.dev/RULE: the reason` suppresses a rule for its object; without a reason
it suppresses nothing.
"""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Annotated, Any

from pydantic import BeforeValidator, WithJsonSchema

from podium.api.documents.document import Choice, Document, Tuple, fault
from podium.api.documents.report import API_VERSION
from podium.api.errors import ErrorKind, FieldError
from podium.api.objects import Object, annotations, metadata_of, name
from podium.api.values.message_words import likely_meant
from podium.cluster.manifests.problems import Source
from podium.whatif.lint.cluster_view import ClusterView, Thresholds
from podium.whatif.lint.lint_report import (
    ExcludedNamespace,
    Finding,
    LintReport,
    RuleSummary,
    Severity,
)
from podium.whatif.lint.rule import Offence, Rule
from podium.whatif.lint.rules import (
    devices,
    disruption_budgets,
    kubelet,
    node_fit,
    pod_lifecycle,
    priorities,
    quotas,
    resources,
    topology,
)

PREFIX = "lint.podium.dev/"
_SUBJECTS = (
    priorities,
    disruption_budgets,
    topology,
    node_fit,
    devices,
    resources,
    pod_lifecycle,
    quotas,
    kubelet,
)


def reason_for(obj: Object, rule_id: str) -> str:
    """Return the reason given by an object's annotation that suppresses a rule; empty if none."""
    return str(annotations(obj).get(PREFIX + rule_id) or "").strip()


@Rule
def suppression_without_reason(view: ClusterView) -> Iterator[Offence]:
    """The annotation that suppresses a rule has no reason as value."""
    for obj, rule_id, field in _suppressed(view):
        if not reason_for(obj, rule_id):
            yield Offence(obj, f"{rule_id} is suppressed without a reason", field)


@Rule
def unknown_rule_suppressed(view: ClusterView) -> Iterator[Offence]:
    """The annotation that suppresses a rule names an unknown rule."""
    for obj, rule_id, field in _suppressed(view):
        if rule_id not in _ABOUT_OBJECTS:
            message = f"there is no rule {rule_id}{likely_meant(rule_id, _ABOUT_OBJECTS)}"
            yield Offence(obj, message, field)


def _suppressed(view: ClusterView) -> Iterator[tuple[Object, str, str]]:
    for objects in view.by_kind.values():
        for obj in objects:
            for key in annotations(obj):
                if key.startswith(PREFIX):
                    yield obj, key.removeprefix(PREFIX), f"metadata.annotations[{key}]"


_ABOUT_OBJECTS = {
    one.id: one for subject in _SUBJECTS for one in vars(subject).values() if isinstance(one, Rule)
}
RULES: Mapping[str, Rule] = {
    **_ABOUT_OBJECTS,
    **{one.id: one for one in (suppression_without_reason, unknown_rule_suppressed)},
}
"""All rules by id, subject by subject."""


KIND = "LintConfiguration"
FILE = ".podium-lint.yaml"

_LEVELS = (*Severity, "off")
_SYSTEM_NAMESPACES = ("kube-node-lease", "kube-public", "kube-system")


def _level(given: Any) -> Severity | None:
    # YAML takes a plain off for false.
    if given in ("off", False):
        return None
    if given not in list(Severity):
        raise fault(f"must be one of {', '.join(_LEVELS)}")
    return Severity(given)


Level = Annotated[
    Severity | None, BeforeValidator(_level), WithJsonSchema({"enum": [*_LEVELS, False]})
]
"""The severity of a rule; None if it is off."""


class LintConfiguration(Document):
    """The configuration of `podium lint`."""

    api_version: Annotated[str, Choice((API_VERSION,))] = API_VERSION
    kind: Annotated[str, Choice((KIND,))] = KIND
    rules: dict[str, Level] = {}
    """Severities of rules by id, or `off`; by default, the severities in the rules' pages."""
    exclude_namespaces: Tuple[str] = _SYSTEM_NAMESPACES
    """Namespaces whose findings are only counted."""
    thresholds: Thresholds = Thresholds()
    """Numbers with which rules compare."""

    @classmethod
    def faults_as_written(cls, value: Mapping[str, Any]) -> Iterable[FieldError]:
        """Yield an error for each unknown rule."""
        rules = value.get("rules")
        for rule_id in rules if isinstance(rules, dict) else ():
            if rule_id not in RULES:
                message = "there is no such rule; podium lint --list lists them"
                yield FieldError("rules", rule_id, message, ErrorKind.NOT_FOUND)


NOWHERE = Source("")


def lint(
    view: ClusterView,
    configuration: LintConfiguration,
    source_of: Callable[[Object], Source] = lambda _: NOWHERE,
) -> LintReport:
    """Check a view by all enabled rules, and sort the findings by severity."""
    findings, rules = list[Finding](), list[RuleSummary]()
    for rule in RULES.values():
        severity = configuration.rules.get(rule.id, rule.summary.severity)
        if severity is None:
            continue
        rules.append(replace(rule.summary, severity=severity))
        for offence in rule.check(view):
            source = source_of(offence.obj)
            line, item = source.place
            findings.append(
                Finding(
                    rule=rule.id,
                    severity=severity,
                    kind=str(offence.obj["kind"]),
                    namespace=str(metadata_of(offence.obj).get("namespace") or ""),
                    name=name(offence.obj),
                    field=offence.field,
                    file=source.file,
                    line=line,
                    item=item,
                    message=offence.message,
                    witnesses=offence.witnesses,
                    suppressed_by=reason_for(offence.obj, rule.id),
                )
            )
    # The gravest first, rule by rule, and by object; without duplicates.
    ranks = {rule_id: rank for rank, rule_id in enumerate(RULES)}
    findings.sort(
        key=lambda one: (one.severity.rank, ranks[one.rule], one.object, one.field, one.message)
    )
    included, excluded = list[Finding](), defaultdict[str, Counter[str]](Counter)
    for finding in dict.fromkeys(findings):
        if finding.namespace in configuration.exclude_namespaces:
            excluded[finding.namespace][finding.rule] += 1
        else:
            included.append(finding)
    return LintReport(
        findings=tuple(one for one in included if not one.suppressed_by),
        suppressed=tuple(one for one in included if one.suppressed_by),
        rules=tuple(rules),
        objects=sum(map(len, view.by_kind.values())),
        excluded=sum(counts.total() for counts in excluded.values()),
        excluded_in=tuple(
            ExcludedNamespace(namespace, counts.total(), dict(counts))
            for namespace, counts in sorted(excluded.items())
        ),
    )
