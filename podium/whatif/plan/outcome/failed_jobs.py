"""Jobs that fail in the course of a plan, whole or in some of their indexes: their work is lost."""

from collections import defaultdict
from collections.abc import Iterator, Mapping

from podium.api.kinds.snapshot_kinds import Identity, label
from podium.api.objects import holds
from podium.controllers.job.completion_indexes import write_indexes
from podium.simulation.timeline.pod_history import PodHistory
from podium.whatif.plan.outcome.timeline import Timeline
from podium.whatif.plan.plan_report import FailedJob


def is_lost_with_job(timeline: Timeline, pod: PodHistory) -> bool:
    """Whether the work of a pod is lost, so that no pod comes in its place any more."""
    failure = None if pod.owner is None else timeline.job_failures.get(pod.owner)
    return failure is not None and (not failure.indexes or pod.index in failure.indexes)


def is_done_without(timeline: Timeline, pod: PodHistory) -> bool:
    """Whether the Job of a pod has completed, with or without the pod."""
    job = None if pod.owner is None else timeline.store.get(*pod.owner)
    return job is not None and job.get("kind") == "Job" and holds(job, "SuccessCriteriaMet")


def failed_jobs(timeline: Timeline) -> Iterator[FailedJob]:
    """The Jobs that fail, in order."""
    pods: Mapping[Identity, list[PodHistory]] = defaultdict(list)
    for pod in timeline.histories.by_uid.values():
        if pod.owner in timeline.job_failures:
            pods[pod.owner].append(pod)
    for job, failure in timeline.job_failures.items():
        ended = (pod for pod in pods[job] if pod.ended_s is not None)
        lost = [pod for pod in ended if is_lost_with_job(timeline, pod)]
        replaced = {pod.replaces for pod in pods[job]}
        most = max(pods[job], key=lambda pod: pod.priority, default=None)
        yield FailedJob(
            job=label(job),
            namespace=job[1],
            workload=timeline.owners.workload("", job),
            priority=0 if most is None else most.priority,
            priority_class="" if most is None else most.priority_class,
            reason=failure.reason,
            message=failure.message,
            indexes=write_indexes(failure.indexes),
            at_s=round(failure.at_s, 3),
            pods=sum(pod.uid not in replaced for pod in lost),
        )
