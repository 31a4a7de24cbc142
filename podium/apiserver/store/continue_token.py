"""Continue tokens of paged lists, in kube-apiserver's format.

A token is the base64 text of `{"v": "meta.k8s.io/v1", "rv": …, "start": …}`.
"""

import base64
import re

import msgspec

from podium.apiserver.store.errors import InvalidContinueError

AS_OF_NOW = -1
"""Replaces the revision in a token: the list continues with the current objects."""

_VERSION = "meta.k8s.io/v1"
_FOREIGN_CHARACTER = re.compile(r"[^A-Za-z0-9_-]")
_BLANKS = b" \t\r\n"
_STARTS_OF_VALUES = b'{["-0123456789tfn'


class _Body(msgspec.Struct):
    v: str = ""
    rv: int = 0
    start: str = ""


def encode(revision: int, start: str) -> str:
    """Return the token to continue at a key within the list, as of a revision or `AS_OF_NOW`."""
    body = msgspec.json.encode(_Body(_VERSION, revision, start))
    return base64.urlsafe_b64encode(body).rstrip(b"=").decode()


def decode(text: str) -> tuple[int, str]:
    """Return the revision and the key of a continue token; raises InvalidContinueError."""
    foreign = _FOREIGN_CHARACTER.search(text)
    if foreign or len(text) % 4 == 1:
        offset = len(text[: foreign.start()].encode()) if foreign else len(text) - 1
        raise InvalidContinueError(f": illegal base64 data at input byte {offset}")
    data = base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))
    try:
        body = msgspec.json.decode(data, type=_Body)
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        value = data.lstrip(_BLANKS)
        why = str(error) if value else "unexpected end of JSON input"
        if value and value[0] not in _STARTS_OF_VALUES:
            # Go's words for text that isn't JSON from its first character on.
            character = value[:4].decode(errors="replace")[0]
            is_shown = character.isprintable() and character != "\ufffd"
            shown = character if is_shown else f"\\x{value[0]:02x}"
            why = f"invalid character '{shown}' looking for beginning of value"
        raise InvalidContinueError(f": {why}") from None
    if body.v != _VERSION:
        raise InvalidContinueError(f": server does not recognize this encoded version {body.v}")
    if body.rv == 0:
        raise InvalidContinueError(
            f": incorrect encoded start resourceVersion (version {_VERSION})"
        )
    if not body.start:
        raise InvalidContinueError(f": encoded start key empty (version {_VERSION})")
    if any(part in ("", ".", "..") for part in body.start.removeprefix("/").split("/")):
        raise InvalidContinueError(f": {body.start}")
    return body.rv, body.start.removeprefix("/")
