"""The configuration file of `podium lint`: which rules count, how much, and their thresholds."""

from collections.abc import Iterable, Mapping
from typing import Annotated, Any

from pydantic import BeforeValidator, WithJsonSchema

from podium.api.documents.document import Choice, Document, Tuple, fault
from podium.api.documents.report import API_VERSION
from podium.api.errors import ErrorKind, FieldError
from podium.whatif.lint.catalogue import RULES
from podium.whatif.lint.cluster_view import Thresholds
from podium.whatif.lint.lint_report import Severity
from podium.whatif.lint.rule import Rule

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
"""How much a rule matters; None if it doesn't."""


class LintConfiguration(Document):
    """What `podium lint` looks for.

    Attributes:
        rules: how much single rules matter, by id; `off` if they don't. The others matter as
            much as their pages say.
        exclude_namespaces: nothing is said of what is in these namespaces.
        thresholds: the numbers by which rules judge.
    """

    api_version: Annotated[str, Choice((API_VERSION,))] = API_VERSION
    kind: Annotated[str, Choice((KIND,))] = KIND
    rules: dict[str, Level] = {}
    exclude_namespaces: Tuple[str] = _SYSTEM_NAMESPACES
    thresholds: Thresholds = Thresholds()

    @classmethod
    def faults_as_written(cls, value: Mapping[str, Any]) -> Iterable[FieldError]:
        """The rules must be known."""
        rules = value.get("rules")
        for rule_id in rules if isinstance(rules, dict) else ():
            if rule_id not in RULES:
                message = "there is no such rule; podium lint --list lists them"
                yield FieldError("rules", rule_id, message, ErrorKind.NOT_FOUND)

    def severity_of(self, rule: Rule) -> Severity | None:
        """How much a rule matters; None if it doesn't."""
        return self.rules.get(rule.id, rule.summary.severity)
