"""A rule: what it looks for, why that matters, what to do about it, and its check."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from podium.api.objects import Object
from podium.whatif.lint.cluster_view import ClusterView
from podium.whatif.lint.severity import Severity
from podium.whatif.lint.thresholds import Thresholds


@dataclass(frozen=True, slots=True)
class Offence:
    """What a check has found.

    Attributes:
        field: where in the object that is; empty if it is about all of it.
        witnesses: what else it takes to see it: other objects, nodes, numbers.
    """

    obj: Object
    message: str
    field: str = ""
    witnesses: tuple[str, ...] = ()


Check = Callable[[ClusterView, Thresholds], Iterator[Offence]]


@dataclass(frozen=True, slots=True)
class Rule:
    """A rule of `podium lint`: what it finds, why that matters, and how to mend it.

    Attributes:
        id: by which people name it; it never changes.
        severity: how much it matters, unless the configuration says otherwise.
    """

    id: str
    severity: Severity
    title: str
    reason: str
    fix: str
    check: Check

    @property
    def page(self) -> str:
        """Where the documentation has more about it."""
        return f"docs/lint/{self.id}.md"


def rule(
    rule_id: str, severity: Severity, title: str, *, reason: str, fix: str
) -> Callable[[Check], Rule]:
    """Make a rule of its check."""
    return lambda check: Rule(rule_id, severity, title, reason, fix, check)
