"""The report of `podium lint`."""

from collections.abc import Mapping
from enum import StrEnum
from typing import Annotated, Literal

from podium.api.documents.report import API_VERSION, IF_ANY, OrNull, Report


class Severity(StrEnum):
    """The severity of a finding, ordered from the most severe."""

    ERROR = "error"
    WARNING = "warning"
    INFO = "info"

    @property
    def rank(self) -> int:
        """The position in the order, from 0 for the most severe."""
        return [*Severity].index(self)


class Finding(Report, kw_only=True):
    """A violation of a rule."""

    rule: str
    """The id of the rule."""
    severity: Severity
    """The severity of the rule."""
    kind: str
    """The kind of the object at fault."""
    namespace: OrNull = ""
    """The namespace of the object."""
    name: OrNull = ""
    """The name of the object."""
    field: OrNull = ""
    """The path of the field; empty if the fault concerns the whole object."""
    file: OrNull = ""
    """The file of the object; empty if the object was read from a running cluster."""
    line: int = 0
    """The line of the file on which the object begins; 0 if unknown."""
    item: Annotated[str, IF_ANY] = ""
    """The position of the object in a list without line numbers."""
    message: str
    """A description of the fault."""
    witnesses: tuple[str, ...] = ()
    """Other objects, nodes or numbers that show the fault."""
    suppressed_by: OrNull = ""
    """The reason given by the annotation that suppresses the finding."""

    @property
    def object(self) -> str:
        """`Kind namespace/name`, as far as the object has them."""
        place = f"{self.namespace}/" if self.namespace else ""
        return f"{self.kind} {place}{self.name}".rstrip()


class RuleSummary(Report):
    """A rule with its configured severity."""

    id: str
    severity: Severity
    title: str
    reason: str
    fix: str
    page: str


class ExcludedNamespace(Report):
    """A namespace that the configuration excludes, with its numbers of findings."""

    namespace: str
    """The name of the namespace."""
    findings: int
    """The number of findings."""
    rules: Mapping[str, int]
    """The number of findings by rule, the most severe first."""


class LintReport(Report, kw_only=True):
    """All findings, the most severe first.

    `rules` are the enabled rules, `suppressed` the findings that annotations suppress, `excluded`
    the number of findings in excluded namespaces, `excluded_in` these numbers by namespace, and
    `objects` the number of objects that were read.
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
        """Return the findings of at least a severity."""
        return [finding for finding in self.findings if finding.severity.rank <= severity.rank]
