"""Which times of a CronJob's schedule have passed without a Job, and which comes next."""

import msgspec

from podium.api.objects import Object, metadata_of, spec_of, status_of
from podium.api.values.cron_schedule import CronSchedule
from podium.api.values.times import epoch_s

MISSED_MAX = 100
"""Of more missed times than that an event tells, unless there is a deadline for starting."""


class ScheduleTimes(msgspec.Struct, frozen=True):
    """The times of a schedule around now, in seconds since the epoch.

    Attributes:
        unmet_s: the latest that has passed since the last Job; None if there is none.
        next_s: the first that hasn't come yet; None if none will.
        has_missed_many: whether so many have passed that something must be wrong.
    """

    unmet_s: float | None
    next_s: float | None
    has_missed_many: bool = False


def schedule_times(cron_job: Object, schedule: CronSchedule, now_s: float) -> ScheduleTimes:
    """The times of a CronJob, by v1.36's rules: of several missed ones the latest counts."""
    deadline_s = spec_of(cron_job).get("startingDeadlineSeconds")
    earliest_s = _last_s(cron_job)
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


def _last_s(cron_job: Object) -> float:
    last = status_of(cron_job).get("lastScheduleTime")
    return epoch_s(str(last or metadata_of(cron_job)["creationTimestamp"]))
