"""A Job's pods: how a sync counts them, and which pods it creates and deletes.

A finished pod is counted in three writes, so that a crash in between neither counts it twice nor
omits it: its uid is added to the status, its finalizer is removed, and a number replaces the uid.

The rules are those of v1.36's manageJob and `backoff_utils.go`; the backoff before failed pods are
replaced also counts failures that a pod failure policy ignores.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from itertools import islice

import msgspec

from podium.api.objects import (
    Object,
    annotations,
    condition_of,
    conditions_of,
    entries,
    finalizers_of,
    is_terminating,
    key,
    name,
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
from podium.controllers.kit.pod_deletion_order import removal_order
from podium.machines.reconciler.work_queue import Backoff

_PREFIX = "batch.kubernetes.io/"
TRACKING = _PREFIX + "job-tracking"
"""The finalizer that keeps a pod until it has been counted."""
FAILURES = _PREFIX + "job-index-failure-count"
IGNORED_FAILURES = _PREFIX + "job-index-ignored-failure-count"

_INDEX_VARIABLE = "JOB_COMPLETION_INDEX"
_PREFIX_LENGTH_MAX = 58
_COUNTS = range(2**31)


def is_tracked(pod: Object) -> bool:
    """Return whether the pod still has the Job's finalizer, so that it has yet to be counted."""
    return TRACKING in finalizers_of(pod)


def is_whole(job: Object, pods: Iterable[Object]) -> bool:
    """Return whether a loaded Job has started and has all active pods, which an export may lack."""
    status = status_of(job)
    known = sum(is_active(pod) or is_tracked(pod) for pod in pods)
    return bool(status.get("startTime")) and known >= int(status.get("active") or 0)


def has_ended(pod: Object) -> bool:
    """Return whether the pod has succeeded or failed."""
    return phase_of(pod) in ("Succeeded", "Failed")


def _is_ending(pod: Object) -> bool:
    return is_terminating(pod) and not has_ended(pod)


def has_failed(pod: Object, job: Object) -> bool:
    """Return whether the Job counts a pod as failed.

    A terminating pod counts as failed if the Job replaces pods as soon as they terminate.
    """
    if phase_of(pod) == "Failed" or _replaces_failed_only(job):
        return phase_of(pod) == "Failed"
    return is_terminating(pod) and phase_of(pod) != "Succeeded"


def _replaces_failed_only(job: Object) -> bool:
    spec = job["spec"]
    return spec.get("podReplacementPolicy") == "Failed" or bool(spec.get("podFailurePolicy"))


def has_limit_per_index(job: Object) -> bool:
    """Return whether the Job has a `backoffLimitPerIndex`."""
    return is_indexed(job) and job["spec"].get("backoffLimitPerIndex") is not None


def is_indexed(job: Object) -> bool:
    """Return whether each of the Job's pods has a completion index."""
    return bool(job["spec"].get("completionMode") == "Indexed")


def valid_index_of(pod: Object, job: Object) -> int | None:
    """Return the pod's completion index; None if the Job has no such index."""
    index = completion_index(pod)
    return index if index is not None and index < int(job["spec"].get("completions") or 0) else None


def _failures_of(pod: Object, annotation: str = FAILURES) -> int:
    return parse_int(annotations(pod).get(annotation), _COUNTS) or 0


def _all_failures_of(pod: Object) -> int:
    return _failures_of(pod) + _failures_of(pod, IGNORED_FAILURES)


