"""A document of Podium's own options."""

from collections.abc import Mapping

from podium.api.errors import unsupported
from podium.config.options import SchedulerOptions, VictimOrder
from podium.config.reading.durations import duration_seconds
from podium.config.reading.fields import Fields, Findings

_FIELDS = ("apiVersion", "kind", "victimOrder", "evictionGuard")


def read_options(raw: Mapping[str, object], findings: Findings) -> SchedulerOptions:
    """A document of the right apiVersion and kind; what is wrong with it goes to `findings`."""
    fields = Fields(raw, "", findings, _FIELDS)
    text = fields.text("victimOrder", VictimOrder.DEFAULT)
    guard_s = _guard_s(fields)
    if text in list(VictimOrder):
        return SchedulerOptions(VictimOrder(text), guard_s)
    findings.faults.append(unsupported(fields.at("victimOrder"), text, VictimOrder))
    return SchedulerOptions()


def _guard_s(fields: Fields) -> float:
    seconds = duration_seconds(fields.text("evictionGuard", "0"))
    if seconds is None or seconds < 0:
        fields.fault("evictionGuard", "must be a duration, such as 10m")
        return 0.0
    return seconds
