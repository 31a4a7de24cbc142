"""Jobs that fail in the course of a plan, whole or in some of their indexes: their work is lost."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from podium.api.kinds.decisive_kinds import Identity, label
from podium.api.objects import condition_of
from podium.apiserver.store.store import Store
from podium.controllers.job.completion_indexes import read_indexes, write_indexes
from podium.simulation.timeline.entry import TimelineEntry
from podium.simulation.timeline.pod_history import PodHistories, PodHistory
from podium.whatif.plan.plan_report import FailedJob
from podium.whatif.plan.workload_owners import WorkloadOwners

_JOB = "Job"


@dataclass(frozen=True, slots=True)
class _Failure:
    reason: str
    message: str
    at_s: float
    indexes: frozenset[int] = frozenset()


class FailedJobs:
    """The Jobs that fail in the course of time, and which pods that concerns."""

    def __init__(self, entries: Iterable[TimelineEntry], store: Store) -> None:
        self._store = store
        self._failures = _failures(entries)

    def has_lost(self, pod: PodHistory) -> bool:
        """Whether the work of a pod is lost, so that no pod comes in its place any more."""
        failure = None if pod.owner is None else self._failures.get(pod.owner)
        return failure is not None and (not failure.indexes or pod.index in failure.indexes)

    def has_done_without(self, pod: PodHistory) -> bool:
        """Whether the Job of a pod has completed, with or without the pod."""
        job = None if pod.owner is None else self._store.get(*pod.owner)
        if job is None or job.get("kind") != _JOB:
            return False
        complete = condition_of(job, "SuccessCriteriaMet") or {}
        return complete.get("status") == "True"

    def found(self, histories: PodHistories, owners: WorkloadOwners) -> Iterator[FailedJob]:
        """The Jobs that fail, in order."""
        pods: Mapping[Identity, list[PodHistory]] = defaultdict(list)
        for pod in histories.by_uid.values():
            if pod.owner is not None and pod.owner in self._failures:
                pods[pod.owner].append(pod)
        for job, failure in self._failures.items():
            lost = [pod for pod in pods[job] if pod.ended_s is not None and self.has_lost(pod)]
            replaced = {pod.replaces for pod in pods[job]}
            most = max(pods[job], key=lambda pod: pod.priority, default=None)
            yield FailedJob(
                job=label(job),
                namespace=job[1],
                workload=owners.workload("", job),
                priority=0 if most is None else most.priority,
                priority_class="" if most is None else most.priority_class,
                reason=failure.reason,
                message=failure.message,
                indexes=write_indexes(failure.indexes),
                at_s=round(failure.at_s, 3),
                pods=sum(pod.uid not in replaced for pod in lost),
            )


def _failures(entries: Iterable[TimelineEntry]) -> Mapping[Identity, _Failure]:
    found: dict[Identity, _Failure] = {}
    for entry in entries:
        job, details = (entry.kind, entry.namespace, entry.name), entry.details
        if entry.type == "JobFailed":
            found[job] = _Failure(details["reason"], details["message"], entry.at_s)
        elif entry.type == "JobIndexesFailed":
            known = found.get(job)
            new = read_indexes(details["indexes"]) - read_indexes(details["before"])
            if known is None:
                found[job] = _of_indexes(new, entry.at_s)
            elif known.indexes:
                found[job] = _of_indexes(known.indexes | new, known.at_s)
    return found


def _of_indexes(indexes: frozenset[int], at_s: float) -> _Failure:
    words = "index {} has failed" if len(indexes) == 1 else "indexes {} have failed"
    return _Failure("FailedIndexes", words.format(write_indexes(indexes)), at_s, indexes)
