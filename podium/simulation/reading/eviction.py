"""What a scenario says of evictions under pressure, in the words of a KubeletConfiguration."""

from collections.abc import Mapping
from dataclasses import replace

from podium.api.errors import unsupported
from podium.config.reading.fields import Fields
from podium.node.pressure.config import (
    KUBELET_FIELDS,
    RESERVATIONS,
    EvictionConfig,
    allocatable,
    read_config,
)
from podium.node.pressure.parsing import ThresholdError
from podium.node.pressure.ranking import EvictionOrder
from podium.simulation.reading.values import amounts, seconds

_OPTIONS = ("evictionOrder", "housekeepingInterval")


def read_eviction(spec: Fields) -> EvictionConfig:
    """How nodes evict pods; the kubelet's defaults go for what isn't said."""
    fields = spec.nested("kubelet", (*KUBELET_FIELDS, *_OPTIONS))
    try:
        config = read_config(_written(spec))
    except ThresholdError as error:
        spec.fault("kubelet", str(error))
        return EvictionConfig()
    for reserved in RESERVATIONS:
        amounts(fields, reserved)
    order = fields.text("evictionOrder", EvictionOrder.DEFAULT)
    if order not in list(EvictionOrder):
        fault = unsupported(fields.at("evictionOrder"), order, EvictionOrder)
        fields.findings.faults.append(fault)
        return config
    housekeeping_s = seconds(fields, "housekeepingInterval") or config.housekeeping_s
    return replace(config, order=EvictionOrder(order), housekeeping_s=housekeeping_s)


def node_allocatable(spec: Fields, capacity: Mapping[str, str]) -> Mapping[str, str]:
    """What of a node's capacity is left for pods; all of it, unless there is a `kubelet`."""
    if not spec.has("kubelet") or spec.findings.faults:
        return capacity
    return allocatable(capacity, _written(spec))


def _written(spec: Fields) -> Mapping[str, object]:
    written = spec.raw("kubelet")
    return written if isinstance(written, Mapping) else {}
