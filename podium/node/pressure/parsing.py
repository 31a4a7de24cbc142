"""Thresholds as the kubelet reads them, with its errors (`ParseThresholdConfig` of v1.36)."""

import math
import re
import struct
from collections.abc import Iterator, Mapping

from podium.api.durations import NANOS_PER_SECOND, DurationError, parse_duration
from podium.api.errors import PodiumError
from podium.api.quantity import Quantity, QuantityError, parse_quantity
from podium.node.pressure.signals import Signal
from podium.node.pressure.thresholds import Threshold, Value

Statements = Mapping[str, str]

_SWITCHED_OFF = ("0%", "100%")
_DECIMAL = re.compile(r"[+-]?(\d[\d_]*\.?[\d_]*|\.\d[\d_]*)([eE][+-]?\d[\d_]*)?", re.ASCII)
_HEXADECIMAL = re.compile(r"[+-]?0[xX][\da-fA-F_.]+[pP][+-]?\d[\d_]*", re.ASCII)
_NAMED = re.compile(r"[+-]?inf(inity)?|nan", re.IGNORECASE | re.ASCII)


class ThresholdError(PodiumError):
    """Thresholds that can't be used; the message is the kubelet's."""


def parse_thresholds(
    hard: Statements,
    soft: Statements,
    soft_grace_period: Statements,
    minimum_reclaim: Statements,
    *,
    enforces_allocatable: bool,
) -> tuple[Threshold, ...]:
    """The thresholds that these statements make, hard ones first.

    Args:
        hard: amounts or percentages by signal.
        soft: likewise.
        soft_grace_period: durations by signal; each soft threshold needs one.
        minimum_reclaim: amounts or percentages by signal.
        enforces_allocatable: whether pods together are held to what the node can give to pods, so
            that the hard threshold of its memory goes for theirs, too.

    Raises:
        ThresholdError: the first fault.
    """
    hard_values = dict(_values(hard))
    soft_values = dict(_values(soft))
    grace_periods_s = _grace_periods_s(soft_grace_period)
    min_reclaims = _min_reclaims(minimum_reclaim)
    for signal in soft_values:
        if signal not in grace_periods_s:
            raise ThresholdError(
                f"grace period must be specified for the soft eviction threshold {signal}"
            )
    found = [
        Threshold(signal, value, 0.0, min_reclaims.get(signal))
        for signal, value in hard_values.items()
    ]
    found += [
        Threshold(signal, value, grace_periods_s[signal], min_reclaims.get(signal))
        for signal, value in soft_values.items()
    ]
    if enforces_allocatable:
        found += [
            Threshold(Signal.ALLOCATABLE_MEMORY_AVAILABLE, one.value, 0.0, one.min_reclaim)
            for one in found
            if one.signal is Signal.MEMORY_AVAILABLE and one.is_hard
        ]
    return tuple(found)


def parse_value(text: str) -> Value:
    """An amount or a percentage, whatever its size; raises ThresholdError."""
    if text.endswith("%"):
        return Value(share=_share(text))
    return Value(_quantity(text))


def _values(statements: Statements) -> Iterator[tuple[Signal, Value]]:
    for name, text in statements.items():
        signal = _signal(name)
        if text in _SWITCHED_OFF:
            continue
        value = parse_value(text)
        if value.quantity is not None and value.quantity.nanos <= 0:
            raise ThresholdError(f"eviction threshold {name} must be positive: {value.quantity}")
        if value.share < 0:
            raise ThresholdError(f"eviction percentage threshold {name} must be >= 0%: {text}")
        if value.share > 1:
            raise ThresholdError(f"eviction percentage threshold {name} must be <= 100%: {text}")
        yield signal, value


def _grace_periods_s(statements: Statements) -> dict[Signal, float]:
    periods_s = {}
    for name, text in statements.items():
        signal = _signal(name)
        try:
            nanos = parse_duration(text)
        except DurationError as error:
            raise ThresholdError(str(error)) from None
        if nanos < 0:
            message = "invalid eviction grace period specified: {}, must be a positive value"
            raise ThresholdError(message.format(text))
        periods_s[signal] = nanos / NANOS_PER_SECOND
    return periods_s


def _min_reclaims(statements: Statements) -> dict[Signal, Value]:
    reclaims = {}
    for name, text in statements.items():
        signal = _signal(name)
        value = parse_value(text)
        if value.quantity is None and value.share <= 0:
            raise ThresholdError(
                f"eviction percentage minimum reclaim {name} must be positive: {text}"
            )
        if value.quantity is not None and value.quantity.nanos < 0:
            raise ThresholdError(f"negative eviction minimum reclaim specified for {name}")
        reclaims[signal] = value
    return reclaims


def _signal(name: str) -> Signal:
    try:
        return Signal(name)
    except ValueError:
        raise ThresholdError(f"unsupported eviction signal {name}") from None


def _quantity(text: str) -> Quantity:
    # The kubelet reads the text as it stands; in objects of the API blanks around it are dropped.
    try:
        return parse_quantity(text if text == text.strip() else "")
    except QuantityError as error:
        raise ThresholdError(error.error.message) from None


def _share(text: str) -> float:
    """A percentage as a share, each step rounded to a float32."""
    number = text.rstrip("%")
    try:
        percent = _single(_number(number))
    except ValueError:
        message = f'strconv.ParseFloat: parsing "{number}": invalid syntax'
        raise ThresholdError(message) from None
    except OverflowError:
        message = f'strconv.ParseFloat: parsing "{number}": value out of range'
        raise ThresholdError(message) from None
    return _single(percent / 100)


def _number(text: str) -> float:
    """A number as Go reads it."""
    if _HEXADECIMAL.fullmatch(text):
        return float.fromhex(text.replace("_", ""))
    if _NAMED.fullmatch(text):
        return float(text)
    if not _DECIMAL.fullmatch(text):
        raise ValueError(text)
    number = float(text)
    if math.isinf(number):
        raise OverflowError(text)
    return number


def _single(number: float) -> float:
    """The nearest float32; raises OverflowError."""
    rounded: float = struct.unpack("f", struct.pack("f", number))[0]
    return rounded
