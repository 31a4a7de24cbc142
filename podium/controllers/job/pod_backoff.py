"""How long a Job waits before it makes pods again after some have failed.

Ten seconds, twice as long with each failure since the last success, up to ten minutes, as v1.36's
`backoff_utils.go` says. Failures that a pod failure policy ignores count here as all others do.
"""

from collections.abc import Collection

import msgspec

from podium.api.objects import Object, entries, status_of, uid_of
from podium.api.pods import phase_of
from podium.controllers.job.pod_accounting import all_failures_of, finished_s, is_tracked
from podium.machines.backoff import Backoff

BACKOFF = Backoff(first_s=10.0, max_s=600.0)


class BackoffRecord(msgspec.Struct, frozen=True):
    """The failures of a Job since its last success.

    Attributes:
        failures: how many there were.
        last_failure_s: when the last of these pods ended, in seconds since the epoch.
    """

    failures: int = 0
    last_failure_s: float = 0.0

    def after(self, succeeded: Collection[Object], failed: Collection[Object]) -> "BackoffRecord":
        """The record once these pods have ended, too."""
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
        """The record as the controller had it that has counted a Job's pods until now.

        Where no pod has succeeded, failed pods that are gone by now count, too. If it isn't known
        when a pod failed, and yet the Job lacks pods, as it has to wait, one failed just now.

        Args:
            job: as it was written down.
            pods: of the Job.
            now_s: the time.
            lacks_pods: whether it has fewer pods than it wants.
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
        """For how much longer no pods are made."""
        return _remaining_s(self.failures, self.last_failure_s, now_s)


def remaining_of_index_s(last_failed: Object | None, now_s: float) -> float:
    """For how much longer no pod is made for an index, after the last of its pods has failed."""
    if last_failed is None:
        return 0.0
    return _remaining_s(all_failures_of(last_failed) + 1, finished_s(last_failed), now_s)


def _remaining_s(failures: int, last_failure_s: float, now_s: float) -> float:
    return max(last_failure_s + BACKOFF.wait_s(failures) - now_s, 0.0) if failures else 0.0
