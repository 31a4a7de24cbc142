"""What a plan may come to that somebody doesn't want."""

from enum import StrEnum


class Condition(StrEnum):
    """A condition on which `podium plan` can be made to fail."""

    PREEMPTION = "preemption"
    EVICTION = "eviction"
    PDB_VIOLATION = "pdb-violation"
    PENDING = "pending"
    REJECTED = "rejected"
    REFUSED = "refused"
    STUCK_ROLLOUT = "stuck-rollout"
    UNPLAYED = "unplayed"
    UNDRAINED = "undrained"
