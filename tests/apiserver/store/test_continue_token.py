"""Continue tokens as text; faults are worded as kube-apiserver does."""

import base64

import pytest

from podium.apiserver.store import continue_token
from podium.apiserver.store.continue_token import AS_OF_NOW
from podium.apiserver.store.errors import InvalidContinueError


def packed(text: str) -> str:
    return base64.urlsafe_b64encode(text.encode()).rstrip(b"=").decode()


@pytest.mark.parametrize("start", ["p1\0", "ns/p1\0", "é", "a"])
@pytest.mark.parametrize("revision", [1, 2**62, AS_OF_NOW])
def test_a_token_survives_its_text(start: str, revision: int) -> None:
    assert continue_token.decode(continue_token.encode(revision, start)) == (revision, start)


def test_the_format_is_kube_apiservers() -> None:
    # One that kubectl may have got from a real server.
    text = packed('{"v":"meta.k8s.io/v1","rv":7,"start":"p1\\u0000"}')
    assert continue_token.decode(text) == (7, "p1\0")
    assert continue_token.encode(7, "p1\0") == text


@pytest.mark.parametrize("body", ['{"v":', '{"rv":"x"}', "[]", '{"v":"meta.k8s.io/v1","rv":1.5}'])
def test_json_of_another_shape(body: str) -> None:
    with pytest.raises(InvalidContinueError):
        continue_token.decode(packed(body))
