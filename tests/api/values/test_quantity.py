"""Quantities against worked examples and against exact fractions."""

from fractions import Fraction
from math import ceil

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from podium.api.values.quantity import (
    DIGITS_MAX,
    INT64_MAX,
    INT64_MIN,
    NANOS_PER_UNIT,
    Format,
    Quantity,
    QuantityError,
    ceil_milli,
    ceil_value,
    milli_value,
    nanos,
    parse_quantity,
    value,
)

SUFFIXES = {
    "n": Fraction(1, 10**9), "u": Fraction(1, 10**6), "m": Fraction(1, 1000), "": Fraction(1),
    "k": Fraction(10**3), "M": Fraction(10**6), "G": Fraction(10**9), "T": Fraction(10**12),
    "P": Fraction(10**15), "E": Fraction(10**18),
    "Ki": Fraction(2**10), "Mi": Fraction(2**20), "Gi": Fraction(2**30), "Ti": Fraction(2**40),
    "Pi": Fraction(2**50), "Ei": Fraction(2**60),
    "e3": Fraction(1000), "E-2": Fraction(1, 100), "e+1": Fraction(10), "e-12": Fraction(1, 10**12),
}  # fmt: skip

DIGITS = st.text("0123456789", max_size=21)
SIGNS = st.sampled_from(["", "+", "-"])
QUANTITIES = st.builds(Quantity, st.integers(-(10**30), 10**30), st.sampled_from(list(Format)))


@pytest.mark.parametrize(
    ("text", "amount", "printed"),
    [
        ("0", 0, "0"),
        ("1.5", Fraction(3, 2), "1500m"),
        ("100000", 100_000, "100k"),
        ("1000m", 1, "1"),
        ("1024", 1024, "1024"),
        ("0.1m", Fraction(1, 10_000), "100u"),
        ("1n", Fraction(1, 10**9), "1n"),
        ("0.5n", Fraction(1, 10**9), "1n"),
        ("-0.5n", Fraction(-1, 10**9), "-1n"),
        ("1.0000000001", Fraction(10**9 + 1, 10**9), "1000000001n"),
        ("1.5Gi", 1536 * 2**20, "1536Mi"),
        ("2048Ki", 2**21, "2Mi"),
        ("1023Ki", 1023 * 2**10, "1023Ki"),
        ("1.1Ki", Fraction(11264, 10), "1126400m"),
        ("0.0001Ki", Fraction(1024, 10_000), "102400u"),
        ("-2Gi", -(2**31), "-2Gi"),
        ("1e3", 1000, "1e3"),
        ("12e2", 1200, "1200"),
        ("1200e1", 12_000, "12e3"),
        ("1.5e0", Fraction(3, 2), "1500e-3"),
        ("5.", 5, "5."),
        (".5", Fraction(1, 2), "500m"),
        ("  1Gi ", 2**30, "1Gi"),
        ("8Ei", INT64_MAX, "9223372036854775807"),
        ("-9Ei", -INT64_MAX, "-9223372036854775807"),
        ("1000E", 10**21, "1000E"),
        ("k", 0, "0"),
    ],
)
def test_examples(text: str, amount: Fraction, printed: str) -> None:
    quantity = parse_quantity(text)
    assert quantity.nanos == amount * NANOS_PER_UNIT
    assert str(quantity) == printed


@pytest.mark.parametrize("text", ["+5", "05", "1.500", "1E3", "+1Gi", "-7m", "1025Mi"])
def test_text_that_looks_canonical_is_printed_as_written(text: str) -> None:
    assert str(parse_quantity(text)) == text


@pytest.mark.parametrize(
    ("raw", "amount"),
    [(5, 5), (1.5, Fraction(3, 2)), (1e20, 10**20), (-2, -2), (1e-7, Fraction(1, 10**7))],
)
def test_numbers(raw: int | float, amount: Fraction) -> None:
    assert nanos(raw) == amount * NANOS_PER_UNIT


@pytest.mark.parametrize(
    ("raw", "message"),
    [
        ("", "quantities must match"),
        ("blah", "quantities must match"),
        ("1.1.M", "quantities must match"),
        ("1+1.0M", "quantities must match"),
        ("1 Gi", "quantities must match"),
        ("\u0661", "quantities must match"),
        ("1i", "unable to parse quantity's suffix"),
        ("0.1mi", "unable to parse quantity's suffix"),
        ("1e", "unable to parse quantity's suffix"),
        ("3.01e-", "unable to parse quantity's suffix"),
        ("1KiB", "quantities must match"),
        (float("nan"), "quantities must match"),
        (True, "must be a string or a number"),
        (None, "must be a string or a number"),
        ({"cpu": "1"}, "must be a string or a number"),
        ("1e1001", f"no more than {DIGITS_MAX} digits"),
        ("1" * (DIGITS_MAX + 1), f"no more than {DIGITS_MAX} digits"),
    ],
)
def test_what_is_no_quantity_is_refused_by_value(raw: object, message: str) -> None:
    with pytest.raises(QuantityError, match=message) as caught:
        parse_quantity(raw)  # type: ignore[arg-type]
    assert caught.value.error.value is raw


