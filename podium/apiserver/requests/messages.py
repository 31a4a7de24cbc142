"""Requests and responses, independent of HTTP."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import msgspec

from podium.api.codec.yaml_text import write_yaml
from podium.api.errors import RefusedError
from podium.apiserver.authentication.users import ADMIN, User
from podium.apiserver.requests.negotiation import JSON, YAML
from podium.apiserver.requests.response_forms import Watching

HEADER_SEPARATOR = "\n"
"""Separator of the values of a repeated header whose values may contain commas."""

PLAIN_TEXT = "text/plain; charset=utf-8"


class NodeLog(msgspec.Struct, frozen=True):
    """The address of a container log: a kubelet's HTTPS address, and a path with query."""

    address: str
    port: int
    path: str
    pod: str


Headers = tuple[tuple[str, str], ...]
Body = Mapping[str, Any] | str | bytes | Watching | NodeLog


@dataclass(frozen=True, slots=True)
class Request:
    """A request; the path has the query, and header names are in lower case."""

    method: str
    path: str
    headers: Mapping[str, str] = field(default_factory=dict)
    body: bytes = b""
    user: User = ADMIN

    def __post_init__(self) -> None:
        headers = {name.lower(): value for name, value in self.headers.items()}
        object.__setattr__(self, "headers", headers)

    def header(self, name: str) -> str:
        """Return the value of a header; empty if it is absent."""
        return self.headers.get(name.lower(), "")


class Response(msgspec.Struct, frozen=True):
    """A response."""

    code: int
    body: Body
    """An object, text or encoded bytes; or a body that is sent in pieces: a watch or a node's
    log."""
    headers: Headers = (("Content-Type", JSON),)
    """Names and values; a name may be repeated, such as `Warning`."""
    pretty: bool = False

    def header(self, name: str) -> str:
        """Return all values of a header, joined by commas; empty if it is absent."""
        wanted = name.lower()
        return ", ".join(value for key, value in self.headers if key.lower() == wanted)

    def content(self) -> bytes:
        """Return the body as bytes; raises TypeError for a watch or a log."""
        if isinstance(self.body, bytes):
            return self.body
        if isinstance(self.body, str):
            return self.body.encode()
        if isinstance(self.body, (Watching, NodeLog)):
            raise TypeError("watches and logs of nodes go over the wire piece by piece")
        return encoded(self.body, self.header("Content-Type"), pretty=self.pretty)


def refused(refusal: RefusedError, media_type: str = JSON) -> Response:
    """Return the response for a refused request."""
    headers: Headers = (("Content-Type", media_type),)
    if refusal.retry_after_s is not None:
        headers += (("Retry-After", str(refusal.retry_after_s)),)
    return Response(refusal.code, refusal.status(), headers)


def encoded(obj: Mapping[str, Any], media_type: str = JSON, *, pretty: bool = False) -> bytes:
    """Encode an object, or an event of a watch, as JSON or YAML with a final newline."""
    if media_type == YAML:
        return write_yaml(obj).encode()
    plain = msgspec.json.encode(obj)
    return (msgspec.json.format(plain) if pretty else plain) + b"\n"


def warning(text: str) -> tuple[str, str]:
    """Return a `Warning` header, whose text kubectl prints."""
    quoted = text.replace("\\", "\\\\").replace('"', '\\"')
    return "Warning", f'299 - "{quoted}"'