def finished_s(pod: Object) -> float:
    """Return when a pod ended, in seconds since the epoch.

    That is when the last of its containers ended, if all have; otherwise the first known of: when
    the pod stopped being ready, when its deletion was requested, and when it was created.
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


def _job_pod(job: Object, index: int | None, notes: Mapping[str, str]) -> Object:
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
    """The action and message of a pod failure policy for a pod; `Count` if no rule matches."""

    action: str = "Count"
    message: str = ""


def match_pod_failure_policy(job: Object, pod: Object) -> PolicyMatch:
    """Match a failed pod against the Job's pod failure policy."""
    fields = ("containerStatuses", "initContainerStatuses")
    statuses = [status for field in fields for status in entries(status_of(pod), field)]
    for number, rule in enumerate(entries(part(job, "spec", "podFailurePolicy"), "rules")):
        action = str(rule.get("action"))
        if action == FAIL_INDEX and job["spec"].get("backoffLimitPerIndex") is None:
            continue
        rest = f"matching {action} rule at index {number}"
        codes = rule.get("onExitCodes")
        for status in statuses if codes is not None else ():
            container, terminated = str(status.get("name")), part(status, "state").get("terminated")
            if terminated is None or codes.get("containerName") not in (None, container):
                continue
            code = int(terminated.get("exitCode") or 0)
            if code and (code in codes.get("values", ())) == (codes.get("operator") == "In"):
                cause = f"Container {container} for pod {key(pod)} failed with exit code {code}"
                return PolicyMatch(action, f"{cause} {rest}")
        patterns = [
            (pattern.get("type"), pattern.get("status") or "True")
            for pattern in entries(rule, "onPodConditions")
        ]
        for condition in conditions_of(pod):
            if (condition.get("type"), condition.get("status")) in patterns:
                cause = f"Pod {key(pod)} has condition {condition['type']}"
                return PolicyMatch(action, f"{cause} {rest}")
    return PolicyMatch()


class SyncJobContext(msgspec.Struct, frozen=True):
    """A Job and its pods, counted and sorted for one sync."""

    job: Object
    pods: Sequence[Object]
    active: Sequence[Object]
    terminating: int
    ready: int
    succeeded: int
    """Number of succeeded indexes, or of pods if the Job isn't indexed."""
    failed: int
    """Number of failed pods that count towards the limits."""
    new_succeeded: Sequence[Object]
    """Succeeded pods that the status doesn't have yet."""
    new_failed: Sequence[Object]
    """Failed pods that the status doesn't have yet, ignored failures included."""
    succeeded_indexes: frozenset[int]
    """All succeeded indexes of an indexed Job."""
    failed_indexes: frozenset[int]
    """Failed indexes of a Job with a limit per index."""
    awaiting_replacement: Mapping[int, Object]
    """For a Job with a limit per index, the last failed pod of each index that is retried. The pod
    stays until its replacement, which copies its failure count."""
    fatal: str
    """Message of the pod failure policy if it fails the Job; otherwise empty."""


def counts_as_failed(pod: Object, job: Object) -> bool:
    """Return whether a failed pod counts towards the Job's limits, by its pod failure policy."""
    return match_pod_failure_policy(job, pod).action != IGNORE


