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
    nanos,
    parse_quantity,
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


def test_true_is_refused_even_where_one_is_known() -> None:
    assert nanos(1) == NANOS_PER_UNIT
    with pytest.raises(QuantityError):
        nanos(True)


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


@pytest.mark.parametrize(
    "text", ["1" * (DIGITS_MAX + 1), "1" * 100_000 + "x", "0" * 20_000 + "x", "0" * 20_000 + ".0x"]
)
def test_digits_without_end_are_looked_at_once(text: str) -> None:
    """Trying all ways to share the digits among the parts of a quantity would never end."""
    with pytest.raises(QuantityError):
        nanos(text)
