"""The machine of CronJobs: a Job for each time of the schedule, and no more of them than is said.

Rules, names of Jobs and texts of events are those of v1.36's `cronjob` controller. A Job is noted
in the status when it is there; it bears its time, so that none is made twice.
"""

from collections.abc import Hashable, Iterable, Iterator
from datetime import UTC, datetime
from typing import Any

from podium.api.objects import (
    Object,
    controller_of,
    is_terminating,
    metadata_of,
    name,
    namespace,
    part,
    place_of,
    spec_of,
    status_of,
    uid_of,
)
from podium.api.values.cron_schedule import CronSchedule, ScheduleError, parse_schedule, parse_zone
from podium.api.values.times import timestamp
from podium.controllers.cron_job.active_jobs import (
    SCHEDULED_AT,
    ActiveJobs,
    active_jobs,
    to_clean_up,
)
from podium.controllers.cron_job.schedule_times import schedule_times
from podium.controllers.kit.controller_refs import owner_reference
from podium.machines.effects import Create, Delete, Effect, deletion_of, status_patch_of
from podium.machines.events import Change, Outcome
from podium.machines.reconciler.indexer import owner_uids
from podium.machines.reconciler.reconciler import Reconciler

_CRON_JOB, _JOB = "CronJob", "Job"
# As upstream: a moment after the time, so that it has passed by any clock.
_DELTA_S = 0.1
_TIMED_BY = ("schedule", "timeZone")
_TOO_MANY = (
    "too many missed start times. Set or decrease .spec.startingDeadlineSeconds or check clock skew"
)
_FORBIDDEN = "Not starting job because prior execution is running and concurrency policy is Forbid"


