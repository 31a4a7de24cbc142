"""Authentication by bearer tokens.

A node's token is made from a secret, which is a file of the cluster's owner, and the node's name,
so that none has to be kept. To take all of them back, remove the file and start the server again.
"""

import hashlib
import hmac
import secrets
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from podium.api.process.private_files import (
    FileError,
    private_directory,
    read_private,
    write_private,
)
from podium.apiserver.authentication.users import ADMIN, READER, User, node_user

_SCHEME = "bearer"
_NODE_PREFIX = "node:"


class Tokens:
    """Knows users by bearer tokens: each token of one user, and those that others know.

    Only digests are kept and looked up: how long that takes says nothing about the tokens.
    """

    def __init__(self, users: Mapping[str, User], *others: Callable[[str], User | None]) -> None:
        self._users: dict[bytes, User] = {}
        self._others = others
        for token, user in users.items():
            self.add(token, user)

    def add(self, token: str, user: User) -> None:
        """Know a user by a further token."""
        self._users[_digest(token)] = user

    def remove(self, token: str) -> None:
        """Forget a token."""
        self._users.pop(_digest(token), None)

    def user(self, authorization: str) -> User | None:
        """The user with the token of an `Authorization` header; None if it is unknown."""
        scheme, _, token = authorization.partition(" ")
        token = token.strip()
        if scheme.lower() != _SCHEME or not token:
            return None
        found = self._users.get(_digest(token))
        others = (known(token) for known in self._others)
        return found or next((user for user in others if user is not None), None)


def tokens_of(admin: str, reader: str, *others: Callable[[str], User | None]) -> Tokens:
    """The tokens of the two users that every cluster has, and those that others know."""
    return Tokens({admin: ADMIN, reader: READER}, *others)


def _digest(token: str) -> bytes:
    return hashlib.sha256(token.encode(errors="surrogatepass")).digest()


def node_token(secret: str, node: str) -> str:
    """The token of a node."""
    name = node.encode(errors="surrogatepass")
    return f"{_NODE_PREFIX}{node}:{hmac.new(secret.encode(), name, hashlib.sha256).hexdigest()}"


def node_by_token(secret: str, token: str) -> User | None:
    """The node whose token this is; None if it is none's."""
    node = token.removeprefix(_NODE_PREFIX).rpartition(":")[0]
    both = (one.encode(errors="surrogatepass") for one in (token, node_token(secret, node)))
    return node_user(node) if node and hmac.compare_digest(*both) else None


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
