"""The progress of the rollouts of changed workloads, by the rules of `kubectl rollout status`."""

from collections import defaultdict
from collections.abc import Iterable, Iterator
from operator import itemgetter
from typing import Any

from podium.api.kinds.snapshot_kinds import Identity, label
from podium.api.objects import (
    Object,
    condition_of,
    controller_uid,
    generation_of,
    is_terminating,
    key,
    part,
    spec_of,
    status_of,
    uid_of,
)
from podium.api.pods import is_ready
from podium.api.values.message_words import count
from podium.api.values.times import epoch_s
from podium.api.workloads import update_strategy_of
from podium.cluster.virtual import Cluster
from podium.controllers.kit.controller_revisions import revision_hash_of
from podium.controllers.stateful_set import ordinal_of
from podium.whatif.plan.plan_report import Rollout

# The default progress deadline of a Deployment; the other kinds have none of their own.
STANDSTILL_S = 600.0

# Where pods only become ready one after the other, counts repeat less often than this.
_REPEATS = 10

_KINDS = ("Deployment", "StatefulSet", "DaemonSet")
_DEADLINE = "ProgressDeadlineExceeded"
# Where the kinds that know OnDelete count their pods, and the updated ones of them.
_UPDATED = {
    "StatefulSet": ("replicas", "updatedReplicas"),
    "DaemonSet": ("currentNumberScheduled", "updatedNumberScheduled"),
}


class _Course:
    """The progress of one rollout by the counts in its workload's status.

    Counts that have occurred before are no progress: they recur if new pods fail at once.
    """

    def __init__(self) -> None:
        self.workload: Object | None = None
        self.moved_s = 0.0
        """When the counts were last new, in seconds since the plan began."""
        self.repeats = 0
        """How often earlier counts were written since then."""
        self._seen: set[tuple[Any, ...]] = set()

    def take(self, workload: Object, now_s: float) -> None:
        self.workload = workload
        status = status_of(workload)
        counts = (
            generation_of(workload),
            *(value for _, value in sorted(status.items()) if isinstance(value, int | str)),
        )
        if counts not in self._seen:
            self._seen.add(counts)
            self.moved_s, self.repeats = now_s, 0
        else:
            self.repeats += 1


