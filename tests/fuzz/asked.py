"""A request of the fuzzer, as it is kept to be asked again."""

from base64 import b64decode, b64encode
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from podium.apiserver.requests import Request


@dataclass(frozen=True)
class Asked:
    """A request, and how much time passes after it.

    Attributes:
        method: such as `GET`.
        path: with its query.
        headers: by name.
        body: as sent.
        touched: the names of the fields that make it odd.
        pause_s: how much time passes after it, in seconds.
    """

    method: str
    path: str
    headers: Mapping[str, str] = field(default_factory=dict)
    body: bytes = b""
    touched: tuple[str, ...] = ()
    pause_s: float = 0.0

    def request(self) -> Request:
        return Request(self.method, self.path, self.headers, self.body)

    def to_json(self) -> dict[str, Any]:
        told: dict[str, Any] = {"method": self.method, "path": self.path}
        told |= {"headers": dict(self.headers), "touched": list(self.touched)}
        try:
            return {**told, "body": self.body.decode(), "pause_s": self.pause_s}
        except UnicodeDecodeError:
            return {**told, "base64": b64encode(self.body).decode(), "pause_s": self.pause_s}

    @staticmethod
    def from_json(told: Mapping[str, Any]) -> "Asked":
        body = b64decode(told["base64"]) if "base64" in told else told["body"].encode()
        return Asked(
            method=told["method"],
            path=told["path"],
            headers=told["headers"],
            body=body,
            touched=tuple(told.get("touched", ())),
            pause_s=told.get("pause_s", 0.0),
        )
