"""Authentication by bearer tokens.

The token of a node is derived from its name and a secret in a private file, so that tokens of nodes
aren't stored. Deleting the file and restarting the server invalidates all of them.
"""

import hashlib
import hmac
import secrets
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from podium.api.process import private_files
from podium.apiserver.authentication.users import User, node_user

_SCHEME = "bearer"
_NODE_PREFIX = "node:"


class Tokens:
    """The users of bearer tokens; `others` are authenticators for further tokens.

    Tokens are looked up by their digests, so that the time of a lookup reveals nothing about them.
    """

    def __init__(self, users: Mapping[str, User], *others: Callable[[str], User | None]) -> None:
        self._users: dict[bytes, User] = {}
        self._others = others
        for token, user in users.items():
            self.add(token, user)

    def add(self, token: str, user: User) -> None:
        """Add a token of a user."""
        self._users[_digest(token)] = user

    def remove(self, token: str) -> None:
        """Remove a token."""
        self._users.pop(_digest(token), None)

    def user(self, authorization: str) -> User | None:
        """Return the user of an `Authorization` header; None if its token is unknown."""
        scheme, _, token = authorization.partition(" ")
        token = token.strip()
        if scheme.lower() != _SCHEME or not token:
            return None
        others = (authenticate(token) for authenticate in self._others)
        return self._users.get(_digest(token)) or next(filter(None, others), None)


def _digest(token: str) -> bytes:
    return hashlib.sha256(token.encode(errors="surrogatepass")).digest()


def node_token(secret: str, node: str) -> str:
    """Return the token of a node."""
    name = node.encode(errors="surrogatepass")
    return f"{_NODE_PREFIX}{node}:{hmac.new(secret.encode(), name, hashlib.sha256).hexdigest()}"


def node_by_token(secret: str, token: str) -> User | None:
    """Return the user of a node's token; None if it isn't a valid token of a node."""
    node = token.removeprefix(_NODE_PREFIX).rpartition(":")[0]
    both = (text.encode(errors="surrogatepass") for text in (token, node_token(secret, node)))
    return node_user(node) if node and hmac.compare_digest(*both) else None


_RANDOM_BYTES = 32
_LENGTH_MIN = 32


@dataclass(frozen=True, slots=True)
class ClusterTokens:
    """The tokens of admin and reader, and the secrets that sign node and service account tokens."""

    admin: str
    reader: str
    nodes: str
    service_accounts: str


def kept_tokens(directory: Path) -> ClusterTokens:
    """Return the tokens in a directory, which are created if missing; raises FileError."""
    private_files.private_directory(directory)
    tokens = []
    for name in ("admin", "reader", "nodes", "service-accounts"):
        path = directory / name
        content = private_files.read_private(path)
        token = new_token() if content is None else content.decode(errors="replace").strip()
        if len(token) < _LENGTH_MIN or not (token.isascii() and token.isprintable()):
            raise private_files.FileError(
                f"{path}: that's no token of {_LENGTH_MIN} characters; remove it"
            )
        if content is None:
            private_files.write_private(path, f"{token}\n".encode())
        tokens.append(token)
    return ClusterTokens(*tokens)


def new_token() -> str:
    """Return a random token that can't be guessed."""
    return secrets.token_urlsafe(_RANDOM_BYTES)
