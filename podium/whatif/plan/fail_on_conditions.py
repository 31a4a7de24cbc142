"""The conditions of `--fail-on`: outcomes of a plan that users want to fail on."""

from enum import StrEnum


class Condition(StrEnum):
    """A condition on which `podium plan` can be made to fail."""

    PREEMPTION = "preemption"
    EVICTION = "eviction"
    LOST_WORK = "lost-work"
    PDB_VIOLATION = "pdb-violation"
    PENDING = "pending"
    REJECTED = "rejected"
    REFUSED = "refused"
    BELOW_BUDGET = "below-budget"
    UNAVAILABLE = "unavailable"
    READY_SHARE = "ready<N%"
    STUCK_ROLLOUT = "stuck-rollout"
    UNPLAYED = "unplayed"
    UNDRAINED = "undrained"
    STALE_PRIORITY = "stale-priority"
