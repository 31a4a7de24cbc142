"""The CronJob controller: creates a Job for each time of a schedule, and deletes surplus Jobs.

Rules, names of Jobs and texts of events are those of v1.36's `cronjob` controller. A Job is added
to the CronJob's status once it exists; its name has the scheduled time, so that no time gets two.
"""

from collections.abc import Hashable, Iterable, Iterator, Sequence
from datetime import UTC, datetime
from typing import Any

import msgspec

from podium.api.objects import (
    Object,
    annotations,
    controller_of,
    entries,
    holds,
    is_terminating,
    labels,
    metadata_of,
    name,
    namespace,
    place_of,
    spec_of,
    status_of,
    uid_of,
    version_of,
)
from podium.api.values.cron_schedule import CronSchedule, ScheduleError, parse_schedule, parse_zone
from podium.api.values.times import TimeError, epoch_s, format_time, parse_time, timestamp
from podium.controllers.kit.controller_refs import owned_object
from podium.controllers.kit.workload_fields import status_update
from podium.machines.effects import Create, Delete, Effect, deletion_of
from podium.machines.events import Change, Outcome
from podium.machines.reconciler.indexer import by_owner
from podium.machines.reconciler.reconciler import Reconciler

MISSED_MAX = 100
"""The number of missed times above which an event warns, unless there is a deadline."""


class ScheduleTimes(msgspec.Struct, frozen=True):
    """The scheduled times before and after now that matter, in seconds since the epoch."""

    unmet_s: float | None
    """Latest past time for which no Job has been created; None if there is none."""
    next_s: float | None
    """First future time; None if there is none."""
    has_missed_many: bool = False
    """Whether so many times have been missed that an event has to warn."""


