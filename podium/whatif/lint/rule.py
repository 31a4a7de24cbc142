"""Lint rules: a check, with a page of the documentation, which is part of the package."""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property, wraps
from pathlib import Path

from podium.api.objects import Object
from podium.whatif.lint.cluster_view import ClusterView
from podium.whatif.lint.lint_report import RuleSummary, Severity
from podium.whatif.lint.workload_reader import Workload

_HERE = Path(__file__).parent
# Of an installed package, and of a checkout.
_FOLDERS = (_HERE / "pages", _HERE.parents[2] / "docs" / "lint")
_HEAD = re.compile(r"# \S+\n\n(\w+): (.+)\.\n\n(.+)\n\n## Fix\n\n(.+)\n\n## Bad\n")


@dataclass(frozen=True, slots=True)
class Offence:
    """A violation of a rule by an object."""

    obj: Object
    message: str
    field: str = ""
    """The path of the field; empty if the violation concerns the whole object."""
    witnesses: tuple[str, ...] = ()
    """Other objects, nodes or numbers that show the violation."""


@dataclass(frozen=True, eq=False)
class Rule:
    """A rule of `podium lint`: `no_default_class` checks what `no-default-class.md` explains."""

    check: Callable[[ClusterView], Iterator[Offence]]

    @property
    def id(self) -> str:
        """The stable name of the rule."""
        return self.check.__name__.replace("_", "-")

    @cached_property
    def text(self) -> str:
        """The page about the rule, as Markdown."""
        folder = next(filter(Path.is_dir, _FOLDERS))
        return (folder / f"{self.id}.md").read_text(encoding="utf-8")

    @cached_property
    def summary(self) -> RuleSummary:
        """The severity, title, reason and fix, read from the head of the rule's page."""
        head = _HEAD.match(self.text)
        if head is None:
            raise ValueError(f"the page about {self.id} doesn't begin as pages about rules do")
        severity, title, reason, fix = head.groups()
        page = f"docs/lint/{self.id}.md"
        return RuleSummary(self.id, Severity(severity), title, reason, fix, page)


def workload_rule(check: Callable[[ClusterView, Workload], Iterator[Offence]]) -> Rule:
    """Make a rule from a check that is called for each workload."""

    @wraps(check)
    def each(view: ClusterView) -> Iterator[Offence]:
        for workload in view.workloads:
            yield from check(view, workload)

    return Rule(each)
