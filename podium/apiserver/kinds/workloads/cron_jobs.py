"""CronJobs: Jobs by a schedule.

The rules are those of `ValidateCronJobCreate` and `ValidateCronJobUpdate` in v1.36.
"""

from typing import Any

from podium.api.errors import FieldError, unsupported
from podium.api.kinds.builtin_kinds import KINDS
from podium.api.objects import name
from podium.api.values.cron_schedule import ScheduleError, parse_schedule, parse_zone
from podium.apiserver.kinds.registration.registration import Registration
from podium.apiserver.kinds.workloads import workloads
from podium.apiserver.kinds.workloads.jobs import job_spec
from podium.apiserver.validation import checks
from podium.apiserver.validation.checks import Faults, join
from podium.apiserver.validation.metadata import template_meta

_NAME_LENGTH_MAX = 52
"""Names of Jobs end in a hyphen and a time, and may have 63 characters."""

_ZONE_IN_SCHEDULE = "cannot use TZ or CRON_TZ in schedule, use timeZone field instead"
_NO_ZONE = "timeZone must be an explicit time zone as defined in https://www.iana.org/time-zones"


def _schedule(text: Any, path: str) -> Faults:
    if not text:
        yield checks.required(path)
    elif "TZ" in text:
        yield FieldError(path, text, _ZONE_IN_SCHEDULE)
    else:
        try:
            parse_schedule(text)
        except ScheduleError as error:
            yield FieldError(path, text, str(error))


def _time_zone(text: Any, path: str) -> Faults:
    if not text or text.lower() == "local":
        yield FieldError(path, text, _NO_ZONE)
        return
    try:
        parse_zone(text)
    except ScheduleError as error:
        yield FieldError(path, text, str(error))


def _short_name(cron_job: Any, path: str) -> Faults:
    if len(name(cron_job)) > _NAME_LENGTH_MAX:
        rule = f"must be no more than {_NAME_LENGTH_MAX} characters"
        yield FieldError(join(path, "metadata.name"), name(cron_job), rule)


def _chooses_itself(spec: Any, path: str) -> Faults:
    if spec.get("manualSelector"):
        yield unsupported(join(path, "manualSelector"), True, ["nil", "false"])


_job = checks.both(job_spec, _chooses_itself)
_valid = checks.both(
    workloads.workload_check(
        checks.fields(
            schedule=checks.absent_as("", _schedule),
            startingDeadlineSeconds=checks.integer(),
            concurrencyPolicy=checks.one_of("Allow", "Forbid", "Replace"),
            timeZone=_time_zone,
            jobTemplate=checks.absent_as(
                {}, checks.fields(metadata=template_meta, spec=checks.absent_as({}, _job))
            ),
            successfulJobsHistoryLimit=checks.count,
            failedJobsHistoryLimit=checks.count,
        )
    ),
    _short_name,
)


CRON_JOB = Registration(
    kind=KINDS["CronJob"],
    validate=_valid,
)
