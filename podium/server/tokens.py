"""The tokens of a cluster's two users, and the secret of those of nodes, kept in files."""

import secrets
from dataclasses import dataclass
from pathlib import Path

from podium.server.files import FileError, private_directory, read_private, write_private

_RANDOM_BYTES = 32
_LENGTH_MIN = 32


@dataclass(frozen=True, slots=True)
class ClusterTokens:
    """The tokens.

    Attributes:
        admin: of the user who may do everything.
        reader: of the user who may only look.
        nodes: from which tokens of nodes are made (`podium.server.node_tokens`).
    """

    admin: str
    reader: str
    nodes: str


def kept_tokens(directory: Path) -> ClusterTokens:
    """The tokens in a directory, made there the first time.

    Raises:
        FileError: a file can't be read or written, others may read it, or it holds no token.
    """
    private_directory(directory)
    names = ("admin", "reader", "nodes")
    return ClusterTokens(*(_kept(directory / name) for name in names))


def _kept(path: Path) -> str:
    content = read_private(path)
    if content is None:
        token = secrets.token_urlsafe(_RANDOM_BYTES)
        write_private(path, f"{token}\n".encode())
        return token
    token = content.decode(errors="replace").strip()
    if len(token) < _LENGTH_MIN or not (token.isascii() and token.isprintable()):
        raise FileError(f"{path}: that's no token of {_LENGTH_MIN} characters; remove it")
    return token
