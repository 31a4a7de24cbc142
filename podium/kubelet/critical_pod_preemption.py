"""The preemption of pods by a kubelet to admit a critical pod (CriticalPodAdmissionHandler, v1.36).

Guaranteed pods are stopped only if stopping all others isn't enough, and Burstable pods only if
stopping all BestEffort pods isn't. Of each QoS class as few pods as possible are stopped: first the
pod that brings the missing amounts closest to 0, then the smaller pod, then the latest (v1.36 has
the order of a Go map).
"""

from collections.abc import Iterable, Mapping, Sequence

from podium.api.priority import is_critical, pod_priority
from podium.api.resources import stored_or_computed_qos
from podium.kubelet.pod_admission import PODS, InsufficientResource
from podium.scheduler.snapshot.pod_info import PodInfo

Needs = Mapping[str, int]

REASON = "Preempting"
MESSAGE = "Preempted in order to admit critical pod"
CONDITION_MESSAGE = "Pod was preempted by Kubelet to accommodate a critical pod."


def victims(
    pod: PodInfo, others: Iterable[PodInfo], short: Iterable[InsufficientResource]
) -> list[PodInfo] | None:
    """Return the pods to stop for `pod`, least important first; None if no set is enough."""
    needs = {insufficient.resource: insufficient.missing for insufficient in short}
    by_class: dict[str, list[PodInfo]] = {"BestEffort": [], "Burstable": [], "Guaranteed": []}
    for other in others:
        outranks = is_critical(pod.obj) and not is_critical(other.obj)
        if outranks or pod_priority(pod.obj) > pod_priority(other.obj):
            by_class[stored_or_computed_qos(other.obj)].append(other)
    best_effort, burstable, guaranteed = by_class.values()
    if _left(needs, (*best_effort, *burstable, *guaranteed)):
        return None
    taken = _closest(guaranteed, _left(needs, (*best_effort, *burstable)))
    more = _closest(burstable, _left(needs, (*best_effort, *taken)))
    most = _closest(best_effort, _left(needs, (*more, *taken)))
    return [*most, *more, *taken]


def _left(needs: Needs, pods: Iterable[PodInfo]) -> dict[str, int]:
    stopped = list(pods)
    return {
        resource: left
        for resource, amount in needs.items()
        if (left := amount - sum(_held(pod, resource) for pod in stopped)) > 0
    }


def _closest(pods: Sequence[PodInfo], needs: Needs) -> list[PodInfo]:
    def order(pod: PodInfo) -> tuple[float, int, int]:
        missing = (max(n - _held(pod, resource), 0) / n for resource, n in needs.items())
        return sum(share * share for share in missing), _held(pod, "memory"), _held(pod, "cpu")

    chosen: list[PodInfo] = []
    left = list(pods)
    while needs:
        best = min(reversed(left), key=order)
        left.remove(best)
        chosen.append(best)
        needs = _left(needs, (best,))
    return chosen


def _held(pod: PodInfo, resource: str) -> int:
    return 1 if resource == PODS else pod.cls.held.get(resource, 0)