def sync_context(job: Object, owned: Sequence[Object]) -> SyncJobContext:
    """Count and sort a Job's pods for a sync."""
    status = status_of(job)
    uncounted = part(status, "uncountedTerminatedPods")
    active = [pod for pod in owned if is_active(pod)]
    uncertain = [
        pod
        for pod in owned
        if is_tracked(pod) and (not is_indexed(job) or valid_index_of(pod, job) is not None)
    ]
    failed = [pod for pod in uncertain if has_failed(pod, job)]
    succeeded = [pod for pod in uncertain if phase_of(pod) == "Succeeded"]
    known = {field: entries(uncounted, field) for field in ("succeeded", "failed")}
    counted = {field: int(status.get(field) or 0) + len(uids) for field, uids in known.items()}
    new_succeeded = [pod for pod in succeeded if uid_of(pod) not in known["succeeded"]]
    new_failed = [pod for pod in failed if uid_of(pod) not in known["failed"]]
    succeeded_indexes: set[int] = set()
    succeeded_count = counted["succeeded"] + len(new_succeeded)
    if is_indexed(job):
        completions = int(job["spec"].get("completions") or 0)
        indexes = (*read_indexes(status.get("completedIndexes")), *map(completion_index, succeeded))
        succeeded_indexes = {one for one in indexes if one is not None and one < completions}
        succeeded_count = len(succeeded_indexes)
    failed_indexes: set[int] = set()
    awaiting: dict[int, Object] = {}
    if has_limit_per_index(job):
        failed_indexes.update(read_indexes(status.get("failedIndexes")))
        tries: dict[int, list[Object]] = {}
        for pod in failed:
            index, action = completion_index(pod), match_pod_failure_policy(job, pod).action
            assert index is not None
            tries.setdefault(index, []).append(pod)
            is_last_try = _failures_of(pod) >= int(job["spec"]["backoffLimitPerIndex"])
            if action == FAIL_INDEX or (action != IGNORE and is_last_try):
                failed_indexes.add(index)
        settled = succeeded_indexes | failed_indexes | {completion_index(pod) for pod in active}
        for index, pods in tries.items():
            if index in settled:
                continue
            for pod in pods:
                last = awaiting.setdefault(index, pod)
                has_more = _all_failures_of(last) <= _all_failures_of(pod)
                if has_more and finished_s(last) <= finished_s(pod):
                    awaiting[index] = pod
    matches = (match_pod_failure_policy(job, pod) for pod in owned if has_failed(pod, job))
    return SyncJobContext(
        job=job,
        pods=owned,
        active=active,
        terminating=sum(map(_is_ending, owned)),
        ready=sum(map(is_ready, active)),
        succeeded=succeeded_count,
        failed=counted["failed"] + sum(counts_as_failed(pod, job) for pod in new_failed),
        new_succeeded=new_succeeded,
        new_failed=new_failed,
        succeeded_indexes=frozenset(succeeded_indexes),
        failed_indexes=frozenset(failed_indexes),
        awaiting_replacement=awaiting,
        fatal=next((match.message for match in matches if match.action == FAIL_JOB), ""),
    )


BACKOFF = Backoff(first_s=10.0, max_s=600.0)


class BackoffRecord(msgspec.Struct, frozen=True):
    """The number of failures of a Job since its last success, and the time of the last one."""

    failures: int = 0
    last_failure_s: float = 0.0

    def after(self, succeeded: Collection[Object], failed: Collection[Object]) -> "BackoffRecord":
        ends_s = sorted(map(finished_s, failed))
        if not succeeded:
            if not ends_s:
                return self
            return BackoffRecord(self.failures + len(ends_s), ends_s[-1])
        last_success_s = max(map(finished_s, succeeded))
        later_s = [end_s for end_s in ends_s if end_s > last_success_s]
        return BackoffRecord(len(later_s), later_s[-1]) if later_s else BackoffRecord()

    @classmethod
    def recalled(
        cls, job: Object, pods: Collection[Object], now_s: float, *, lacks_pods: bool
    ) -> "BackoffRecord":
        """Reconstruct the record of a loaded Job.

        If no pod has succeeded, failed pods that no longer exist count, too. If no failure's time
        is known, but the Job lacks pods (so it was waiting), the last failure is taken to be now.
        """
        status = status_of(job)
        uncounted = status.get("uncountedTerminatedPods") or {}
        known = {*entries(uncounted, "succeeded"), *entries(uncounted, "failed")}
        counted = [pod for pod in pods if not is_tracked(pod) or uid_of(pod) in known]
        succeeded = [pod for pod in counted if phase_of(pod) == "Succeeded"]
        record = cls().after(succeeded, [pod for pod in counted if phase_of(pod) == "Failed"])
        failures = int(status.get("failed") or 0) + len(entries(uncounted, "failed"))
        has_succeeded = bool(succeeded or status.get("succeeded"))
        if not record.failures:
            waits = failures and lacks_pods and not succeeded
            return cls(1 if has_succeeded else failures, now_s) if waits else record
        if has_succeeded:
            return record
        return cls(max(record.failures, failures), record.last_failure_s)

    def remaining_s(self, now_s: float) -> float:
        wait_s = self.last_failure_s + BACKOFF.wait_s(self.failures) - now_s
        return max(wait_s, 0.0) if self.failures else 0.0


