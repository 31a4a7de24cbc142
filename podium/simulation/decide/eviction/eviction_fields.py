"""The eviction configuration of a record: fields of a KubeletConfiguration and a few others."""

from collections.abc import Mapping

from msgspec.structs import replace

from podium.api.values.durations import format_duration
from podium.api.values.times import NANOS_PER_SECOND
from podium.kubelet.eviction.eviction_manager import EvictionConfig
from podium.kubelet.eviction.threshold_parser import parse_signal, parse_value
from podium.kubelet.eviction.thresholds import Threshold
from podium.simulation.decide.eviction.eviction_answer import ThresholdReport
from podium.simulation.decide.eviction.question import Configuration, WrittenThreshold

SEPARATE_DISK_GC = "KubeletSeparateDiskGC"


def read_eviction(written: Configuration, gates: Mapping[str, bool]) -> EvictionConfig:
    """The configuration; default thresholds go only if `kubeletDefaults` asks for them.

    Raises:
        ThresholdError: it can't be used.
    """
    found = written.eviction if written.kubelet_defaults else written.eviction_as_written()
    if written.thresholds is not None:
        found = replace(found, thresholds=tuple(map(_threshold, written.thresholds)))
    separates = gates.get(SEPARATE_DISK_GC, True)
    return replace(found, filesystems=written.filesystems, separates_disk_gc=separates)


def _threshold(written: WrittenThreshold) -> Threshold:
    reclaim = written.min_reclaim
    return Threshold(
        signal=parse_signal(written.signal),
        value=parse_value(written.value),
        grace_period_s=written.grace_period,
        min_reclaim=None if reclaim is None else parse_value(reclaim),
    )


def threshold_report(one: Threshold) -> ThresholdReport:
    """A threshold as records have it."""
    answer: ThresholdReport = {"signal": one.signal, "value": str(one.value), "hard": one.is_hard}
    if one.is_set:
        answer["operator"] = "LessThan"
    # Whether it is a percentage above zero; one that is no number doesn't count.
    if one.value.quantity is None and one.value.share > 0:
        answer["percentage"] = one.value.share
    if not one.is_hard:
        answer["gracePeriod"] = format_duration(round(one.grace_period_s * NANOS_PER_SECOND))
    if one.min_reclaim is not None:
        answer["minReclaim"] = str(one.min_reclaim)
    return answer
