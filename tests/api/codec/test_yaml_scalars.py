"""YAML scalars mean what kubectl takes them for."""

import pytest

from podium.api.codec.yaml_scalars import key_text, scalar


@pytest.mark.parametrize(
    ("text", "value"),
    [
        *dict.fromkeys(("", "~", "null")).items(),
        *dict.fromkeys(("true", "Yes", "on", "y", "Y"), True).items(),
        *dict.fromkeys(("OFF", "n", "N"), False).items(),
        ("0", 0),
        ("-7", -7),
        ("+7", 7),
        ("1_000", 1000),
        ("0x10", 16),
        ("-0xff", -255),
        ("0b101", 5),
        ("0o17", 15),
        ("017", 15),
        ("0O17", 15),
        ("0X1f", 31),
        ("-0B11", -3),
        ("089", 89),
        ("0o1777777777777777777777", 2**64 - 1),
        ("18446744073709551615", 2**64 - 1),
        ("18446744073709551616", 18446744073709552000),
        ("-9223372036854775809", -9223372036854776000),
        ("1e3", 1000),
        ("1E+3", 1000),
        ("1.0", 1),
        ("1.5", 1.5),
        (".5", 0.5),
        ("2.", 2),
        ("1e-3", 0.001),
        ("1e30", 1e30),
        *((text, text) for text in ("nO", "yEs", "0o2000000000000000000000", "7" * 5000, "1e999")),
        *((text, text) for text in ("-0x8000000000000001", "2026-01-02", "2026-01-02T03:04:05Z")),
        *((text, text) for text in ("12:30", "500m", "1Gi", "0xzz", "-", ".", "1.2.3", "=")),
    ],
)
def test_plain_scalar(text: str, value: object) -> None:
    found = scalar(text, None, plain=True)
    assert (found, type(found)) == (value, type(value))


@pytest.mark.parametrize("text", [".inf", "-.INF", ".nan"])
def test_numbers_that_json_lacks_are_refused(text: str) -> None:
    with pytest.raises(ValueError, match="no number"):
        scalar(text, None, plain=True)


@pytest.mark.parametrize(
    ("text", "tag", "value"),
    [
        ("12", None, "12"),
        ("12", "!", "12"),
        ("12", "tag:yaml.org,2002:str", "12"),
        ("12", "tag:yaml.org,2002:int", 12),
        ("12", "tag:yaml.org,2002:float", 12),
        ("12", "!house", "12"),
        ("yes", "tag:yaml.org,2002:bool", True),
        ("2026-01-02", "tag:yaml.org,2002:timestamp", "2026-01-02"),
        ("aGVs\n bG8=", "tag:yaml.org,2002:binary", "hello"),
    ],
)
def test_quoted_and_tagged_scalar(text: str, tag: str | None, value: object) -> None:
    found = scalar(text, tag, plain=False)
    assert (found, type(found)) == (value, type(value))


@pytest.mark.parametrize(
    ("text", "tag", "message"),
    [
        ("twelve", "tag:yaml.org,2002:int", "!!int"),
        ("12", "tag:yaml.org,2002:bool", "!!bool"),
        ("12.0", "tag:yaml.org,2002:int", "!!int"),
        ("?", "tag:yaml.org,2002:binary", "base64"),
        ("gA==", "tag:yaml.org,2002:binary", "UTF-8"),
    ],
)
def test_tag_that_does_not_fit_is_refused(text: str, tag: str, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        scalar(text, tag, plain=False)


@pytest.mark.parametrize(
    ("key", "text"),
    [("a", "a"), (True, "true"), (False, "false"), (8080, "8080"), (1.5, "1.5"), (None, None)],
)
def test_key_text(key: object, text: str | None) -> None:
    assert key_text(key) == text