class Rollouts:
    """Follows the rollouts of changed Deployments, StatefulSets and DaemonSets."""

    def __init__(self, cluster: Cluster, changed: Iterable[Identity], start_s: float) -> None:
        self._cluster = cluster
        self._start_s = start_s
        self._changed = changed
        self._courses: defaultdict[Identity, _Course] = defaultdict(_Course)
        self._ended_s: dict[Identity, float] = {}

    def look(self) -> None:
        """Record the progress since the last call."""
        for identity, workload in self._workloads():
            course = self._courses[identity]
            if course.workload is workload:
                continue
            course.take(workload, self._passed_s)
            if _lacking(workload):
                self._ended_s.pop(identity, None)
            else:
                self._ended_s.setdefault(identity, self._passed_s)

    def found(self) -> tuple[Rollout, ...]:
        """Return all rollouts as of the last `look`."""
        return tuple(self._rollout(*found) for found in self._workloads())

    def outdated(self) -> Iterator[str]:
        """Yield a warning for each workload with OnDelete that has pods of the old template."""
        for identity, workload in self._workloads():
            if not _is_on_delete(workload):
                continue
            pods, updated = (int(status_of(workload).get(of) or 0) for of in _UPDATED[identity[0]])
            if (old := pods - updated) > 0:
                yield (
                    f"{label(identity)}: {old} of {pods} pods keep the old template until they are "
                    "deleted, as its updateStrategy is OnDelete"
                )

    def _workloads(self) -> Iterator[tuple[Identity, Object]]:
        for identity in self._changed:
            workload = self._cluster.store.get(*identity) if identity[0] in _KINDS else None
            if workload is not None:
                yield identity, workload

    def _rollout(self, one: Identity, workload: Object) -> Rollout:
        lacking = _lacking(workload)
        if not lacking:
            at_s = round(self._ended_s.get(one, 0.0), 3)
            return Rollout(label(one), "Complete", "", at_s, namespace=one[1])
        is_paused = one[0] == "Deployment" and spec_of(workload).get("paused")
        status, wanted = status_of(workload), int(spec_of(workload).get("replicas") or 0)
        counts = (status.get("replicas"), status.get("availableReplicas"))
        is_settled = not _is_unobserved(workload) and all(int(n or 0) == wanted for n in counts)
        if is_paused and (is_settled or self._standstill_s(one) is not None):
            message = f"{lacking}, and the Deployment is paused"
            return Rollout(label(one), "Paused", message, namespace=one[1])
        missed_s = self._deadline_missed_s(one, workload)
        if missed_s is None:
            return Rollout(label(one), "Open", lacking, namespace=one[1])
        is_late = (condition_of(workload, "Progressing") or {}).get("reason") == _DEADLINE
        end = "its progress deadline has passed" if is_late else "nothing moves"
        message, at_s = f"{lacking}, and {end}", round(missed_s, 3)
        way_out = self._way_out(workload) if one[0] == "StatefulSet" else ""
        return Rollout(label(one), "Stuck", message, at_s, way_out=way_out, namespace=one[1])

    def _way_out(self, stateful_set: Object) -> str:
        spec, update = spec_of(stateful_set), status_of(stateful_set).get("updateRevision")
        if spec.get("podManagementPolicy") == "Parallel" or _is_on_delete(stateful_set):
            return ""
        partition = int(part(spec, "updateStrategy", "rollingUpdate").get("partition") or 0)
        pods = [
            (ordinal, pod)
            for pod in self._cluster.store.list("Pod").items
            if controller_uid(pod) == uid_of(stateful_set)
            and (ordinal := ordinal_of(stateful_set, pod)) is not None
        ]
        for ordinal, pod in sorted(pods, key=itemgetter(0)):
            if is_ready(pod):
                continue
            revision = revision_hash_of(pod)
            if ordinal < partition or revision == update or is_terminating(pod):
                return ""
            return (
                f"{key(pod)} is of the older revision {revision}, and with OrderedReady no pod is "
                "updated before all are ready: deleting it lets the update through"
            )
        return ""

    def _deadline_missed_s(self, identity: Identity, workload: Object) -> float | None:
        condition = condition_of(workload, "Progressing") or {}
        if condition.get("reason") == _DEADLINE:
            return epoch_s(condition["lastTransitionTime"]) - self._start_s
        # Of a Deployment, its controller says so, unless pods that come and go look like progress.
        is_judged = identity[0] != "Deployment" or self._courses[identity].repeats >= _REPEATS
        return self._standstill_s(identity) if is_judged else None

    def _standstill_s(self, identity: Identity) -> float | None:
        """Return when a rollout got stuck, in seconds since the plan began; None if it isn't."""
        course = self._courses[identity]
        wait_s = STANDSTILL_S + int(spec_of(course.workload or {}).get("minReadySeconds") or 0)
        end_s = course.moved_s + wait_s
        return end_s if self._passed_s >= end_s else None

    @property
    def _passed_s(self) -> float:
        return self._cluster.driver.now_s - self._start_s


def _lacking(workload: Object) -> str:
    """Return what a rollout lacks by `kubectl rollout status`; empty if it is complete."""
    if _is_unobserved(workload):
        return "its controller hasn't seen the change"
    spec, status, is_on_delete = spec_of(workload), status_of(workload), _is_on_delete(workload)

    def number(field: str) -> int:
        return int(status.get(field) or 0)

    wanted, updated = int(spec.get("replicas") or 0), number("updatedReplicas")
    match workload["kind"]:
        case "Deployment":
            if updated >= wanted and (old := number("replicas") - updated) > 0:
                return f"{count(old, 'old pod')} {'is' if old == 1 else 'are'} still there"
            checks = [
                (updated, wanted, "pods are updated"),
                (number("availableReplicas"), updated, "updated pods are available"),
            ]
        case "StatefulSet":
            partition = int(part(spec, "updateStrategy", "rollingUpdate").get("partition") or 0)
            is_current = status.get("updateRevision") == status.get("currentRevision")
            to_update = 0 if is_on_delete or is_current else max(wanted - partition, 0)
            ready = number("readyReplicas"), wanted, "pods are ready"
            checks = [ready, (updated, to_update, "pods are updated")]
        case _:
            wanted, updated = number("desiredNumberScheduled"), number("updatedNumberScheduled")
            checks = [
                (updated, 0 if is_on_delete else wanted, "pods are updated"),
                (number("numberAvailable"), wanted, "pods are available"),
            ]
    return next((f"{got} of {least} {what}" for got, least, what in checks if got < least), "")


def _is_on_delete(workload: Object) -> bool:
    return update_strategy_of(workload).get("type") == "OnDelete"


def _is_unobserved(workload: Object) -> bool:
    generation = generation_of(workload)
    return int(status_of(workload).get("observedGeneration") or 0) < generation
