"""The status of a CronJob: its active Jobs, and when one last started and last succeeded."""

from collections.abc import Iterator, Sequence
from typing import Any

import msgspec

from podium.api.objects import (
    Object,
    annotations,
    entries,
    holds,
    name,
    namespace,
    status_of,
    uid_of,
    version_of,
)
from podium.api.values.times import TimeError, format_time, parse_time

SCHEDULED_AT = "batch.kubernetes.io/cronjob-scheduled-timestamp"
"""The annotation of a Job that says for which time it was made."""

_FINISHED = ("Complete", "Failed")


class ActiveJobs(msgspec.Struct):
    """The status of a CronJob, brought up to date with its Jobs.

    Attributes:
        active: references to the Jobs that run.
        fields: the other fields of the status that are set.
        events: what is to be told: type, reason and note.
    """

    active: list[Any] = msgspec.field(default_factory=list)
    fields: dict[str, Any] = msgspec.field(default_factory=dict)
    events: list[tuple[str, str, str]] = msgspec.field(default_factory=list)

    def remove(self, job: Object) -> None:
        """Take a Job out of those that run."""
        self.active = [one for one in self.active if one.get("uid") != uid_of(job)]

    def status(self) -> dict[str, Any]:
        """The patch that makes the status so."""
        return {**self.fields, "active": self.active or None}

    def differs_from(self, cron_job: Object) -> bool:
        """Whether the status isn't the one that is stored."""
        stored = status_of(cron_job)
        return self.active != entries(stored, "active") or any(
            stored.get(name) != value for name, value in self.fields.items()
        )


def active_jobs(cron_job: Object, jobs: Sequence[Object]) -> ActiveJobs:
    """The status by the Jobs that there are."""
    stored = status_of(cron_job)
    known = ("lastScheduleTime", "lastSuccessfulTime")
    found = ActiveJobs(
        [*entries(stored, "active")], {one: stored[one] for one in known if stored.get(one)}
    )
    for job in jobs:
        _take_in(found, job)
    there = {uid_of(job) for job in jobs}
    for gone in [one for one in found.active if one.get("uid") not in there]:
        found.active.remove(gone)
        note = f"Active job went missing: {gone.get('name')}"
        found.events.append(("Normal", "MissingJob", note))
    return found


def _take_in(found: ActiveJobs, job: Object) -> None:
    is_active = any(one.get("uid") == uid_of(job) for one in found.active)
    scheduled = _scheduled_at(job)
    is_news = bool(scheduled) and scheduled > str(found.fields.get("lastScheduleTime") or "")
    finished = finished_as(job)
    if is_news:
        found.fields["lastScheduleTime"] = scheduled
    if not finished and is_news:
        found.active.append(_reference(job))
    elif not finished and not is_active:
        note = f"Saw a job that the controller did not create or forgot: {name(job)}"
        found.events.append(("Warning", "UnexpectedJob", note))
    elif finished and is_active:
        found.remove(job)
        note = f"Saw completed job: {name(job)}, condition: {finished}"
        found.events.append(("Normal", "SawCompletedJob", note))
    completed = status_of(job).get("completionTime")
    if finished == "Complete" and completed:
        last = str(found.fields.get("lastSuccessfulTime") or "")
        found.fields["lastSuccessfulTime"] = max(completed, last)


def _scheduled_at(job: Object) -> str:
    """The time for which a Job was made, as a status has it; empty if it wasn't made for any."""
    try:
        return format_time(parse_time(annotations(job).get(SCHEDULED_AT, "")))
    except TimeError:
        return ""


def finished_as(job: Object) -> str:
    """The condition with which a Job has ended; empty if it hasn't."""
    return next((one for one in _FINISHED if holds(job, one)), "")


def to_clean_up(cron_job_spec: Object, jobs: Sequence[Object]) -> Iterator[Object]:
    """The Jobs that have ended and are beyond what is kept, the earliest started first."""
    limits = (("Complete", "successfulJobsHistoryLimit"), ("Failed", "failedJobsHistoryLimit"))
    for condition, limit in limits:
        kept = cron_job_spec.get(limit)
        ended = sorted((job for job in jobs if finished_as(job) == condition), key=_started)
        if kept is not None and len(ended) > kept:
            yield from ended[: len(ended) - kept]


def _started(job: Object) -> tuple[bool, str, str]:
    time = status_of(job).get("startTime")
    return time is None, str(time), name(job)


def _reference(job: Object) -> dict[str, Any]:
    return {
        "apiVersion": "batch/v1",
        "kind": "Job",
        "name": name(job),
        "namespace": namespace(job),
        "uid": uid_of(job),
        "resourceVersion": version_of(job),
    }
