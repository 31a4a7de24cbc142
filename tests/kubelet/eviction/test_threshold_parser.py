"""Thresholds as the kubelet reads them."""

import pytest

from podium.api.documents.document import InvalidDocumentError
from podium.kubelet.eviction.signals import Signal
from podium.kubelet.eviction.threshold_parser import ThresholdError, parse_value
from podium.kubelet.kubelet_config import DEFAULT_HARD, read_eviction_config, read_kubelet_config
from tests.kubelet.eviction.builders import read_exactly


@pytest.mark.parametrize(
    ("hard", "error"),
    [
        ({"memory.available": "x%"}, 'strconv.ParseFloat: parsing "x": invalid syntax'),
        ({"memory.available": " 5%"}, 'strconv.ParseFloat: parsing " 5": invalid syntax'),
        ({"memory.available": "1e39%"}, 'strconv.ParseFloat: parsing "1e39": value out of range'),
        ({"memory.available": "1e999%"}, "value out of range"),
        ({"memory.available": "Inf%"}, "must be <= 100%: Inf%"),
        ({"memory.available": " 1Gi"}, "quantities must match the regular expression"),
    ],
)
def test_malformed_thresholds(hard: dict[str, str], error: str) -> None:
    with pytest.raises(ThresholdError) as raised:
        read_exactly({"evictionHard": hard})
    assert error in str(raised.value)


@pytest.mark.parametrize(
    ("period", "error"),
    [
        ("30", 'time: missing unit in duration "30"'),
        ("1d", 'time: unknown unit "d" in duration "1d"'),
        ("abc", 'time: invalid duration "abc"'),
        ("", 'time: invalid duration ""'),
        ("-1s", "invalid eviction grace period specified: -1s, must be a positive value"),
    ],
)
def test_malformed_grace_periods(period: str, error: str) -> None:
    kubelet = {
        "evictionSoft": {"memory.available": "1Gi"},
        "evictionSoftGracePeriod": {"memory.available": period},
    }
    with pytest.raises(ThresholdError) as raised:
        read_exactly(kubelet)
    assert str(raised.value) == error


def test_several_faults_of_one_map_are_all_told() -> None:
    with pytest.raises(ThresholdError) as raised:
        read_exactly({"evictionHard": {"a": "1", "b": "2"}, "evictionSoft": {"c": "3"}})
    assert raised.value.faults == ("unsupported eviction signal a", "unsupported eviction signal b")


@pytest.mark.parametrize(
    "kubelet",
    [
        {"evictionHard": ["memory.available"]},
        {"evictionHard": {"memory.available": 5}},
        {"evictionMaxPodGracePeriod": "30"},
        {"evictionPressureTransitionPeriod": "soon"},
        {"enforceNodeAllocatable": "pods"},
        {"enforceNodeAllocatable": [5]},
    ],
)
def test_fields_of_other_shapes(kubelet: dict[str, object]) -> None:
    with pytest.raises(InvalidDocumentError, match=next(iter(kubelet))):
        read_exactly(kubelet)


@pytest.mark.parametrize("off", ["0%", "100%"])
def test_thresholds_that_are_switched_off(off: str) -> None:
    assert read_exactly({"evictionHard": {"memory.available": off}}).thresholds == ()


@pytest.mark.parametrize(
    ("text", "capacity", "amount"),
    [
        ("10%", 107374182400, "10737418400"),
        ("5%", 6553600, "320Ki"),
        ("1.5%", 6553600, "98303"),
        ("1_0%", 6553600, "640Ki"),
        ("0x1p2%", 6553600, "262143"),
        ("33.3%", 3, "0"),
        ("200%", 500, "1k"),
        ("1.5Gi", 1, "1536Mi"),
    ],
)
def test_percentages_are_float32(text: str, capacity: int, amount: str) -> None:
    assert str(parse_value(text).of(capacity)) == amount


def test_what_is_no_number_is_never_reached() -> None:
    value = parse_value("NaN%")
    assert value.of(100).nanos < 0
    assert str(value) == "NaN%"


def signals(kubelet: dict[str, object]) -> set[str]:
    return {str(one.signal) for one in read_eviction_config(kubelet).thresholds}


def test_defaults() -> None:
    assert signals({}) == {*DEFAULT_HARD, "allocatableMemory.available"}
    assert signals({"enforceNodeAllocatable": []}) == {*DEFAULT_HARD}
    assert signals({"evictionHard": {"pid.available": "10%"}}) == {"pid.available"}
    merged = {"evictionHard": {"nodefs.available": "0%"}, "mergeDefaultEvictionSettings": True}
    assert "nodefs.available" not in signals(merged)
    assert "memory.available" in signals(merged)
    config = read_eviction_config({})
    assert (config.transition_period_s, config.max_pod_grace_period_s) == (300.0, 0)


def test_the_memory_of_pods_together_has_the_hard_threshold_of_memory() -> None:
    kubelet = {
        "evictionHard": {"memory.available": "1Gi"},
        "evictionSoft": {"memory.available": "2Gi"},
        "evictionSoftGracePeriod": {"memory.available": "1m"},
        "evictionMinimumReclaim": {"memory.available": "5%"},
        "enforceNodeAllocatable": ["pods"],
    }
    *_, last = read_exactly(kubelet).thresholds
    assert last.signal is Signal.ALLOCATABLE_MEMORY_AVAILABLE
    assert (str(last.value), last.is_hard, str(last.min_reclaim)) == ("1Gi", True, "5%")


def test_flags() -> None:
    flags = {
        "evictionHard": "memory.available<1Gi, nodefs.available<10%,",
        "evictionSoft": "memory.available<2Gi",
        "evictionSoftGracePeriod": "memory.available=1m30s",
        "evictionMinimumReclaim": "memory.available=0Mi,nodefs.available=500Mi",
    }
    maps = {
        "evictionHard": {"memory.available": "1Gi", "nodefs.available": "10%"},
        "evictionSoft": {"memory.available": "2Gi"},
        "evictionSoftGracePeriod": {"memory.available": "1m30s"},
        "evictionMinimumReclaim": {"memory.available": "0Mi", "nodefs.available": "500Mi"},
    }
    assert read_exactly(flags) == read_exactly(maps)


@pytest.mark.parametrize(
    ("field", "text", "error"),
    [
        ("evictionHard", "memory.available=1Gi", "malformed pair, expect string<string"),
        ("evictionMinimumReclaim", "memory.available<1Gi", "malformed pair, expect string=string"),
    ],
)
def test_malformed_flags(field: str, text: str, error: str) -> None:
    with pytest.raises(InvalidDocumentError) as raised:
        read_exactly({field: text})
    assert str(raised.value) == f'{field}: Invalid value: "{text}": {error}'


def test_what_is_reserved_is_not_for_pods() -> None:
    capacity = {"cpu": "8", "memory": "10Gi", "ephemeral-storage": "100Gi"}
    kubelet = {
        "evictionHard": {"memory.available": "500Mi", "nodefs.available": "10%"},
        "systemReserved": {"memory": "1Gi", "cpu": "500m"},
        "kubeReserved": {"memory": "512Mi"},
    }
    assert read_kubelet_config(kubelet).allocatable(capacity) == {
        "cpu": "7500m",
        "memory": "8204Mi",
        "ephemeral-storage": "96636764000",
    }


def test_digits_without_end_are_looked_at_once() -> None:
    with pytest.raises(InvalidDocumentError):
        read_eviction_config({"evictionHard": {"memory.available": "1" * 200_000 + "x%"}})