class CronJobController(Reconciler):
    """Creates the Jobs of CronJobs when they are due, and deletes those beyond the history."""

    name = "cronjob-controller"
    kinds = frozenset({_CRON_JOB, _JOB})
    tends = frozenset({_CRON_JOB})

    def __init__(self) -> None:
        super().__init__({_JOB: {"owner": owner_uids}})

    def keys_of(self, change: Change, before: Object | None) -> Iterator[Hashable]:
        if change.kind == _CRON_JOB:
            yield place_of(change.obj)
            return
        for job in (before, change.new):
            owner = None if job is None else controller_of(job)
            if job is not None and owner is not None and owner.get("kind") == _CRON_JOB:
                yield namespace(job), owner["name"]

    def react(self, key: Hashable, change: Change, before: Object | None) -> None:
        """Look at once; with another schedule when its next time comes, as it has missed none."""
        new = change.new
        if change.kind == _CRON_JOB and new is not None and _is_rescheduled(before, new):
            self._look_at_next_time(key, new)
        else:
            super().react(key, change, before)

    def _look_at_next_time(self, key: Hashable, cron_job: Object) -> None:
        spec = spec_of(cron_job)
        try:
            schedule = parse_schedule(str(spec.get("schedule")), str(spec.get("timeZone") or "UTC"))
        except ScheduleError:
            return
        next_s = schedule_times(cron_job, schedule, self._now_s).next_s
        if next_s is not None:
            self.look_again(key, next_s + _DELTA_S)

    def reconcile(self, key: Hashable, now_s: float) -> Iterator[Effect]:
        cron_job = self.objects.at(_CRON_JOB, key)
        if cron_job is None:
            return
        owned = self.objects.by(_JOB, "owner", uid_of(cron_job))
        jobs = sorted(owned, key=name)
        jobs_now = active_jobs(cron_job, jobs)
        effects = [*self._due(cron_job, jobs, jobs_now, key, now_s)]
        live = [job for job in jobs if not is_terminating(job)]
        effects += (self._deletion(job, jobs_now) for job in to_clean_up(spec_of(cron_job), live))
        for kind, reason, note in jobs_now.events:
            yield self.event(cron_job, kind, reason, note)
        if jobs_now.differs_from(cron_job):
            yield status_patch_of(_CRON_JOB, cron_job, jobs_now.status())
        yield from effects

    def _due(
        self,
        cron_job: Object,
        jobs: Iterable[Object],
        found: ActiveJobs,
        key: Hashable,
        now_s: float,
    ) -> Iterator[Effect]:
        """What is to be started now; has the key looked at again when the next time has come."""
        schedule = self._schedule(cron_job, found)
        if schedule is None:
            return
        as_noted = {**cron_job, "status": {**status_of(cron_job), **found.fields}}
        times = schedule_times(as_noted, schedule, now_s)
        if times.next_s is not None:
            self.look_again(key, times.next_s + _DELTA_S)
        if times.has_missed_many:
            found.events.append(("Warning", "TooManyMissedTimes", _TOO_MANY))
        if times.unmet_s is None:
            return
        spec = spec_of(cron_job)
        deadline_s = spec.get("startingDeadlineSeconds")
        if deadline_s is not None and times.unmet_s + deadline_s < now_s:
            at = datetime.fromtimestamp(times.unmet_s, UTC).strftime("%a, %d %b %Y %H:%M:%S +0000")
            note = f"Missed scheduled time to start a job: {at}"
            found.events.append(("Warning", "MissSchedule", note))
            return
        policy = spec.get("concurrencyPolicy")
        if policy == "Forbid" and found.active:
            found.events.append(("Normal", "JobAlreadyActive", _FORBIDDEN))
            return
        if policy == "Replace":
            active = {one.get("uid") for one in found.active}
            for job in [job for job in jobs if uid_of(job) in active]:
                yield self._deletion(job, found)
        yield Create(kind=_JOB, obj=_job(cron_job, times.unmet_s))

    def _schedule(self, cron_job: Object, found: ActiveJobs) -> CronSchedule | None:
        """The schedule, if there is one and it counts."""
        spec = spec_of(cron_job)
        if is_terminating(cron_job):
            return None
        zone, text = str(spec.get("timeZone") or "UTC"), str(spec.get("schedule"))
        try:
            parse_zone(zone)
        except ScheduleError as error:
            note = f'invalid timeZone: "{zone}": {error}'
            found.events.append(("Warning", "UnknownTimeZone", note))
            return None
        if spec.get("suspend"):
            return None
        try:
            return parse_schedule(text, zone)
        except ScheduleError as error:
            note = f'unparseable schedule: "{text}" : {error}'
            found.events.append(("Warning", "UnparseableSchedule", note))
            return None

    def _deletion(self, job: Object, found: ActiveJobs) -> Delete:
        found.remove(job)
        found.events.append(("Normal", "SuccessfulDelete", f"Deleted job {name(job)}"))
        return deletion_of(_JOB, job, propagation="Background")

    def carried_out(self, key: Hashable, outcome: Outcome) -> Iterator[Effect]:
        cron_job = self.objects.at(_CRON_JOB, key)
        if isinstance(outcome.effect, Create) and cron_job is not None:
            note = f"Created job {name(outcome.effect.obj)}"
            yield self.event(cron_job, "Normal", "SuccessfulCreate", note)

    def refused(self, key: Hashable, outcome: Outcome) -> Iterator[Effect]:
        cron_job, error = self.objects.at(_CRON_JOB, key), outcome.error
        is_told = error is not None and error.reason != "AlreadyExists"
        if isinstance(outcome.effect, Create) and cron_job is not None and is_told and error:
            note = f"Error creating job: {error.message}"
            yield self.event(cron_job, "Warning", "FailedCreate", note)


def _is_rescheduled(old: Object | None, new: Object) -> bool:
    return old is not None and any(
        spec_of(old).get(field) != spec_of(new).get(field) for field in _TIMED_BY
    )


def _local(cron_job: Object, at_s: float) -> str:
    zone = spec_of(cron_job).get("timeZone")
    if not zone:
        return timestamp(at_s)
    return datetime.fromtimestamp(at_s, parse_zone(zone)).isoformat(timespec="seconds")


def _job(cron_job: Object, scheduled_s: float) -> dict[str, Any]:
    template = spec_of(cron_job)["jobTemplate"]
    metadata = metadata_of(template)
    at = {SCHEDULED_AT: _local(cron_job, scheduled_s)}
    return {
        "apiVersion": "batch/v1",
        "kind": _JOB,
        "metadata": {
            "name": f"{name(cron_job)}-{int(scheduled_s) // 60}",
            "namespace": namespace(cron_job),
            "labels": dict(part(metadata, "labels")),
            "annotations": {**part(metadata, "annotations"), **at},
            "ownerReferences": [owner_reference(cron_job)],
        },
        "spec": spec_of(template),
    }
