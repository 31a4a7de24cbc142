"""What a scenario says of evictions under pressure, in the words of a KubeletConfiguration."""

from collections.abc import Mapping
from dataclasses import replace

from podium.api.errors import unsupported
from podium.config.reading.fields import Fields
from podium.node.pressure.config import KUBELET_FIELDS, EvictionConfig, read_config
from podium.node.pressure.parsing import ThresholdError
from podium.node.pressure.ranking import EvictionOrder
from podium.simulation.reading.values import seconds

_OPTIONS = ("evictionOrder", "housekeepingInterval")


def read_eviction(spec: Fields) -> EvictionConfig:
    """How nodes evict pods; the kubelet's defaults go for what isn't said."""
    fields = spec.nested("kubelet", (*KUBELET_FIELDS, *_OPTIONS))
    written = spec.raw("kubelet")
    try:
        config = read_config(written if isinstance(written, Mapping) else {})
    except ThresholdError as error:
        spec.fault("kubelet", str(error))
        return EvictionConfig()
    order = fields.text("evictionOrder", EvictionOrder.DEFAULT)
    if order not in list(EvictionOrder):
        fault = unsupported(fields.at("evictionOrder"), order, EvictionOrder)
        fields.findings.faults.append(fault)
        return config
    housekeeping_s = seconds(fields, "housekeepingInterval") or config.housekeeping_s
    return replace(config, order=EvictionOrder(order), housekeeping_s=housekeeping_s)
