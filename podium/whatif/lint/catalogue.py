"""All lint rules, and the annotations of objects that suppress them.

An annotation reads `lint.podium.dev/RULE: the reason`; without a reason it suppresses nothing.
"""

from collections.abc import Iterator, Mapping

from podium.api.objects import Object, annotations
from podium.api.values.message_words import likely_meant
from podium.whatif.lint.cluster_view import ClusterView
from podium.whatif.lint.rule import Offence, Rule
from podium.whatif.lint.rules import (
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
    resources,
    pod_lifecycle,
    quotas,
    kubelet,
)


def reason_for(obj: Object, rule_id: str) -> str:
    """Return the reason for which an object's annotation suppresses a rule; empty if none does."""
    return str(annotations(obj).get(PREFIX + rule_id) or "").strip()


@Rule
def suppression_without_reason(view: ClusterView) -> Iterator[Offence]:
    """An annotation names a rule, and its value is empty."""
    for obj, rule_id, field in _suppressed(view):
        if not reason_for(obj, rule_id):
            yield Offence(obj, f"{rule_id} is suppressed without a reason", field)


@Rule
def unknown_rule_suppressed(view: ClusterView) -> Iterator[Offence]:
    """An annotation names an unknown rule."""
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
