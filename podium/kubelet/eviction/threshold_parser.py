"""The parser of eviction thresholds, with the errors of the kubelet's `ParseThresholdConfig`."""

import math
import re
import struct
from collections.abc import Callable, Mapping
from typing import TypeVar

from podium.api.errors import PodiumError
from podium.api.values.quantity import QuantityError, parse_quantity
from podium.api.values.times import NANOS_PER_SECOND, DurationError, parse_duration
from podium.kubelet.eviction.signals import Signal
from podium.kubelet.eviction.thresholds import Threshold, Value

Statements = Mapping[str, str]

_Read = TypeVar("_Read")

_SWITCHED_OFF = ("0%", "100%")
_DECIMAL = re.compile(r"[+-]?(\d[\d_]*+\.?[\d_]*+|\.\d[\d_]*)([eE][+-]?\d[\d_]*)?", re.ASCII)
_HEXADECIMAL = re.compile(r"[+-]?0[xX][\da-fA-F_.]+[pP][+-]?\d[\d_]*", re.ASCII)
_NAMED = re.compile(r"[+-]?inf(inity)?|nan", re.IGNORECASE | re.ASCII)


class ThresholdError(PodiumError):
    """Invalid thresholds, with the kubelet's message for the first fault."""

    def __init__(self, *faults: str) -> None:
        super().__init__(faults[0])
        self.faults = tuple(dict.fromkeys(faults))
        """All faults of a map; the kubelet reads maps in random order, and reports one fault."""


def parse_thresholds(
    hard: Statements,
    soft: Statements,
    soft_grace_period: Statements,
    minimum_reclaim: Statements,
    *,
    enforces_allocatable: bool,
) -> tuple[Threshold, ...]:
    """Parse the kubelet's maps by signal into thresholds; hard thresholds come first.

    With `enforces_allocatable` the hard threshold of memory also applies to the allocatable
    memory of all pods together. A ThresholdError has all faults of the first faulty map.
    """
    hard_values = _read_all(hard, _threshold_value)
    soft_values = _read_all(soft, _threshold_value)
    grace_periods_s = _read_all(soft_grace_period, _grace_period_s)
    min_reclaims = _read_all(minimum_reclaim, _min_reclaim)
    without = [signal for signal in soft_values if signal not in grace_periods_s]
    if without:
        message = "grace period must be specified for the soft eviction threshold {}"
        raise ThresholdError(*map(message.format, without))
    thresholds = [
        Threshold(
            signal, value, 0.0 if is_hard else grace_periods_s[signal], min_reclaims.get(signal)
        )
        for values, is_hard in ((hard_values, True), (soft_values, False))
        for signal, value in values.items()
    ]
    if enforces_allocatable:
        thresholds += [
            Threshold(Signal.ALLOCATABLE_MEMORY_AVAILABLE, hard.value, 0.0, hard.min_reclaim)
            for hard in thresholds
            if hard.signal is Signal.MEMORY_AVAILABLE and hard.is_hard
        ]
    return tuple(thresholds)


def parse_value(text: str) -> Value:
    """Parse an amount or a percentage of any size; raises ThresholdError."""
    if text.endswith("%"):
        return Value(share=_share(text))
    # Unlike the API, the kubelet doesn't strip blanks from quantities.
    try:
        return Value(parse_quantity(text if text == text.strip() else ""))
    except QuantityError as error:
        raise ThresholdError(error.error.message) from None


def _read_all(
    statements: Statements, read: Callable[[str, str], _Read | None]
) -> dict[Signal, _Read]:
    values: dict[Signal, _Read] = {}
    faults: list[str] = []
    for name, text in statements.items():
        try:
            signal, value = parse_signal(name), read(name, text)
        except ThresholdError as error:
            faults += error.faults
            continue
        if value is not None:
            values[signal] = value
    if faults:
        raise ThresholdError(*faults)
    return values


def _threshold_value(name: str, text: str) -> Value | None:
    if text in _SWITCHED_OFF:
        return None
    value = parse_value(text)
    if value.quantity is not None and value.quantity.nanos <= 0:
        raise ThresholdError(f"eviction threshold {name} must be positive: {value.quantity}")
    if value.share < 0:
        raise ThresholdError(f"eviction percentage threshold {name} must be >= 0%: {text}")
    if value.share > 1:
        raise ThresholdError(f"eviction percentage threshold {name} must be <= 100%: {text}")
    return value


def _grace_period_s(_name: str, text: str) -> float:
    try:
        nanos = parse_duration(text)
    except DurationError as error:
        raise ThresholdError(str(error)) from None
    if nanos < 0:
        message = "invalid eviction grace period specified: {}, must be a positive value"
        raise ThresholdError(message.format(text))
    return nanos / NANOS_PER_SECOND


def _min_reclaim(name: str, text: str) -> Value:
    value = parse_value(text)
    if value.quantity is None and value.share <= 0:
        message = f"eviction percentage minimum reclaim {name} must be positive: {text}"
        raise ThresholdError(message)
    if value.quantity is not None and value.quantity.nanos < 0:
        raise ThresholdError(f"negative eviction minimum reclaim specified for {name}")
    return value


def parse_signal(name: str) -> Signal:
    """Parse the name of a signal; raises ThresholdError."""
    try:
        return Signal(name)
    except ValueError:
        raise ThresholdError(f"unsupported eviction signal {name}") from None


def _share(text: str) -> float:
    """Parse a percentage into a share, with each step rounded to a float32."""
    number = text.rstrip("%")
    try:
        if _HEXADECIMAL.fullmatch(number):
            read = float.fromhex(number.replace("_", ""))
        elif _NAMED.fullmatch(number) or _DECIMAL.fullmatch(number):
            read = float(number)
        else:
            raise ValueError(number)
        if math.isinf(read) and not _NAMED.fullmatch(number):
            raise OverflowError(number)
        percent = _single(read)
    except ValueError:
        message = f'strconv.ParseFloat: parsing "{number}": invalid syntax'
        raise ThresholdError(message) from None
    except OverflowError:
        message = f'strconv.ParseFloat: parsing "{number}": value out of range'
        raise ThresholdError(message) from None
    return _single(percent / 100)


def _single(number: float) -> float:
    """Return the nearest float32; raises OverflowError."""
    rounded: float = struct.unpack("<f", struct.pack("<f", number))[0]
    return rounded


BELOW, EQUALS = "<", "="


def parse_flag(text: str, separator: str) -> Statements:
    """Parse pairs with a separator, of equal keys the last; raises ThresholdError."""
    statements = {}
    for pair in filter(None, text.split(",")):
        signal, separated, value = pair.partition(separator)
        if not separated:
            raise ThresholdError(f"malformed pair, expect string{separator}string")
        statements[signal.strip()] = value.strip()
    return statements
