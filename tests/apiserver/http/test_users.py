"""Tokens of nodes, made from one secret."""

from functools import partial

import pytest

from podium.apiserver.authentication.users import READER
from podium.apiserver.http.users import Tokens, node_by_token, node_token

SECRET = "a-secret-that-nobody-else-knows-of"
TOKEN = node_token(SECRET, "worker-1")


def test_a_node_is_known_by_its_token() -> None:
    user = node_by_token(SECRET, TOKEN)
    assert user is not None
    assert user.name == "system:node:worker-1"
    assert user.node == "worker-1"


@pytest.mark.parametrize(
    "token",
    [
        "",
        "node::",
        TOKEN[:-1],
        TOKEN.replace("worker-1", "worker-2"),
        TOKEN.removeprefix("node:"),
        node_token("another secret", "worker-1"),
        node_token(SECRET, ""),
        "node:worker-1:\xff",
    ],
)
def test_nobody_is_known_by_another(token: str) -> None:
    assert node_by_token(SECRET, token) is None


def test_several_know_who_any_of_them_knows() -> None:
    users = Tokens({"reader's token": READER}, partial(node_by_token, SECRET))
    found = [users.user(f"Bearer {token}") for token in ("reader's token", TOKEN, "no token")]
    assert [user.name if user else None for user in found] == [
        "podium-reader",
        "system:node:worker-1",
        None,
    ]