def test_true_is_refused_even_where_one_is_known() -> None:
    assert nanos(1) == NANOS_PER_UNIT
    with pytest.raises(QuantityError):
        nanos(True)


@pytest.mark.parametrize(
    ("text", "units", "thousandths"),
    [
        ("1", 1, 1000),
        ("100m", 1, 100),
        ("1500m", 2, 1500),
        ("-1500m", -2, -1500),
        ("1u", 1, 1),
        ("-1n", -1, -1),
        ("0", 0, 0),
        ("1e30", INT64_MAX, INT64_MAX),
        ("-1e30", INT64_MIN, INT64_MIN),
        ("9223372036854775807", INT64_MAX, INT64_MAX),
    ],
)
def test_rounding_up(text: str, units: int, thousandths: int) -> None:
    assert (value(text), milli_value(text)) == (units, thousandths)


@given(SIGNS, DIGITS, DIGITS, st.sampled_from(sorted(SUFFIXES)))
def test_parsing_is_exact_and_rounds_away_from_zero(
    sign: str, whole: str, fraction: str, suffix: str
) -> None:
    assume(whole or fraction)
    exact = Fraction(f"{whole or 0}.{fraction or 0}") * SUFFIXES[suffix] * NANOS_PER_UNIT
    expected = ceil(exact)
    if suffix.endswith("i"):
        expected = min(expected, INT64_MAX * NANOS_PER_UNIT)
    quantity = parse_quantity(f"{sign}{whole}.{fraction}{suffix}")
    assert quantity.nanos == (-expected if sign == "-" else expected)


@given(QUANTITIES)
def test_printing_and_parsing_return_the_same(quantity: Quantity) -> None:
    capped = abs(quantity.nanos) > INT64_MAX * NANOS_PER_UNIT and str(quantity).endswith("i")
    assume(not capped)
    again = parse_quantity(str(quantity))
    assert again == quantity
    assert str(again) == str(quantity)


@given(SIGNS, DIGITS, DIGITS, st.sampled_from(sorted(SUFFIXES)))
def test_what_is_printed_is_printed_the_same_again(
    sign: str, whole: str, fraction: str, suffix: str
) -> None:
    once = parse_quantity(f"{sign}{whole}.{fraction}{suffix}")
    again = parse_quantity(str(once))
    assert (again, str(again)) == (once, str(once))


@given(QUANTITIES, QUANTITIES)
def test_arithmetic_and_order_are_those_of_fractions(a: Quantity, b: Quantity) -> None:
    x, y = Fraction(a.nanos, NANOS_PER_UNIT), Fraction(b.nanos, NANOS_PER_UNIT)
    assert Fraction((a + b).nanos, NANOS_PER_UNIT) == x + y
    assert Fraction((a - b).nanos, NANOS_PER_UNIT) == x - y
    assert -a + a == Quantity(0)
    assert ((a < b), (a == b), (a > b)) == ((x < y), (x == y), (x > y))


@given(st.integers(-(10**40), 10**40))
def test_units_are_the_smallest_whole_numbers_that_hold_the_amount(nanos: int) -> None:
    for rounded, step in ((ceil_value(nanos), NANOS_PER_UNIT), (ceil_milli(nanos), 10**6)):
        exact = Fraction(nanos, step)
        away = ceil(exact) if nanos >= 0 else -ceil(-exact)
        assert rounded == max(INT64_MIN, min(away, INT64_MAX))


def test_size_alone_makes_quantities_equal() -> None:
    assert parse_quantity("1024Mi") == parse_quantity("1Gi") == parse_quantity(2**30)
    assert len({parse_quantity("1"), parse_quantity("1000m"), parse_quantity(1.0)}) == 1


def test_a_sum_is_printed_like_its_first_part_that_is_not_zero() -> None:
    assert str(parse_quantity("1Gi") + parse_quantity("1024")) == "1048577Ki"
    assert str(parse_quantity("0") + parse_quantity("1Gi")) == "1Gi"
    assert str(parse_quantity("2") - parse_quantity("500m")) == "1500m"


@pytest.mark.parametrize("text", ["1" * 100_000 + "x", "0" * 20_000 + "x", "0" * 20_000 + ".0x"])
def test_digits_without_end_are_looked_at_once(text: str) -> None:
    """Trying all ways to share the digits among the parts of a quantity would never end."""
    with pytest.raises(QuantityError):
        nanos(text)
