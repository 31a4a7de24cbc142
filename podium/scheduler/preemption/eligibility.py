"""Whether a pod may preempt others at all (PodEligibleToPreemptOthers, v1.36)."""

from podium.api.policy.disruption_target import BY_SCHEDULER, disruption_reason
from podium.scheduler.snapshot.pod_info import PodInfo
from podium.scheduler.snapshot.snapshot import Snapshot

NEVER = "not eligible due to preemptionPolicy=Never."
VICTIMS_TERMINATING = "not eligible due to a terminating pod on the nominated node."


def ineligible(pod: PodInfo, snapshot: Snapshot, nominated_outcome: int) -> str:
    """Why the pod may not preempt; empty if it may.

    Args:
        nominated_outcome: the filters' code of its nominated node; a negative one lets the pod
            look for another node.
    """
    if not pod.cls.preempts:
        return NEVER
    row = snapshot.row_of.get(pod.nominated_node_name)
    if row is None or nominated_outcome < 0:
        return ""
    if any(
        victim.cls.terminating
        and victim.priority < pod.priority
        and disruption_reason(victim.obj) == BY_SCHEDULER.reason
        for victim in snapshot.pods_on[row]
    ):
        return VICTIMS_TERMINATING
    return ""
