"""All rules, by id: those that the modules of each subject define, in their order."""

from collections.abc import Mapping

from podium.whatif.lint.rule import Rule
from podium.whatif.lint.rules import affinity
from podium.whatif.lint.rules import disruption_budgets
from podium.whatif.lint.rules import kubelet
from podium.whatif.lint.rules import node_fit
from podium.whatif.lint.rules import pod_lifecycle
from podium.whatif.lint.rules import pod_priorities
from podium.whatif.lint.rules import priority_classes
from podium.whatif.lint.rules import quotas
from podium.whatif.lint.rules import resources
from podium.whatif.lint.rules import rollouts
from podium.whatif.lint.rules import spreading
from podium.whatif.lint.rules import tolerations
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