def _schedule_times(cron_job: Object, schedule: CronSchedule, now_s: float) -> ScheduleTimes:
    deadline_s = spec_of(cron_job).get("startingDeadlineSeconds")
    last = status_of(cron_job).get("lastScheduleTime")
    earliest_s = epoch_s(str(last or metadata_of(cron_job)["creationTimestamp"]))
    if deadline_s is not None:
        earliest_s = max(earliest_s, now_s - deadline_s)
    first_s = schedule.next_s(earliest_s)
    if first_s is None or first_s > now_s:
        return ScheduleTimes(None, first_s)
    second_s = schedule.next_s(first_s)
    if second_s is None or second_s > now_s:
        return ScheduleTimes(first_s, second_s)
    between_s = second_s - first_s
    passed = int((now_s - first_s) // between_s) + 1
    # Times needn't be equally far apart: the last ones are looked for one by one.
    unmet_s, next_s = first_s, schedule.next_s(first_s + (passed - 2) * between_s)
    while next_s is not None and next_s <= now_s:
        unmet_s, next_s = next_s, schedule.next_s(next_s)
    return ScheduleTimes(unmet_s, next_s, passed > MISSED_MAX and deadline_s is None)


SCHEDULED_AT = "batch.kubernetes.io/cronjob-scheduled-timestamp"
"""The annotation of a Job with the time of the schedule for which it was created."""

_HISTORY_LIMITS = {"Complete": "successfulJobsHistoryLimit", "Failed": "failedJobsHistoryLimit"}


class ActiveJobs(msgspec.Struct):
    """A CronJob's status as it follows from its Jobs, and events (type, reason, note) to record."""

    active: list[Any] = msgspec.field(default_factory=list)
    fields: dict[str, Any] = msgspec.field(default_factory=dict)
    events: list[tuple[str, str, str]] = msgspec.field(default_factory=list)

    def remove(self, job: Object) -> None:
        self.active = [entry for entry in self.active if entry.get("uid") != uid_of(job)]


def _active_jobs(cron_job: Object, jobs: Sequence[Object]) -> ActiveJobs:
    stored = status_of(cron_job)
    times = ("lastScheduleTime", "lastSuccessfulTime")
    jobs_now = ActiveJobs(
        [*entries(stored, "active")], {time: stored[time] for time in times if stored.get(time)}
    )
    for job in jobs:
        is_active = any(entry.get("uid") == uid_of(job) for entry in jobs_now.active)
        try:
            scheduled = format_time(parse_time(annotations(job).get(SCHEDULED_AT, "")))
        except TimeError:
            scheduled = ""
        is_news = scheduled > str(jobs_now.fields.get("lastScheduleTime") or "")
        finished = _finished_as(job)
        if is_news:
            jobs_now.fields["lastScheduleTime"] = scheduled
        if not finished and is_news:
            reference = {"apiVersion": "batch/v1", "kind": "Job", "name": name(job)}
            reference |= {"namespace": namespace(job), "uid": uid_of(job)}
            jobs_now.active.append({**reference, "resourceVersion": version_of(job)})
        elif not finished and not is_active:
            note = f"Saw a job that the controller did not create or forgot: {name(job)}"
            jobs_now.events.append(("Warning", "UnexpectedJob", note))
        elif finished and is_active:
            jobs_now.remove(job)
            note = f"Saw completed job: {name(job)}, condition: {finished}"
            jobs_now.events.append(("Normal", "SawCompletedJob", note))
        completed = status_of(job).get("completionTime")
        if finished == "Complete" and completed:
            last = str(jobs_now.fields.get("lastSuccessfulTime") or "")
            jobs_now.fields["lastSuccessfulTime"] = max(completed, last)
    there = {uid_of(job) for job in jobs}
    for gone in [entry for entry in jobs_now.active if entry.get("uid") not in there]:
        jobs_now.active.remove(gone)
        note = f"Active job went missing: {gone.get('name')}"
        jobs_now.events.append(("Normal", "MissingJob", note))
    return jobs_now


def _finished_as(job: Object) -> str:
    return next((kind for kind in _HISTORY_LIMITS if holds(job, kind)), "")


def _to_clean_up(cron_job_spec: Object, jobs: Sequence[Object]) -> Iterator[Object]:
    # Of those beyond a limit, the ones that started first go.
    def started(job: Object) -> tuple[bool, str, str]:
        time = status_of(job).get("startTime")
        return time is None, str(time), name(job)

    for condition, limit in _HISTORY_LIMITS.items():
        kept = cron_job_spec.get(limit)
        ended = sorted((job for job in jobs if _finished_as(job) == condition), key=started)
        if kept is not None and len(ended) > kept:
            yield from ended[: len(ended) - kept]


_CRON_JOB, _JOB = "CronJob", "Job"
# As upstream: a moment after the time, so that it has passed by any clock.
_DELTA_S = 0.1
_TIMED_BY = ("schedule", "timeZone")
_TOO_MANY = (
    "too many missed start times. Set or decrease .spec.startingDeadlineSeconds or check clock skew"
)
_FORBIDDEN = "Not starting job because prior execution is running and concurrency policy is Forbid"


class CronJobController(Reconciler):
    """Creates the Jobs of CronJobs when they are due, and deletes those beyond history limits."""

    name = "cronjob-controller"
    kinds = frozenset({_CRON_JOB, _JOB})
    tends = frozenset({_CRON_JOB})
    indexes = (by_owner(_JOB),)

    def keys_of(self, change: Change, before: Object | None) -> Iterator[Hashable]:
        if change.kind == _CRON_JOB:
            yield place_of(change.obj)
            return
        for job in (before, change.new):
            owner = None if job is None else controller_of(job)
            if job is not None and owner is not None and owner.get("kind") == _CRON_JOB:
                yield namespace(job), owner["name"]

    def react(self, key: Hashable, change: Change, before: Object | None) -> None:
        """Reconcile a CronJob at once or, if its schedule has changed, at its next time."""
        new, spec = change.new, spec_of(change.obj)
        is_rescheduled = change.kind == _CRON_JOB and any(
            before is not None and spec_of(before).get(field) != spec.get(field)
            for field in _TIMED_BY
        )
        if new is None or not is_rescheduled:
            super().react(key, change, before)
            return
        try:
            schedule = parse_schedule(str(spec.get("schedule")), str(spec.get("timeZone") or "UTC"))
        except ScheduleError:
            return
        next_s = _schedule_times(new, schedule, self._now_s).next_s
        if next_s is not None:
            self.look_again(key, next_s + _DELTA_S)

    def reconcile(self, key: Hashable, now_s: float) -> Iterator[Effect]:
        cron_job = self.objects.at(_CRON_JOB, key)
        if cron_job is None:
            return
        owned = self.objects.by(_JOB, "owner", uid_of(cron_job))
        jobs = sorted(owned, key=name)
        jobs_now = _active_jobs(cron_job, jobs)
        effects = [*self._start_due(cron_job, jobs, jobs_now, now_s)]
        live = [job for job in jobs if not is_terminating(job)]
        effects += (self._deletion(job, jobs_now) for job in _to_clean_up(spec_of(cron_job), live))
        for kind, reason, note in jobs_now.events:
            yield self.event(cron_job, kind, reason, note)
        yield from status_update(cron_job, **jobs_now.fields, active=jobs_now.active or None)
        yield from effects

    def _start_due(
        self, cron_job: Object, jobs: Iterable[Object], jobs_now: ActiveJobs, now_s: float
    ) -> Iterator[Effect]:
        spec = spec_of(cron_job)
        if is_terminating(cron_job):
            return
        zone, text = str(spec.get("timeZone") or "UTC"), str(spec.get("schedule"))
        try:
            parse_zone(zone)
        except ScheduleError as error:
            note = f'invalid timeZone: "{zone}": {error}'
            jobs_now.events.append(("Warning", "UnknownTimeZone", note))
            return
        if spec.get("suspend"):
            return
        try:
            schedule = parse_schedule(text, zone)
        except ScheduleError as error:
            note = f'unparseable schedule: "{text}" : {error}'
            jobs_now.events.append(("Warning", "UnparseableSchedule", note))
            return
        as_noted = {**cron_job, "status": {**status_of(cron_job), **jobs_now.fields}}
        times = _schedule_times(as_noted, schedule, now_s)
        if times.next_s is not None:
            self.look_again(place_of(cron_job), times.next_s + _DELTA_S)
        if times.has_missed_many:
            jobs_now.events.append(("Warning", "TooManyMissedTimes", _TOO_MANY))
        if times.unmet_s is None:
            return
        deadline_s = spec.get("startingDeadlineSeconds")
        if deadline_s is not None and times.unmet_s + deadline_s < now_s:
            at = datetime.fromtimestamp(times.unmet_s, UTC).strftime("%a, %d %b %Y %H:%M:%S +0000")
            note = f"Missed scheduled time to start a job: {at}"
            jobs_now.events.append(("Warning", "MissSchedule", note))
            return
        policy = spec.get("concurrencyPolicy")
        if policy == "Forbid" and jobs_now.active:
            jobs_now.events.append(("Normal", "JobAlreadyActive", _FORBIDDEN))
            return
        if policy == "Replace":
            active = {one.get("uid") for one in jobs_now.active}
            for job in [job for job in jobs if uid_of(job) in active]:
                yield self._deletion(job, jobs_now)
        template, scheduled_at = spec["jobTemplate"], timestamp(times.unmet_s)
        if spec.get("timeZone"):
            local = datetime.fromtimestamp(times.unmet_s, parse_zone(zone))
            scheduled_at = local.isoformat(timespec="seconds")
        metadata = {
            "name": f"{name(cron_job)}-{int(times.unmet_s) // 60}",
            "labels": dict(labels(template)),
            "annotations": {**annotations(template), SCHEDULED_AT: scheduled_at},
        }
        job = owned_object(cron_job, "batch/v1", _JOB, metadata, spec=spec_of(template))
        yield Create(kind=_JOB, obj=job)

    def _deletion(self, job: Object, jobs_now: ActiveJobs) -> Delete:
        jobs_now.remove(job)
        jobs_now.events.append(("Normal", "SuccessfulDelete", f"Deleted job {name(job)}"))
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
