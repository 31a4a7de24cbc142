"""Schedules of CronJobs: five fields, or a descriptor such as `@daily`, in a time zone.

Syntax and errors are those of robfig/cron's standard parser, which Kubernetes uses. A local time
that is skipped when clocks go forward isn't due; one that is repeated is due twice.
"""

import re
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from functools import lru_cache
from zoneinfo import ZoneInfo

import msgspec
from cronsim import CronSim, CronSimError

from podium.api.errors import PodiumError
from podium.api.values.times import NANOS_PER_SECOND, DurationError, parse_duration

_DAY_NAMES = "sun mon tue wed thu fri sat"
_DAYS = {name: day for day, name in enumerate(_DAY_NAMES.split())}
_MONTH_NAMES = "jan feb mar apr may jun jul aug sep oct nov dec"
_MONTHS = {name: month for month, name in enumerate(_MONTH_NAMES.split(), start=1)}
_DESCRIPTORS = {
    "@yearly": "0 0 1 1 *",
    "@annually": "0 0 1 1 *",
    "@monthly": "0 0 1 * *",
    "@weekly": "0 0 * * 0",
    "@daily": "0 0 * * *",
    "@midnight": "0 0 * * *",
    "@hourly": "0 * * * *",
}
_EVERY = "@every "
# Clocks are changed by no more than this.
_CHANGE = timedelta(hours=3)


class ScheduleError(PodiumError):
    """A text isn't a valid schedule, or a time zone is unknown."""


class _Field(msgspec.Struct, frozen=True):
    first: int
    last: int
    names: Mapping[str, int]


_FIELDS = (
    _Field(0, 59, {}),
    _Field(0, 23, {}),
    _Field(1, 31, {}),
    _Field(1, 12, _MONTHS),
    _Field(0, 6, _DAYS),
)


class CronSchedule(msgspec.Struct, frozen=True):
    """A cron schedule: five plain fields, or for `@every` a period in seconds."""

    expression: str
    zone: ZoneInfo
    every_s: int = 0

    def next_s(self, after_s: float) -> float | None:
        """Return the first scheduled time after a time, in seconds since the epoch, or None."""
        if self.every_s:
            return float(int(after_s) + self.every_s)
        after = datetime.fromtimestamp(after_s, UTC)
        local = after.astimezone(self.zone).replace(tzinfo=None)
        best: datetime | None = None
        try:
            walls = CronSim(self.expression, local - _CHANGE)
        except CronSimError:
            # No month has so many days.
            return None
        for wall in walls:
            for fold in (0, 1):
                at = wall.replace(tzinfo=self.zone, fold=fold).astimezone(UTC)
                exists = at.astimezone(self.zone).replace(tzinfo=None) == wall
                if exists and at > after and (best is None or at < best):
                    best = at
            if best is not None and wall > local + _CHANGE:
                break
        return None if best is None else best.timestamp()


@lru_cache(maxsize=1024)
def parse_schedule(text: str, zone: str = "UTC") -> CronSchedule:
    """Parse a schedule; raises ScheduleError, also for an unknown time zone."""
    time_zone = parse_zone(zone)
    if not text:
        raise ScheduleError("empty spec string")
    if text.startswith(_EVERY):
        try:
            nanos = parse_duration(text.removeprefix(_EVERY))
        except DurationError as error:
            raise ScheduleError(f"failed to parse duration {text}: {error}") from None
        return CronSchedule("", time_zone, max(nanos // NANOS_PER_SECOND, 1))
    if text.startswith("@"):
        if text not in _DESCRIPTORS:
            raise ScheduleError(f"unrecognized descriptor: {text}")
        text = _DESCRIPTORS[text]
    words = text.split()
    if len(words) != len(_FIELDS):
        listed = f"[{' '.join(words)}]"
        raise ScheduleError(f"expected exactly 5 fields, found {len(words)}: {listed}")
    plain = (_plain(word, field) for word, field in zip(words, _FIELDS, strict=True))
    return CronSchedule(" ".join(plain), time_zone)


def parse_zone(name: str) -> ZoneInfo:
    """Return a time zone by its name, such as `Europe/Berlin`; raises ScheduleError."""
    try:
        return ZoneInfo(name)
    except (ValueError, OSError, LookupError):
        raise ScheduleError(f"unknown time zone {name}") from None


def _plain(word: str, field: _Field) -> str:
    values: set[int] = set()
    is_star = False
    for part in filter(None, word.split(",")):
        numbers, is_all = _range(part, field)
        values.update(numbers)
        is_star = is_star or is_all
    return "*" if is_star else ",".join(map(str, sorted(values)))


def _range(part: str, field: _Field) -> tuple[range, bool]:
    # The numbers of a range with a step, and whether it is a star, which doesn't restrict days.
    whole, *steps = part.split("/")
    if len(steps) > 1:
        raise ScheduleError(f"too many slashes: {part}")
    first_text, *last_texts = whole.split("-")
    is_star = whole in ("*", "?")
    if is_star:
        first, last = field.first, field.last
    elif len(last_texts) > 1:
        raise ScheduleError(f"too many hyphens: {part}")
    else:
        first = _number(first_text, field.names)
        last = _number(last_texts[0], field.names) if last_texts else first
    step = _number(steps[0], {}) if steps else 1
    if steps and not last_texts and not is_star:
        last = field.last
    if first < field.first:
        rule = f"beginning of range ({first}) below minimum ({field.first})"
    elif last > field.last:
        rule = f"end of range ({last}) above maximum ({field.last})"
    elif first > last:
        rule = f"beginning of range ({first}) beyond end of range ({last})"
    elif step == 0:
        rule = "step of range should be a positive number"
    else:
        return range(first, last + 1, step), is_star and step == 1
    raise ScheduleError(f"{rule}: {part}")


def _number(text: str, names: Mapping[str, int]) -> int:
    if text.lower() in names:
        return names[text.lower()]
    if not re.fullmatch("[+-]?[0-9]{1,18}", text):
        why = f'strconv.Atoi: parsing "{text}": invalid syntax'
        raise ScheduleError(f"failed to parse int from {text}: {why}")
    if text.startswith("-"):
        raise ScheduleError(f"negative number ({int(text)}) not allowed: {text}")
    return int(text)
