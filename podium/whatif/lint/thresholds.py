"""The numbers by which rules judge, and their defaults."""

from typing import Annotated

from podium.api.documents.document import Document, Duration, Range


class Thresholds(Document):
    """The numbers by which rules judge.

    Attributes:
        levels_max: how many different values the PriorityClasses of users may have.
        levels_between: how many values must be free between two neighbouring ones.
        replicas_min: from how many replicas on a workload should have a budget.
        critical_from: from which priority on a workload is critical; the value of the highest
            PriorityClass of users unless given.
        grace_period: how long pods that others may preempt should take to end at most.
    """

    levels_max: Annotated[int, Range(1)] = 10
    levels_between: Annotated[int, Range(0)] = 1
    replicas_min: Annotated[int, Range(1)] = 2
    critical_from: int | None = None
    grace_period: Duration = 60.0
