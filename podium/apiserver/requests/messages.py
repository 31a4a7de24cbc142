"""Requests and responses: what HTTP would carry, without HTTP."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import msgspec

from podium.api.codec.yaml_writer import write_yaml
from podium.api.refused import RefusedError
from podium.apiserver.authentication.users import ADMIN, User
from podium.apiserver.requests.negotiation import JSON, YAML
from podium.apiserver.requests.response_forms import Watching

HEADER_SEPARATOR = "\n"
"""Between the values of a header that came several times, where a comma may be in a value."""

PLAIN_TEXT = "text/plain; charset=utf-8"


class NodeLog(msgspec.Struct, frozen=True):
    """A log from a node's agent, by HTTPS port and path with query, handed on as it comes."""

    address: str
    port: int
    path: str
    pod: str


Headers = tuple[tuple[str, str], ...]
Body = Mapping[str, Any] | str | bytes | Watching | NodeLog


@dataclass(frozen=True, slots=True)
class Request:
    """A request before HTTP: path with query, and headers, kept by names in small letters."""

    method: str
    path: str
    headers: Mapping[str, str] = field(default_factory=dict)
    body: bytes = b""
    user: User = ADMIN

    def __post_init__(self) -> None:
        headers = {name.lower(): value for name, value in self.headers.items()}
        object.__setattr__(self, "headers", headers)

    def header(self, name: str) -> str:
        """A header's value, whatever the case of its name; empty if it wasn't sent."""
        return self.headers.get(name.lower(), "")


class Response(msgspec.Struct, frozen=True):
    """An answer of the API, before HTTP.

    Attributes:
        body: an object, text, a document as it stands, or what comes piece by piece: a watch, or
            a node's log.
        headers: names and values; a name may come several times, as `Warning` does.
    """

    code: int
    body: Body
    headers: Headers = (("Content-Type", JSON),)
    pretty: bool = False

    def header(self, name: str) -> str:
        """All values of a header, joined by commas; empty if there is none."""
        wanted = name.lower()
        return ", ".join(value for key, value in self.headers if key.lower() == wanted)

    def content(self) -> bytes:
        """The body as it goes over the wire; raises TypeError for one that comes piece by piece."""
        if isinstance(self.body, bytes):
            return self.body
        if isinstance(self.body, str):
            return self.body.encode()
        if isinstance(self.body, (Watching, NodeLog)):
            raise TypeError("watches and logs of nodes go over the wire piece by piece")
        return encoded(self.body, self.header("Content-Type"), pretty=self.pretty)


def refused(refusal: RefusedError, media_type: str = JSON) -> Response:
    """A refusal as an answer."""
    headers: Headers = (("Content-Type", media_type),)
    if refusal.retry_after_s is not None:
        headers += (("Retry-After", str(refusal.retry_after_s)),)
    return Response(refusal.code, refusal.status(), headers)


def encoded(obj: Mapping[str, Any], media_type: str = JSON, *, pretty: bool = False) -> bytes:
    """An object, or an event of a watch, as JSON or YAML with a line end."""
    if media_type == YAML:
        return write_yaml(obj).encode()
    plain = msgspec.json.encode(obj)
    return (msgspec.json.format(plain) if pretty else plain) + b"\n"


def warning(text: str) -> tuple[str, str]:
    """The header of a warning to the user, which kubectl prints."""
    quoted = text.replace("\\", "\\\\").replace('"', '\\"')
    return "Warning", f'299 - "{quoted}"'