CHANGES_MAX = 500
"""The largest number of pods that one sync creates or deletes."""


class PodChanges(msgspec.Struct, frozen=True):
    """The pods that a Job creates or deletes now, and the seconds until it may create others."""

    creations: Sequence[Object] = ()
    deletions: Sequence[Object] = ()
    wait_s: float = 0.0


def pod_changes(context: SyncJobContext, backoff: BackoffRecord, now_s: float) -> PodChanges:
    """Return the pods of a Job to create or to delete next; never both."""
    job, active = context.job, context.active
    if job["spec"].get("suspend"):
        return PodChanges(deletions=_for_removal(context, len(active)))
    spec = job["spec"]
    wanted = 1 if spec.get("parallelism") is None else int(spec["parallelism"])
    if spec.get("completions") is not None:
        wanted = max(min(wanted, int(spec["completions"]) - context.succeeded), 0)
    elif context.succeeded:
        # One success ends a work queue: running pods may finish, and no pod is created.
        wanted = len(active)
    deletions = _for_removal(context, max(len(active) - wanted, 0))[:CHANGES_MAX]
    if deletions:
        return PodChanges(deletions=deletions)
    awaited = context.terminating if _replaces_failed_only(job) else 0
    lacking = wanted - awaited - len(active)
    if lacking <= 0:
        return PodChanges()
    wait_s = 0.0 if has_limit_per_index(job) else backoff.remaining_s(now_s)
    if wait_s:
        return PodChanges(wait_s=wait_s)
    lacking = min(lacking, CHANGES_MAX)
    if not is_indexed(job):
        return PodChanges(creations=[_job_pod(job, None, {}) for _ in range(lacking)])
    busy = {completion_index(pod) for pod in active}
    if _replaces_failed_only(job):
        busy |= {completion_index(pod) for pod in context.pods if _is_ending(pod)}
    busy |= context.succeeded_indexes | context.failed_indexes
    pending = (index for index in range(int(spec["completions"])) if index not in busy)
    waits_s = {
        index: BackoffRecord(_all_failures_of(last) + 1, finished_s(last)).remaining_s(now_s)
        if (last := context.awaiting_replacement.get(index)) is not None
        else 0.0
        for index in islice(pending, lacking)
    }
    due = [index for index, index_wait_s in waits_s.items() if not index_wait_s]
    if waits_s and not due:
        return PodChanges(wait_s=min(waits_s.values()))
    creations = []
    for index in due:
        notes: dict[str, str] = {}
        if has_limit_per_index(job):
            replaced = context.awaiting_replacement.get(index)
            notes[FAILURES] = "0"
            if replaced is not None:
                counts = counts_as_failed(replaced, job)
                notes[FAILURES] = str(_failures_of(replaced) + counts)
                if ignored := _failures_of(replaced, IGNORED_FAILURES) + (not counts):
                    notes[IGNORED_FAILURES] = str(ignored)
        creations.append(_job_pod(job, index, notes))
    return PodChanges(creations=creations)


def _for_removal(context: SyncJobContext, at_least: int) -> list[Object]:
    left = removal_order(context.active)
    useless: list[Object] = []
    if is_indexed(context.job):
        completions = int(context.job["spec"].get("completions") or 0)
        # The pod that would be removed last keeps its index.
        keepers = {completion_index(pod): pod for pod in left}
        kept = [pod for index, pod in keepers.items() if index is not None and index < completions]
        useless = [pod for pod in left if all(pod is not keeper for keeper in kept)]
        left = removal_order(kept)
    return useless + left[: max(at_least - len(useless), 0)]
