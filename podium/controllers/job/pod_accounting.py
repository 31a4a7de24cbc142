"""A Job's pods: what has become of one, and how a new one is made."""

from collections.abc import Iterable, Mapping

from podium.api.objects import (
    Object,
    annotations,
    condition_of,
    entries,
    finalizers_of,
    is_terminating,
    name,
    part,
    spec_of,
    status_of,
)
from podium.api.pods import COMPLETION_INDEX, completion_index, is_active, phase_of
from podium.api.values.integers import parse_int
from podium.api.values.times import epoch_s
from podium.controllers.kit.pod_control import new_pod

_PREFIX = "batch.kubernetes.io/"
TRACKING = _PREFIX + "job-tracking"
"""The finalizer that keeps a pod until it has been counted."""
FAILURES = _PREFIX + "job-index-failure-count"
IGNORED_FAILURES = _PREFIX + "job-index-ignored-failure-count"

_INDEX_VARIABLE = "JOB_COMPLETION_INDEX"
_PREFIX_LENGTH_MAX = 58
_COUNTS = range(2**31)


def is_tracked(pod: Object) -> bool:
    """Whether the pod has yet to be counted."""
    return TRACKING in finalizers_of(pod)


def is_whole(job: Object, pods: Iterable[Object]) -> bool:
    """Whether a Job that was written down has been started, and has the pods that it says it has.

    An export may lack pods, which aren't to be made up for.
    """
    status = status_of(job)
    known = sum(is_active(pod) or is_tracked(pod) for pod in pods)
    return bool(status.get("startTime")) and known >= int(status.get("active") or 0)


def has_ended(pod: Object) -> bool:
    """Whether the pod has succeeded or failed."""
    return phase_of(pod) in ("Succeeded", "Failed")


def is_ending(pod: Object) -> bool:
    """Whether the pod is being deleted and hasn't ended yet."""
    return is_terminating(pod) and not has_ended(pod)


def has_failed(pod: Object, job: Object) -> bool:
    """Whether the pod counts as failed; one that is being deleted may before it ends."""
    if phase_of(pod) == "Failed":
        return True
    if replaces_failed_only(job):
        return False
    return is_terminating(pod) and phase_of(pod) != "Succeeded"


def replaces_failed_only(job: Object) -> bool:
    """Whether a pod is replaced when it has ended, not as soon as it is being deleted."""
    spec = job["spec"]
    return spec.get("podReplacementPolicy") == "Failed" or bool(spec.get("podFailurePolicy"))


def has_limit_per_index(job: Object) -> bool:
    """Whether each of the Job's indexes has a limit of its own for failures."""
    return is_indexed(job) and job["spec"].get("backoffLimitPerIndex") is not None


def is_indexed(job: Object) -> bool:
    """Whether each of the Job's pods has a number."""
    return bool(job["spec"].get("completionMode") == "Indexed")


def valid_index_of(pod: Object, job: Object) -> int | None:
    """The pod's completion index, if the Job has it."""
    index = completion_index(pod)
    return index if index is not None and index < int(job["spec"].get("completions") or 0) else None


def failures_of(pod: Object) -> int:
    """How often pods of the same index had failed before this one."""
    return _count(pod, FAILURES)


def ignored_failures_of(pod: Object) -> int:
    """The same of failures that didn't count."""
    return _count(pod, IGNORED_FAILURES)


def all_failures_of(pod: Object) -> int:
    """How often pods of the same index had failed before this one, whether or not that counted."""
    return failures_of(pod) + ignored_failures_of(pod)


def finished_s(pod: Object) -> float:
    """When a pod ended, in seconds since the epoch.

    When the last of its containers ended, if all have; else when it stopped being ready; else when
    its deletion was asked for; else when it was created.
    """
    statuses = entries(status_of(pod), "containerStatuses")
    ends = [part(status, "state", "terminated").get("finishedAt") for status in statuses]
    if ends and all(ends):
        return max(epoch_s(end) for end in ends if end)
    ready = condition_of(pod, "Ready") or {}
    if ready.get("status") == "False" and ready.get("lastTransitionTime"):
        return epoch_s(ready["lastTransitionTime"])
    metadata = pod["metadata"]
    if metadata.get("deletionTimestamp"):
        grace_period_s = int(metadata.get("deletionGracePeriodSeconds") or 0)
        return epoch_s(metadata["deletionTimestamp"]) - grace_period_s
    return epoch_s(metadata["creationTimestamp"])


def job_pod(job: Object, index: int | None, notes: Mapping[str, str]) -> Object:
    """A new pod of the Job."""
    if index is None:
        return new_pod(job, extra_annotations=notes, extra_finalizers=(TRACKING,))
    number = {COMPLETION_INDEX: str(index)}
    appendix = f"-{index}-"
    spec = spec_of(job["spec"]["template"])
    path = {"fieldRef": {"fieldPath": f"metadata.labels['{COMPLETION_INDEX}']"}}
    variable = {"name": _INDEX_VARIABLE, "valueFrom": path}
    containers: dict[str, list[Object]] = {}
    for field in ("initContainers", "containers"):
        for container in spec.get(field) or ():
            variables = container.get("env") or ()
            if not any(one.get("name") == _INDEX_VARIABLE for one in variables):
                container = {**container, "env": [*variables, variable]}
            containers.setdefault(field, []).append(container)
    return new_pod(
        job,
        prefix=name(job)[: _PREFIX_LENGTH_MAX - len(appendix)] + appendix,
        extra_labels=number,
        extra_annotations={**number, **notes},
        extra_finalizers=(TRACKING,),
        extra_spec={**containers, "hostname": f"{name(job)}-{index}"},
    )


def _count(pod: Object, annotation: str) -> int:
    return parse_int(annotations(pod).get(annotation), _COUNTS) or 0
