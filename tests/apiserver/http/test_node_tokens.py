"""Tokens of nodes, made from one secret."""

import pytest

from podium.apiserver.http.users import NodeTokens, Several, node_token, tokens_of

SECRET = "a-secret-that-nobody-else-knows-of"
TOKEN = node_token(SECRET, "worker-1")


def test_a_node_is_known_by_its_token() -> None:
    user = NodeTokens(SECRET).user(f"Bearer {TOKEN}")
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
    assert NodeTokens(SECRET).user(f"Bearer {token}") is None


def test_several_know_who_any_of_them_knows() -> None:
    users = Several(tokens_of("admin's token", "reader's token"), NodeTokens(SECRET))
    found = [users.user(f"Bearer {token}") for token in ("reader's token", TOKEN, "no token")]
    assert [user.name if user else None for user in found] == [
        "podium-reader",
        "system:node:worker-1",
        None,
    ]
