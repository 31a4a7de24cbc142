"""What `podium lint` reports."""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Annotated, Literal

from podium.api.documents.report import API_VERSION, IF_ANY, OrNull, Report


class Severity(StrEnum):
    """How much a finding matters, the gravest first."""

    ERROR = "error"
    WARNING = "warning"
    INFO = "info"

    @property
    def rank(self) -> int:
        """Its place, from 0 for the gravest."""
        return [*Severity].index(self)


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding(Report):
    """Something that a rule has found.

    Attributes:
        rule: its id.
        severity: how much it matters.
        kind: of the object at fault.
        namespace: of the object.
        name: of the object.
        field: where in the object; empty if it is about all of it.
        file: where the object was read; empty if it comes from a running cluster.
        line: of the file, on which the object begins; 0 if it isn't known.
        item: position of the object in a list, where the line doesn't tell it.
        message: what is wrong.
        witnesses: what else it takes to see it.
        suppressed_by: the reason for which the object's annotation suppresses it.
    """

    rule: str
    severity: Severity
    kind: str
    namespace: OrNull = ""
    name: OrNull = ""
    field: OrNull = ""
    file: OrNull = ""
    line: int = 0
    item: Annotated[str, IF_ANY] = ""
    message: str
    witnesses: tuple[str, ...] = ()
    suppressed_by: OrNull = ""

    @property
    def object(self) -> str:
        """`Kind namespace/name`, as far as the object has them."""
        place = f"{self.namespace}/" if self.namespace else ""
        return f"{self.kind} {place}{self.name}".rstrip()


@dataclass(frozen=True, slots=True)
class RuleSummary(Report):
    """A rule, and how much it matters here."""

    id: str
    severity: Severity
    title: str
    reason: str
    fix: str
    page: str


@dataclass(frozen=True, slots=True)
class ExcludedNamespace(Report):
    """A namespace that the configuration excludes, and what was found there.

    Attributes:
        namespace: its name.
        findings: how many there are.
        rules: how many by rule, the gravest first.
    """

    namespace: str
    findings: int
    rules: Mapping[str, int]


@dataclass(frozen=True, slots=True, kw_only=True)
class LintReport(Report):
    """What was found, the gravest first, and by which rules.

    `rules` has all rules that were asked, `suppressed` what annotations of objects suppress, and
    `excluded` says how much was found in namespaces that the configuration excludes, and
    `excluded_in` in which of them and by which rules. `objects` says how many were read.
    """

    api_version: str = API_VERSION
    kind: Literal["LintReport"] = "LintReport"
    findings: tuple[Finding, ...] = ()
    suppressed: tuple[Finding, ...] = ()
    rules: tuple[RuleSummary, ...] = ()
    objects: int = 0
    excluded: int = 0
    excluded_in: tuple[ExcludedNamespace, ...] = ()
    warnings: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()

    def at_least(self, severity: Severity) -> list[Finding]:
        """What was found that matters at least so much."""
        return [one for one in self.findings if one.severity.rank <= severity.rank]
