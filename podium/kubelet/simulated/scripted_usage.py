"""The usage of pods and nodes over time, as scripted by annotations.

docs/node-pressure.md lists the annotations. A curve is a fixed amount (`1Gi`), a line through
points (`0s=200Mi,2m=2Gi`, constant after the last), or a seeded random walk within bounds
(`200Mi..600Mi`, with a new target every `STRIDE_S`). Curves are linear between their corners.
"""

import math
from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from random import Random
from typing import Any

import msgspec

from podium.api.errors import FieldError, InvalidValueError, aggregate
from podium.api.objects import Object, annotations
from podium.api.values.quantity import QuantityError, value
from podium.api.values.times import NANOS_PER_SECOND, DurationError, parse_duration
from podium.kubelet.simulated.behaviour import PREFIX, BehaviourError

STRIDE_S = 30.0
"""The time that a random walk takes to reach a goal."""

_RULE = (
    "must be an amount (1Gi), a line through points (0s=200Mi,2m=2Gi) with times in order, "
    "or bounds to walk in (200Mi..600Mi)"
)


class PiecewiseLine(msgspec.Struct, frozen=True):
    """A curve that is linear between points, and constant after the last."""

    times_s: tuple[float, ...]
    amounts: tuple[int, ...]

    def at(self, time_s: float, _seed: str) -> int:
        after = bisect_right(self.times_s, time_s)
        if after == 0:
            return self.amounts[0]
        if after == len(self.times_s):
            return self.amounts[-1]
        return _between(
            (self.times_s[after - 1], self.amounts[after - 1]),
            (self.times_s[after], self.amounts[after]),
            time_s,
        )

    def corners_s(self, from_s: float, to_s: float) -> Iterator[float]:
        """Yield the times of the curve's corners within an interval."""
        return (time_s for time_s in self.times_s if from_s < time_s < to_s)

    def is_level_from(self, time_s: float) -> bool:
        return len(self.times_s) == 1 or time_s >= self.times_s[-1]


class RandomWalk(msgspec.Struct, frozen=True):
    """A curve that is a random walk between bounds."""

    least: int
    most: int

    def at(self, time_s: float, seed: str) -> int:
        stride = math.floor(time_s / STRIDE_S)
        start = (stride * STRIDE_S, self._goal(stride, seed))
        end = ((stride + 1) * STRIDE_S, self._goal(stride + 1, seed))
        return _between(start, end, time_s)

    def corners_s(self, from_s: float, to_s: float) -> Iterator[float]:
        stride = math.floor(from_s / STRIDE_S) + 1
        while stride * STRIDE_S < to_s:
            yield stride * STRIDE_S
            stride += 1

    def is_level_from(self, _time_s: float) -> bool:
        return self.least == self.most

    def _goal(self, stride: int, seed: str) -> int:
        return Random(f"{seed}/{stride}").randint(self.least, self.most)


Curve = PiecewiseLine | RandomWalk


class CurveError(InvalidValueError):
    """A text that doesn't describe a curve."""


def parse_curve(text: str) -> Curve:
    """Parse a curve in the syntax of the annotations; raises CurveError."""
    try:
        if ".." in text:
            least, _, most = text.partition("..")
            walk = RandomWalk(_amount(least), _amount(most))
            if walk.least <= walk.most:
                return walk
        elif "=" in text:
            points = [point.partition("=") for point in text.split(",")]
            times_s = tuple(parse_duration(at.strip()) / NANOS_PER_SECOND for at, _, _ in points)
            amounts = tuple(_amount(amount) for _, _, amount in points)
            if times_s[0] >= 0 and list(times_s) == sorted(set(times_s)):
                return PiecewiseLine(times_s, amounts)
        else:
            return PiecewiseLine((0.0,), (_amount(text),))
    except (DurationError, QuantityError, ValueError):
        pass
    raise CurveError(FieldError("", text, _RULE))


