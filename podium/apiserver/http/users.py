"""Authentication by bearer tokens.

A node's token is made from one secret and the node's name, so that none has to be kept. Whoever may
read the secret, which is a file of the cluster's owner, makes a token for a node; without the
secret, a token is of no use to make another one. To take all of them back, remove the file and
start the server again.
"""

import hashlib
import hmac
import secrets
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from podium.api.process.private_files import (
    FileError,
    private_directory,
    read_private,
    write_private,
)
from podium.apiserver.authentication.service_account_tokens import ServiceAccountTokens
from podium.apiserver.authentication.users import ADMIN, READER, User, node_user

_SCHEME = "bearer"
_NODE_PREFIX, _NODE_SEPARATOR = "node", ":"


class Authenticator(Protocol):
    """Knows users by what they send in the `Authorization` header."""

    def user(self, authorization: str) -> User | None:
        """The user with these credentials; None if they are unknown."""
        ...


class Tokens:
    """Bearer tokens, each of one user.

    Only digests are kept and looked up: how long that takes says nothing about the tokens.
    """

    def __init__(self, users: Mapping[str, User]) -> None:
        self._users: dict[bytes, User] = {}
        for token, user in users.items():
            self.add(token, user)

    def add(self, token: str, user: User) -> None:
        """Know a user by a further token."""
        self._users[_digest(token)] = user

    def remove(self, token: str) -> None:
        """Forget a token."""
        self._users.pop(_digest(token), None)

    def user(self, authorization: str) -> User | None:
        token = bearer_token(authorization)
        return self._users.get(_digest(token)) if token else None


class ServiceAccounts:
    """Knows service accounts by unexpired tokens that the API server has signed for them."""

    def __init__(self, tokens: ServiceAccountTokens, now_s: Callable[[], float]) -> None:
        self._tokens = tokens
        self._now_s = now_s

    def user(self, authorization: str) -> User | None:
        token = bearer_token(authorization)
        return self._tokens.user(token, self._now_s()) if token.count(".") == 2 else None


def node_token(secret: str, node: str) -> str:
    """The token of a node."""
    return _NODE_SEPARATOR.join((_NODE_PREFIX, node, _signature(secret, node)))


class NodeTokens:
    """Knows nodes by their tokens."""

    def __init__(self, secret: str) -> None:
        self._secret = secret

    def user(self, authorization: str) -> User | None:
        prefix, _, rest = bearer_token(authorization).partition(_NODE_SEPARATOR)
        node, _, signature = rest.partition(_NODE_SEPARATOR)
        expected = _signature(self._secret, node)
        is_known = hmac.compare_digest(signature.encode(errors="surrogatepass"), expected.encode())
        return node_user(node) if prefix == _NODE_PREFIX and node and is_known else None


def _signature(secret: str, node: str) -> str:
    name = node.encode(errors="surrogatepass")
    return hmac.new(secret.encode(), name, hashlib.sha256).hexdigest()


class Several:
    """Users that any of several authenticators knows, which are asked one after another."""

    def __init__(self, *authenticators: Authenticator) -> None:
        self._authenticators = authenticators

    def user(self, authorization: str) -> User | None:
        found = (one.user(authorization) for one in self._authenticators)
        return next((user for user in found if user is not None), None)


def tokens_of(admin: str, reader: str) -> Tokens:
    """The tokens of the two users that every cluster has."""
    return Tokens({admin: ADMIN, reader: READER})


def bearer_token(authorization: str) -> str:
    """The token in an `Authorization` header; empty if there is none."""
    scheme, _, token = authorization.partition(" ")
    return token.strip() if scheme.lower() == _SCHEME else ""


def _digest(token: str) -> bytes:
    return hashlib.sha256(token.encode(errors="surrogatepass")).digest()


_RANDOM_BYTES = 32
_LENGTH_MIN = 32


@dataclass(frozen=True, slots=True)
class ClusterTokens:
    """The tokens of admin and reader, and the secrets that sign those of nodes and accounts."""

    admin: str
    reader: str
    nodes: str
    service_accounts: str


def kept_tokens(directory: Path) -> ClusterTokens:
    """The tokens in a directory, made there the first time; raises FileError."""
    private_directory(directory)
    tokens = []
    for name in ("admin", "reader", "nodes", "service-accounts"):
        path = directory / name
        content = read_private(path)
        token = new_token() if content is None else content.decode(errors="replace").strip()
        if len(token) < _LENGTH_MIN or not (token.isascii() and token.isprintable()):
            raise FileError(f"{path}: that's no token of {_LENGTH_MIN} characters; remove it")
        if content is None:
            write_private(path, f"{token}\n".encode())
        tokens.append(token)
    return ClusterTokens(*tokens)


def new_token() -> str:
    """A random token that can't be guessed."""
    return secrets.token_urlsafe(_RANDOM_BYTES)
