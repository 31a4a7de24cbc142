"""All rules, by id: those that the modules of each subject define, in their order."""

from collections.abc import Mapping

from podium.whatif.lint.rule import Rule
from podium.whatif.lint.rules import (
    affinity,
    disruption_budgets,
    kubelet,
    node_fit,
    pod_lifecycle,
    pod_priorities,
    priority_classes,
    quotas,
    resources,
    rollouts,
    spreading,
    tolerations,
)
from podium.whatif.lint.suppressions import suppression_without_reason, unknown_rule_suppressed

_SUBJECTS = (
    priority_classes,
    pod_priorities,
    disruption_budgets,
    affinity,
    spreading,
    node_fit,
    resources,
    pod_lifecycle,
    rollouts,
    tolerations,
    quotas,
    kubelet,
)
_ABOUT_OBJECTS = tuple(
    one for subject in _SUBJECTS for one in vars(subject).values() if isinstance(one, Rule)
)

RULES: Mapping[str, Rule] = {
    rule.id: rule
    for rule in (
        *_ABOUT_OBJECTS,
        suppression_without_reason,
        unknown_rule_suppressed([rule.id for rule in _ABOUT_OBJECTS]),
    )
}
"""All rules by id, subject by subject."""
