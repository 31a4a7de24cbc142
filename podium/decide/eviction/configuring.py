"""How a record configures eviction: fields of a KubeletConfiguration and a few of its own."""

from dataclasses import replace
from typing import Any

from podium.api.durations import NANOS_PER_SECOND, format_duration, parse_duration
from podium.api.objects import Object
from podium.node.kubelet_config import read_exactly, with_defaults
from podium.node.pressure.eviction_config import EvictionConfig
from podium.node.pressure.filesystems import Filesystems
from podium.node.pressure.threshold_parsing import parse_signal, parse_value
from podium.node.pressure.thresholds import Threshold, Value

Json = dict[str, Any]

SEPARATE_DISK_GC = "KubeletSeparateDiskGC"


def read_eviction(config: Object, gates: Object) -> EvictionConfig:
    """The configuration; default thresholds go only if `kubeletDefaults` asks for them.

    Raises:
        ThresholdError: it can't be used.
    """
    found = read_exactly(with_defaults(config) if config.get("kubeletDefaults") else config)
    if config.get("thresholds") is not None:
        found = replace(found, thresholds=tuple(map(read_threshold, config["thresholds"])))
    separates = gates.get(SEPARATE_DISK_GC, True) is not False
    return replace(found, filesystems=read_filesystems(config), separates_disk_gc=separates)


def read_filesystems(config: Object) -> Filesystems:
    """How the node is partitioned."""
    return Filesystems(
        dedicated_image_fs=config.get("dedicatedImageFs") is True,
        split_container_image_fs=config.get("splitContainerImageFs") is True,
    )


def read_threshold(written: Object) -> Threshold:
    """A threshold as it stands in a record."""
    reclaim = written.get("minReclaim")
    return Threshold(
        signal=parse_signal(written["signal"]),
        value=parse_value(str(written["value"])),
        grace_period_s=parse_duration(written.get("gracePeriod", "0")) / NANOS_PER_SECOND,
        min_reclaim=None if reclaim is None else parse_value(str(reclaim)),
    )


def threshold_json(one: Threshold) -> Json:
    """A threshold as records have it."""
    answer: Json = {"signal": one.signal, "value": str(one.value), "hard": one.is_hard}
    if one.is_set:
        answer["operator"] = "LessThan"
    if _has_share(one.value):
        answer["percentage"] = one.value.share
    if not one.is_hard:
        answer["gracePeriod"] = format_duration(round(one.grace_period_s * NANOS_PER_SECOND))
    if one.min_reclaim is not None:
        answer["minReclaim"] = str(one.min_reclaim)
    return answer


def _has_share(value: Value) -> bool:
    """Whether it is a percentage above zero; one that is no number doesn't count."""
    return value.quantity is None and value.share > 0
