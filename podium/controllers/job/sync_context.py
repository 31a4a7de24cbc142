"""A Job and its pods, as counted for a sync, and the making of new pods.

A pod is counted in three writes, so that no crash between them counts it twice or never: its uid is
added to the Job's status, its finalizer is removed, and its uid becomes one more in a number.
"""

from collections.abc import Iterable, Mapping, Sequence

import msgspec

from podium.api.objects import (
    Object,
    annotations,
    condition_of,
    conditions_of,
    entries,
    finalizers_of,
    is_terminating,
    name,
    namespace,
    part,
    spec_of,
    status_of,
    uid_of,
)
from podium.api.pods import COMPLETION_INDEX, completion_index, is_active, is_ready, phase_of
from podium.api.values.integers import parse_int
from podium.api.values.times import epoch_s
from podium.controllers.job.completion_indexes import read_indexes
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
    """Whether a loaded Job has been started, and no pod is missing; an export may lack some."""
    status = status_of(job)
    known = sum(is_active(pod) or is_tracked(pod) for pod in pods)
    return bool(status.get("startTime")) and known >= int(status.get("active") or 0)


def has_ended(pod: Object) -> bool:
    """Whether the pod has succeeded or failed."""
    return phase_of(pod) in ("Succeeded", "Failed")


def is_ending(pod: Object) -> bool:
    """Whether the pod is terminating and hasn't ended yet."""
    return is_terminating(pod) and not has_ended(pod)


def has_failed(pod: Object, job: Object) -> bool:
    """Whether the pod counts as failed; a terminating one may before it ends."""
    if phase_of(pod) == "Failed" or replaces_failed_only(job):
        return phase_of(pod) == "Failed"
    return is_terminating(pod) and phase_of(pod) != "Succeeded"


def replaces_failed_only(job: Object) -> bool:
    """Whether a pod is replaced only once it has ended, not as soon as it is terminating."""
    spec = job["spec"]
    return spec.get("podReplacementPolicy") == "Failed" or bool(spec.get("podFailurePolicy"))


def has_limit_per_index(job: Object) -> bool:
    """Whether each of the Job's indexes has its own limit of failures."""
    return is_indexed(job) and job["spec"].get("backoffLimitPerIndex") is not None


def is_indexed(job: Object) -> bool:
    """Whether each of the Job's pods has a number."""
    return bool(job["spec"].get("completionMode") == "Indexed")


def valid_index_of(pod: Object, job: Object) -> int | None:
    """The pod's completion index, if the Job has it."""
    index = completion_index(pod)
    return index if index is not None and index < int(job["spec"].get("completions") or 0) else None


def failures_of(pod: Object, annotation: str = FAILURES) -> int:
    """The number of earlier failures of a pod's index; with `IGNORED_FAILURES`, of ignored ones."""
    return parse_int(annotations(pod).get(annotation), _COUNTS) or 0


def all_failures_of(pod: Object) -> int:
    """The number of earlier failures of a pod's index, ignored ones included."""
    return failures_of(pod) + failures_of(pod, IGNORED_FAILURES)


def finished_s(pod: Object) -> float:
    """When a pod ended, in seconds since the epoch.

    It is when the last of its containers ended, if all have; else when it stopped being ready; else
    when its deletion was requested; else when it was created.
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


IGNORE, FAIL_JOB, FAIL_INDEX = "Ignore", "FailJob", "FailIndex"


class PolicyMatch(msgspec.Struct, frozen=True):
    """The action and message of the rule that a failed pod matches; `Count` if none does."""

    action: str = "Count"
    message: str = ""


def match_pod_failure_policy(job: Object, pod: Object) -> PolicyMatch:
    """Match a failed pod against the Job's pod failure policy."""
    policy = job["spec"].get("podFailurePolicy") or {}
    for number, rule in enumerate(entries(policy, "rules")):
        action = str(rule.get("action"))
        if action == FAIL_INDEX and job["spec"].get("backoffLimitPerIndex") is None:
            continue
        for match in (_exit_code(rule, pod), _condition(rule, pod)):
            if match is not None:
                return PolicyMatch(action, f"{match} matching {action} rule at index {number}")
    return PolicyMatch()


def _exit_code(rule: Object, pod: Object) -> str | None:
    wanted = rule.get("onExitCodes")
    if wanted is None:
        return None
    pod_status = status_of(pod)
    for status in (
        *entries(pod_status, "containerStatuses"),
        *entries(pod_status, "initContainerStatuses"),
    ):
        container, terminated = str(status.get("name")), part(status, "state").get("terminated")
        if terminated is None or wanted.get("containerName") not in (None, container):
            continue
        code = int(terminated.get("exitCode") or 0)
        is_listed = code in wanted.get("values", ())
        if code and is_listed == (wanted.get("operator") == "In"):
            place = f"{namespace(pod)}/{name(pod)}"
            return f"Container {container} for pod {place} failed with exit code {code}"
    return None


