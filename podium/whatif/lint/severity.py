"""How much it matters what a rule finds."""

from enum import StrEnum


class Severity(StrEnum):
    """How much a finding matters, the gravest first."""

    ERROR = "error"
    WARNING = "warning"
    INFO = "info"

    @property
    def rank(self) -> int:
        """Its place, from 0 for the gravest."""
        return _RANKS[self]


_RANKS = {one: rank for rank, one in enumerate(Severity)}