def first_reaching(
    total: Callable[[float], int], corners_s: Iterable[float], limit: int
) -> float | None:
    """Return the time at which a sum of curves first reaches a limit, if any.

    `corners_s` has the ends of the interval and all corners in between, in order.
    """
    times_s: Sequence[float] = list(corners_s)
    before_s, before = times_s[0], total(times_s[0])
    if before >= limit:
        return before_s
    for time_s in times_s[1:]:
        amount = total(time_s)
        if amount >= limit:
            share = (limit - before) / (amount - before)
            return before_s + share * (time_s - before_s)
        before_s, before = time_s, amount
    return None


def _amount(text: str) -> int:
    amount = value(text.strip())
    if amount < 0:
        raise ValueError(text)
    return amount


def _between(start: tuple[float, int], end: tuple[float, int], time_s: float) -> int:
    share = (time_s - start[0]) / (end[0] - start[0])
    return round(start[1] + share * (end[1] - start[1]))


USAGE = PREFIX + "usage-"
VOLUME = USAGE + "volume-"

_CURVES = ("memory", "disk", "logs", "inodes", "processes")
_NODE_AMOUNTS = {
    PREFIX + "inodes": "inodes",
    PREFIX + "max-pids": "max_pids",
    PREFIX + "unused-images": "unused_images_bytes",
    PREFIX + "dead-containers": "dead_containers_bytes",
}


class UsageScript(msgspec.Struct, frozen=True):
    """The scripted usage of a pod or node over time."""

    curves: Mapping[str, Curve] = msgspec.field(default_factory=dict)
    """`memory`, `disk` (of writable layers) and `logs` in bytes, `inodes`, `processes`."""
    volumes: Mapping[str, Curve] = msgspec.field(default_factory=dict)

    @property
    def is_empty(self) -> bool:
        return not (self.curves or self.volumes)

    def is_level_from(self, time_s: float) -> bool:
        curves = (*self.curves.values(), *self.volumes.values())
        return all(curve.is_level_from(time_s) for curve in curves)


NO_USAGE = UsageScript()


class NodeScript(msgspec.Struct, frozen=True, kw_only=True):
    """The scripted resources of a node, and its usage besides that of pods."""

    usage: UsageScript = NO_USAGE
    inodes: int | None = None
    """Number of inodes of the filesystem; None if unscripted."""
    max_pids: int | None = None
    """Number of process ids; None if unscripted."""
    unused_images_bytes: int = 0
    """Bytes of images that garbage collection can free."""
    dead_containers_bytes: int = 0
    """Bytes of dead containers that garbage collection can free."""


NO_SCRIPT = NodeScript()


def usage_of(obj: Object) -> UsageScript:
    """Read the scripted usage from the annotations of a pod or node; raises BehaviourError."""
    written = annotations(obj)
    keys = [key for key in written if key.startswith(USAGE)]
    if not keys:
        return NO_USAGE
    curves: dict[str, Curve] = {}
    volumes: dict[str, Curve] = {}
    faults: list[FieldError] = []
    for key in keys:
        try:
            curve = parse_curve(written[key])
        except InvalidValueError as invalid:
            faults.append(invalid.under(f"metadata.annotations[{key}]").error)
            continue
        what = key.removeprefix(USAGE)
        if what in _CURVES:
            curves[what] = curve
        elif key.startswith(VOLUME):
            volumes[key.removeprefix(VOLUME)] = curve
        else:
            known = ", ".join((*_CURVES, "volume-NAME"))
            rule = f"there is no such usage; there are {known}"
            faults.append(FieldError(f"metadata.annotations[{key}]", written[key], rule))
    if faults:
        raise BehaviourError(aggregate(faults))
    return UsageScript(curves, volumes)


def node_script_of(node: Object) -> NodeScript:
    """Read the resources and usage of a node from its annotations; raises BehaviourError."""
    written = annotations(node)
    amounts: dict[str, Any] = {}
    for key, attribute in _NODE_AMOUNTS.items():
        if key in written:
            try:
                amounts[attribute] = value(written[key])
            except QuantityError as error:
                raise BehaviourError(str(error.under(f"metadata.annotations[{key}]"))) from None
    usage = usage_of(node)
    return NO_SCRIPT if usage.is_empty and not amounts else NodeScript(usage=usage, **amounts)