def _condition(rule: Object, pod: Object) -> str | None:
    patterns = [
        (pattern.get("type"), pattern.get("status") or "True")
        for pattern in entries(rule, "onPodConditions")
    ]
    for condition in conditions_of(pod):
        if (condition.get("type"), condition.get("status")) in patterns:
            return f"Pod {namespace(pod)}/{name(pod)} has condition {condition['type']}"
    return None


class SyncJobContext(msgspec.Struct, frozen=True):
    """A Job and its pods, counted and sorted for one sync.

    Attributes:
        new_succeeded: pods that have succeeded and aren't in the status.
        new_failed: pods that have failed and aren't in the status, whether or not that counts.
        succeeded_indexes: of an indexed Job, including those that aren't in the status.
        failed_indexes: of a Job with a limit per index.
        awaiting_replacement: with a limit per index, the last failed pod of each index that goes
            on; it stays until it is replaced, as its successor takes over its number of failures.
        fatal: why the Job fails by its pod failure policy; empty if it doesn't.
    """

    job: Object
    pods: Sequence[Object]
    active: Sequence[Object]
    terminating: int
    ready: int
    new_succeeded: Sequence[Object]
    new_failed: Sequence[Object]
    succeeded_indexes: frozenset[int] = frozenset()
    failed_indexes: frozenset[int] = frozenset()
    awaiting_replacement: Mapping[int, Object] = msgspec.field(default_factory=dict)
    fatal: str = ""

    @property
    def succeeded(self) -> int:
        """The number of succeeded indexes, or of pods if the Job isn't indexed."""
        if is_indexed(self.job):
            return len(self.succeeded_indexes)
        return self._counted("succeeded") + len(self.new_succeeded)

    @property
    def failed(self) -> int:
        counting = sum(counts_as_failed(pod, self.job) for pod in self.new_failed)
        return self._counted("failed") + counting

    def _counted(self, field: str) -> int:
        status = status_of(self.job)
        uncounted = status.get("uncountedTerminatedPods") or {}
        return int(status.get(field) or 0) + len(entries(uncounted, field))


def counts_as_failed(pod: Object, job: Object) -> bool:
    """Whether a failed pod counts towards the Job's limits, by its pod failure policy."""
    return match_pod_failure_policy(job, pod).action != IGNORE


def sync_context(job: Object, owned: Sequence[Object]) -> SyncJobContext:
    """Count and sort a Job's pods."""
    status = status_of(job)
    uncounted = status.get("uncountedTerminatedPods") or {}
    active = [pod for pod in owned if is_active(pod)]
    uncertain = [
        pod
        for pod in owned
        if is_tracked(pod) and (not is_indexed(job) or valid_index_of(pod, job) is not None)
    ]
    failed = [pod for pod in uncertain if has_failed(pod, job)]
    succeeded: frozenset[int] = frozenset()
    if is_indexed(job):
        completions = int(job["spec"].get("completions") or 0)
        ended = [pod for pod in owned if phase_of(pod) == "Succeeded" and is_tracked(pod)]
        found = (*read_indexes(status.get("completedIndexes")), *map(completion_index, ended))
        succeeded = frozenset(one for one in found if one is not None and one < completions)
    lost = _failed_indexes(job, owned)
    matches = (match_pod_failure_policy(job, pod) for pod in owned if has_failed(pod, job))
    return SyncJobContext(
        job=job,
        pods=owned,
        active=active,
        terminating=sum(map(is_ending, owned)),
        ready=sum(map(is_ready, active)),
        new_succeeded=[
            pod
            for pod in uncertain
            if phase_of(pod) == "Succeeded" and uid_of(pod) not in entries(uncounted, "succeeded")
        ],
        new_failed=[pod for pod in failed if uid_of(pod) not in entries(uncounted, "failed")],
        succeeded_indexes=succeeded,
        failed_indexes=lost,
        awaiting_replacement=_awaiting_replacement(
            job, failed, succeeded | lost | {completion_index(pod) for pod in active}
        ),
        fatal=next((match.message for match in matches if match.action == FAIL_JOB), ""),
    )


def _failed_indexes(job: Object, owned: Sequence[Object]) -> frozenset[int]:
    if not has_limit_per_index(job):
        return frozenset()
    failed = set(read_indexes(status_of(job).get("failedIndexes")))
    for pod in owned:
        index = valid_index_of(pod, job)
        if index is None or not is_tracked(pod) or not has_failed(pod, job):
            continue
        action = match_pod_failure_policy(job, pod).action
        is_last_try = failures_of(pod) >= int(job["spec"]["backoffLimitPerIndex"])
        if action == FAIL_INDEX or (action != IGNORE and is_last_try):
            failed.add(index)
    return frozenset(failed)


def _awaiting_replacement(
    job: Object, failed: Sequence[Object], settled: frozenset[int | None]
) -> Mapping[int, Object]:
    if not has_limit_per_index(job):
        return {}
    last: dict[int, Object] = {}
    for pod in failed:
        index = completion_index(pod)
        if index is None or index in settled:
            continue
        other = last.get(index)
        if other is None or (
            all_failures_of(other) <= all_failures_of(pod) and finished_s(other) <= finished_s(pod)
        ):
            last[index] = pod
    return last
