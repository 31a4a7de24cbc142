"""How a Job stands: what has been counted, what is to be, and what runs.

A pod is counted in three writes, so that no crash between them counts it twice or never: its uid
goes into the Job's status, then its finalizer goes, and then its uid becomes one more in a number.
"""

from collections.abc import Mapping, Sequence

import msgspec

from podium.api.objects import Object, entries, is_terminating, status_of, uid_of
from podium.api.pods import is_active, is_ready, phase_of
from podium.controllers.job.completion_indexes import read_indexes
from podium.controllers.job.pod_accounting import (
    failures_of,
    finished_s,
    has_failed,
    index_of,
    is_indexed,
    is_tracked,
)
from podium.controllers.job.pod_failure_policy import (
    FAIL_INDEX,
    IGNORE,
    PolicyMatch,
    match_pod_failure_policy,
)


class SyncJobContext(msgspec.Struct):
    """A Job and its pods, counted and sorted for one look.

    Attributes:
        pods: by uid.
        active: those that run, or will.
        terminating: how many are being deleted and haven't ended.
        ready: how many of the active ones are ready.
        known_succeeded: uids in the status that aren't part of its numbers yet.
        known_failed: likewise.
        new_succeeded: pods that have succeeded and aren't in the status.
        new_failed: pods that have failed, count, and aren't in the status.
        ignored: pods that have failed without counting, and are kept by their finalizers.
        succeeded_indexes: of an indexed Job.
        failed_indexes: of a Job with a limit per index.
        kept: failed pods, by index, that stay until another one takes their place.
        fatal: why the Job fails by its pod failure policy; empty if it doesn't.
    """

    job: Object
    pods: Mapping[str, Object]
    active: list[Object]
    terminating: int
    ready: int
    known_succeeded: list[str]
    known_failed: list[str]
    new_succeeded: list[Object] = msgspec.field(default_factory=list)
    new_failed: list[Object] = msgspec.field(default_factory=list)
    ignored: list[Object] = msgspec.field(default_factory=list)
    succeeded_indexes: frozenset[int] = frozenset()
    failed_indexes: frozenset[int] = frozenset()
    kept: dict[int, Object] = msgspec.field(default_factory=dict)
    fatal: str = ""

    @property
    def succeeded(self) -> int:
        """How many have succeeded: indexes, if there are any, else pods."""
        if is_indexed(self.job):
            return len(self.succeeded_indexes)
        return self._counted("succeeded") + len(self.known_succeeded) + len(self.new_succeeded)

    @property
    def failed(self) -> int:
        """How many pods have failed and count."""
        kept = sum(
            1
            for pod in self.kept.values()
            if match_pod_failure_policy(self.job, pod).action != IGNORE
        )
        return self._counted("failed") + len(self.known_failed) + len(self.new_failed) + kept

    @property
    def is_settled(self) -> bool:
        """Whether there is no pod left to be waited for, or to be counted."""
        pending = (self.known_succeeded, self.known_failed, self.new_succeeded, self.new_failed)
        return not (self.active or self.terminating or any(pending))

    def count_kept_pods(self) -> None:
        """Count the failed pods, too, that were kept for those to take their place."""
        for pod in self.kept.values():
            is_ignored = match_pod_failure_policy(self.job, pod).action == IGNORE
            (self.ignored if is_ignored else self.new_failed).append(pod)
        self.kept = {}

    def release_pods(self, *, as_failed: bool) -> None:
        """Have no finalizer keep a pod of a Job that ends, whether or not the pod has.

        Args:
            as_failed: whether those that haven't ended count as failed; otherwise they don't count.
        """
        sorted_pods = (*self.new_succeeded, *self.new_failed, *self.ignored)
        left = {uid_of(pod): pod for pod in _tracked(self)}
        for pod in sorted_pods:
            left.pop(uid_of(pod), None)
        for pod in left.values():
            counts = as_failed and match_pod_failure_policy(self.job, pod).action != IGNORE
            (self.new_failed if counts else self.ignored).append(pod)

    def _counted(self, field_name: str) -> int:
        return int(status_of(self.job).get(field_name) or 0)


def sync_context(job: Object, owned: Sequence[Object], now_s: float) -> SyncJobContext:
    """Go through a Job's pods."""
    status = status_of(job)
    known = status.get("uncountedTerminatedPods") or {}
    active = [pod for pod in owned if is_active(pod)]
    ended = ("Succeeded", "Failed")
    context = SyncJobContext(
        job=job,
        pods={uid_of(pod): pod for pod in owned},
        active=active,
        terminating=sum(is_terminating(pod) and phase_of(pod) not in ended for pod in owned),
        ready=sum(map(is_ready, active)),
        known_succeeded=list(entries(known, "succeeded")),
        known_failed=list(entries(known, "failed")),
    )
    if is_indexed(job):
        _count_succeeded_indexes(context)
    matches = {
        uid_of(pod): match_pod_failure_policy(job, pod)
        for pod in _tracked(context)
        if has_failed(pod, job)
    }
    context.fatal = next((one.message for one in matches.values() if one.action == "FailJob"), "")
    if job["spec"].get("backoffLimitPerIndex") is not None:
        _count_failed_indexes(context, matches, now_s)
    _sort_new(context, matches)
    return context


def _tracked(context: SyncJobContext) -> list[Object]:
    """Pods that are to be counted once they have ended."""
    known = {*context.known_succeeded, *context.known_failed}
    tracked = ((uid, pod) for uid, pod in context.pods.items() if is_tracked(pod))
    return [pod for uid, pod in tracked if uid not in known]


def _sort_new(context: SyncJobContext, matches: Mapping[str, PolicyMatch]) -> None:
    kept = {uid_of(pod) for pod in context.kept.values()}
    for pod in _tracked(context):
        match = matches.get(uid_of(pod))
        if phase_of(pod) == "Succeeded":
            context.new_succeeded.append(pod)
        elif match is None or uid_of(pod) in kept:
            continue
        elif match.action == IGNORE:
            context.ignored.append(pod)
        else:
            context.new_failed.append(pod)


def _count_succeeded_indexes(context: SyncJobContext) -> None:
    completions = int(context.job["spec"].get("completions") or 0)
    done = read_indexes(status_of(context.job).get("completedIndexes"))
    more = {index_of(pod) for pod in context.pods.values() if phase_of(pod) == "Succeeded"}
    found = {index for index in (*done, *more) if index is not None and index < completions}
    context.succeeded_indexes = frozenset(found)


def _count_failed_indexes(
    context: SyncJobContext, matches: Mapping[str, PolicyMatch], now_s: float
) -> None:
    """Failed indexes; and of the others, the failed pods that tell how often it was tried."""
    limit = int(context.job["spec"]["backoffLimitPerIndex"])
    failed = set(read_indexes(status_of(context.job).get("failedIndexes")))
    alive = {index_of(pod) for pod in context.active}
    last: dict[int, Object] = {}
    for uid, match in matches.items():
        pod = context.pods[uid]
        index = index_of(pod)
        if index is None:
            continue
        is_last_try = failures_of(pod) >= limit and match.action != IGNORE
        if match.action == FAIL_INDEX or is_last_try:
            failed.add(index)
        other = last.get(index)
        if other is None or finished_s(other, now_s) <= finished_s(pod, now_s):
            last[index] = pod
    context.failed_indexes = frozenset(failed)
    over = failed | context.succeeded_indexes | alive
    context.kept = {index: pod for index, pod in last.items() if index not in over}
