"""Values that nobody means: extreme, misplaced, or written so that they can't be read.

JSON that Python can't make, such as an integer of 5,000 digits, stands in values as a word of
`LITERALS`, and is put there by `as_json`.
"""

import copy
import json
from random import Random
from typing import Any

LITERALS = {
    "@digits": "9" * 5_000,
    "@-digits": "-" + "9" * 5_000,
    "@exponent": "1e999999999",
    "@tiny": "1e-999999999",
    "@nan": "NaN",
    "@infinity": "-Infinity",
    "@zero": "-0",
    "@float": "1.0",
    "@surrogate": r'"\ud800"',
    "@deep": "[" * 5_000 + "]" * 5_000,
    "@twice": '{"a":1,"a":2}',
}

INTEGERS = (
    0, -1, 1, 2, 3, 7, 10, 60, 100, 1_000, 65_535, 65_536, 10**6, 2**31 - 1, 2**31, -(2**31),
    -(2**31) - 1, 2**32, 2**53 + 1, 2**63 - 1, 2**63, -(2**63), 2**64, 10**30, -(10**30),
    "@digits", "@-digits", "@exponent", "@zero", "@float",
)  # fmt: skip
FLOATS = (0.5, -0.5, 1e308, -1e308, 5e-324, 1e18, 1.5e300, "@exponent", "@tiny", "@nan")
STRINGS = (
    "", " ", "a", "-", ".", "..", "/", "a/b", "a/b/c", "a=b", "*", "0", "-1", "1", "true", "null",
    "None", "NaN", "Infinity", "1e308", "Ünïcödé", "名", "\u200b", "\x00", "a\x00b", "\n", "\t",
    "\ud7ff", "\U0001f600", "\u202e", "a" * 63, "a" * 64, "a" * 253, "a" * 254, "a." * 127,
    "x" * 20_000, "${jndi:x}", "%s%n", "{{a}}", "$(A)", "../../etc/passwd", "(a+)+$", "((((",
    "a,b", "a in (b", "!a", "a" * 30 + "!", "example.com/a", "kubernetes.io/hostname", "@surrogate",
)  # fmt: skip
TIMES = (
    "2026-01-01T00:00:00Z", "0000-01-01T00:00:00Z", "0001-01-01T00:00:00Z", "9999-12-31T23:59:59Z",
    "1600-02-29T00:00:00+23:59", "2026-02-30T00:00:00Z", "2026-01-01T24:00:00Z",
    "2026-01-01T00:00:60Z", "2026-01-01T00:00:00.000000001Z", "2026-01-01T00:00:00.123456Z",
    "2026-01-01t00:00:00z", "2026-01-01", "10000-01-01T00:00:00Z", "-0001-01-01T00:00:00Z",
    "2026-01-01T00:00:00-00:00", "1969-12-31T23:59:59Z", "2262-04-12T00:00:00Z", "now",
    "2026-01-01T00:00:00,5Z", "\u0662026-01-01T00:00:00Z",
)  # fmt: skip
QUANTITIES = (
    "0", "1", "-1", "100m", "1.5", "1Gi", "1e3", "1E3", "1e-3", "1e999999999", "1e-999999999", "1n",
    "1u", "9223372036854775807", "9223372036854775808", "-9223372036854775808", "9" * 5_000, "1Ki1",
    ".5", "5.", "+1", "--1", "1e", "Mi", "", "0.0000000001", "999999999Ei", "1e308",
    "0x10", "\u0661",
    "1_000", " 1", "1 ", "NaN", "10%", "1m", "1k", "4", "0." + "3" * 3_000,
)  # fmt: skip
MIXED = ("0%", "100%", "101%", "-1%", "50%", "1.5%", "%", "99999999999999999999%", 0, 1, -1, 2**31)
BYTES = ("", "eA==", "eA", "====", "!", "e A = =", "ZQ==" * 5_000)
COLLECTIONS: tuple[Any, ...] = (
    [], {}, [[]], [{}], [None], {"": ""}, {"a": None}, {"a": {"a": {"a": {}}}}, ["a", "a"],
    [1, "a", None, {}], {"x": "y", "kind": "z"}, "@deep", "@twice",
)  # fmt: skip


def odd(rng: Random, *pools: tuple[Any, ...]) -> Any:
    """A value of one of the pools; of any, if none is named."""
    any_pool = (INTEGERS, FLOATS, STRINGS, TIMES, QUANTITIES, MIXED, COLLECTIONS, (None, True))
    return copy.deepcopy(rng.choice(rng.choice(pools or any_pool)))


def as_json(value: Any) -> bytes:
    """The value as JSON, which may be none where it has words of `LITERALS`."""
    text = json.dumps(value, ensure_ascii=False)
    for word, literal in LITERALS.items():
        text = text.replace(f'"{word}"', literal)
    return text.encode("utf-8", "surrogatepass")
