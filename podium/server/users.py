"""Authentication: who sends a request, told by a bearer token."""

import hashlib
from collections.abc import Mapping
from typing import Protocol

from podium.apiserver.users import ADMIN, READER, User

_SCHEME = "bearer"


class Authenticator(Protocol):
    """Knows users by what they send in the `Authorization` header."""

    def user(self, authorization: str) -> User | None:
        """Whose credentials these are; None if nobody's."""
        ...


class Tokens:
    """Bearer tokens, each of one user.

    Only digests are kept and looked up: how long that takes says nothing about the tokens.

    Args:
        users: by their tokens.
    """

    def __init__(self, users: Mapping[str, User]) -> None:
        self._users: dict[bytes, User] = {}
        for token, user in users.items():
            self.add(token, user)

    def add(self, token: str, user: User) -> None:
        """Know a user by a further token."""
        self._users[_digest(token)] = user

    def remove(self, token: str) -> None:
        """Know nobody by a token any more."""
        self._users.pop(_digest(token), None)

    def user(self, authorization: str) -> User | None:
        token = bearer_token(authorization)
        return self._users.get(_digest(token)) if token else None


def tokens_of(admin: str, reader: str) -> Tokens:
    """The tokens of the two users that every cluster has."""
    return Tokens({admin: ADMIN, reader: READER})


def bearer_token(authorization: str) -> str:
    """The token in an `Authorization` header; empty if there is none."""
    scheme, _, token = authorization.partition(" ")
    return token.strip() if scheme.lower() == _SCHEME else ""


def _digest(token: str) -> bytes:
    return hashlib.sha256(token.encode(errors="surrogatepass")).digest()
