"""Annotations by which an object says that a rule doesn't apply to it, and why.

`lint.podium.dev/RULE: the reason`. An annotation without a reason suppresses nothing.
"""

from collections.abc import Collection, Iterator

from podium.api.objects import Object, annotations
from podium.api.values.message_words import likely_meant
from podium.whatif.lint.cluster_view import ClusterView
from podium.whatif.lint.rule import Offence, Rule, rule
from podium.whatif.lint.severity import Severity
from podium.whatif.lint.thresholds import Thresholds

PREFIX = "lint.podium.dev/"


def reason_for(obj: Object, rule_id: str) -> str:
    """Why a rule doesn't apply to an object; empty if it does."""
    return str(annotations(obj).get(PREFIX + rule_id) or "").strip()


@rule(
    "suppression-without-reason",
    Severity.WARNING,
    "A rule is suppressed without a reason",
    reason="Nobody will know later whether it may go. Without a reason it suppresses nothing.",
    fix="Write the reason as the value of the annotation.",
)
def suppression_without_reason(view: ClusterView, _: Thresholds) -> Iterator[Offence]:
    """An annotation names a rule, and its value is empty."""
    for obj, rule_id in _suppressed(view):
        if not reason_for(obj, rule_id):
            yield Offence(obj, f"{rule_id} is suppressed without a reason", _field(rule_id))


def unknown_rule_suppressed(known: Collection[str]) -> Rule:
    """The rule that annotations name rules that there are."""

    @rule(
        "unknown-rule-suppressed",
        Severity.WARNING,
        "An annotation suppresses a rule that there isn't",
        reason="It suppresses nothing: the id is misspelt, or the rule is gone.",
        fix="Correct the id, or remove the annotation; `podium lint --list` lists the rules.",
    )
    def unknown(view: ClusterView, _: Thresholds) -> Iterator[Offence]:
        for obj, rule_id in _suppressed(view):
            if rule_id not in known:
                message = f"there is no rule {rule_id}{likely_meant(rule_id, known)}"
                yield Offence(obj, message, _field(rule_id))

    return unknown


def _suppressed(view: ClusterView) -> Iterator[tuple[Object, str]]:
    for objects in view.by_kind.values():
        for obj in objects:
            for key in annotations(obj):
                if key.startswith(PREFIX):
                    yield obj, key.removeprefix(PREFIX)


def _field(rule_id: str) -> str:
    return f"metadata.annotations[{PREFIX}{rule_id}]"
