"""A document of Podium's own options."""

from collections.abc import Mapping

from podium.api.errors import unsupported
from podium.config.options import SchedulerOptions, VictimOrder
from podium.config.reading.fields import Fields, Findings

_FIELDS = ("apiVersion", "kind", "victimOrder")


def read_options(raw: Mapping[str, object], findings: Findings) -> SchedulerOptions:
    """A document of the right apiVersion and kind; what is wrong with it goes to `findings`."""
    fields = Fields(raw, "", findings, _FIELDS)
    text = fields.text("victimOrder", VictimOrder.DEFAULT)
    if text in list(VictimOrder):
        return SchedulerOptions(VictimOrder(text))
    findings.faults.append(unsupported(fields.at("victimOrder"), text, VictimOrder))
    return SchedulerOptions()
