"""The wire format: what was written is read again, and nothing is read from nonsense."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from podium.apiserver.protobuf.messages import MalformedMessageError, delimited, fields
from tests.apiserver.protobuf.writing import switch

NUMBERS = st.integers(1, 2**29 - 1)


@given(st.lists(st.tuples(NUMBERS, st.booleans() | st.binary(max_size=300))))
def test_what_was_written_is_read_again(written):
    message = b"".join(
        switch(number, value=value) if isinstance(value, bool) else delimited(number, value)
        for number, value in written
    )
    assert list(fields(message)) == written


def test_numbers():
    assert list(fields(b"\x08\x96\x01")) == [(1, 150)]
    assert list(fields(b"\x08" + b"\xff" * 9 + b"\x01")) == [(1, 2**64 - 1)]
    assert list(fields(b"\x09" + b"x" * 8 + b"\x15" + b"y" * 4)) == [(1, b"x" * 8), (2, b"y" * 4)]


@pytest.mark.parametrize(
    "message",
    [b"\x08", b"\x08\x80", b"\x0a\x02a", b"\x09abc", b"\x0b", b"\x0f", b"\x08" + b"\xff" * 11],
)
def test_nonsense(message):
    with pytest.raises(MalformedMessageError):
        list(fields(message))


@given(st.binary(max_size=40))
def test_any_bytes_are_read_or_refused(message):
    try:
        found = list(fields(message))
    except MalformedMessageError:
        return
    assert all(number >= 0 for number, _ in found)
