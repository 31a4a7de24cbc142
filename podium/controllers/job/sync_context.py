"""How a Job and its pods stand when the controller looks at them.

A pod is counted in three writes, so that no crash between them counts it twice or never: its uid
goes into the Job's status, then its finalizer goes, and then its uid becomes one more in a number.
"""

from collections.abc import Mapping, Sequence

import msgspec

from podium.api.objects import (
    Object,
    conditions_of,
    entries,
    name,
    namespace,
    part,
    status_of,
    uid_of,
)
from podium.api.pods import completion_index, is_active, is_ready, phase_of
from podium.controllers.job.completion_indexes import read_indexes
from podium.controllers.job.pod_accounting import (
    all_failures_of,
    failures_of,
    finished_s,
    has_failed,
    has_limit_per_index,
    is_ending,
    is_indexed,
    is_tracked,
    valid_index_of,
)

IGNORE, FAIL_JOB, FAIL_INDEX = "Ignore", "FailJob", "FailIndex"


class PolicyMatch(msgspec.Struct, frozen=True):
    """The rule of a pod failure policy that a failed pod matches; `Count` if none does."""

    action: str = "Count"
    message: str = ""


def match_pod_failure_policy(job: Object, pod: Object) -> PolicyMatch:
    """What a pod's failure means for the Job."""
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
    found = status_of(pod)
    for status in (
        *entries(found, "containerStatuses"),
        *entries(found, "initContainerStatuses"),
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
        succeeded_indexes: of an indexed Job, those included that aren't in the status.
        failed_indexes: of a Job with a limit per index.
        awaiting_replacement: of such a Job, the last failed pod of each index that goes on; it
            stays until another pod takes its place, which learns from it how many have failed.
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
        """How many have succeeded: indexes, if there are any, else pods."""
        if is_indexed(self.job):
            return len(self.succeeded_indexes)
        return self._counted("succeeded") + len(self.new_succeeded)

    @property
    def failed(self) -> int:
        """How many pods have failed and count."""
        counting = sum(counts_as_failed(pod, self.job) for pod in self.new_failed)
        return self._counted("failed") + counting

    def _counted(self, field: str) -> int:
        status = status_of(self.job)
        uncounted = status.get("uncountedTerminatedPods") or {}
        return int(status.get(field) or 0) + len(entries(uncounted, field))


def counts_as_failed(pod: Object, job: Object) -> bool:
    """Whether a failed pod counts towards the Job's limits; its policy may say otherwise."""
    return match_pod_failure_policy(job, pod).action != IGNORE


def sync_context(job: Object, owned: Sequence[Object]) -> SyncJobContext:
    """Go through a Job's pods."""
    status = status_of(job)
    uncounted = status.get("uncountedTerminatedPods") or {}
    active = [pod for pod in owned if is_active(pod)]
    uncertain = [
        pod
        for pod in owned
        if is_tracked(pod) and (not is_indexed(job) or valid_index_of(pod, job) is not None)
    ]
    failed = [pod for pod in uncertain if has_failed(pod, job)]
    succeeded = _succeeded_indexes(job, owned)
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


def _succeeded_indexes(job: Object, owned: Sequence[Object]) -> frozenset[int]:
    if not is_indexed(job):
        return frozenset()
    completions = int(job["spec"].get("completions") or 0)
    counted = read_indexes(status_of(job).get("completedIndexes"))
    ended = (pod for pod in owned if phase_of(pod) == "Succeeded" and is_tracked(pod))
    found = (*counted, *map(completion_index, ended))
    return frozenset(index for index in found if index is not None and index < completions)


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
