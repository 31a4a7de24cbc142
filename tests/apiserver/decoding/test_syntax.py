"""What is no JSON is told as Go's encoding/json tells it."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from podium.apiserver.decoding.syntax import DEPTH_MAX, TOO_DEEP, syntax_fault

END = "unexpected end of JSON input"


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        (b"", END),
        (b"  ", END),
        (b"{not json", "invalid character 'n' looking for beginning of object key string"),
        (b'{"a":1,}', "invalid character '}' looking for beginning of object key string"),
        (b"{]", "invalid character ']' looking for beginning of object key string"),
        (b"[1,]", "invalid character ']' looking for beginning of value"),
        (b"'a'", r"invalid character '\'' looking for beginning of value"),
        (b"\xef\xbb\xbf{}", "invalid character 'ï' looking for beginning of value"),
        (b"\\", r"invalid character '\\' looking for beginning of value"),
        (b'{"a" 1}', "invalid character '1' after object key"),
        (b'{"a":1 "b"', "invalid character '\"' after object key:value pair"),
        (b"[1 2]", "invalid character '2' after array element"),
        (b"{}x", "invalid character 'x' after top-level value"),
        (b"01", "invalid character '1' after top-level value"),
        (b"tru", END),
        (b"trux", "invalid character 'x' in literal true (expecting 'e')"),
        (b"nope", "invalid character 'o' in literal null (expecting 'u')"),
        (b"-x", "invalid character 'x' in numeric literal"),
        (b"1.x", "invalid character 'x' after decimal point in numeric literal"),
        (b"1e+", END),
        (b"1ex", "invalid character 'x' in exponent of numeric literal"),
        (b'"abc', END),
        (b'"\n"', r"invalid character '\n' in string literal"),
        (b'"\x01"', r"invalid character '\x01' in string literal"),
        (b'"\\q"', "invalid character 'q' in string escape code"),
        (b'"\\u12x4"', r"invalid character 'x' in \u hexadecimal character escape"),
    ],
)
def test_faults(text: bytes, fault: str) -> None:
    assert syntax_fault(text) == fault


def test_depth_is_bounded() -> None:
    assert syntax_fault(b"[" * DEPTH_MAX + b"]" * DEPTH_MAX) == ""
    assert syntax_fault(b"[" * (DEPTH_MAX + 1)) == TOO_DEEP


@given(
    st.recursive(
        st.none()
        | st.booleans()
        | st.floats(allow_nan=False, allow_infinity=False)
        | st.integers()
        | st.text(),
        lambda x: st.lists(x) | st.dictionaries(st.text(), x),
    )
)
def test_json_has_no_fault(value: object) -> None:
    assert syntax_fault(json.dumps(value).encode()) == ""
    assert syntax_fault(json.dumps(value, ensure_ascii=False, indent=1).encode()) == ""


@given(st.text(alphabet='{}[]:,"\\ntrue0123.eE-+ \n', max_size=12))
def test_agrees_with_another_reader(text: str) -> None:
    try:
        json.loads(text)
    except ValueError:
        assert syntax_fault(text.encode())
    else:
        assert not syntax_fault(text.encode())
