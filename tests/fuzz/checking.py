"""What any answer has to be: readable, no fault of the server, and clear about what is refused."""

import json
import re
from collections.abc import Iterator
from typing import Any

import yaml

from podium.apiserver.requests import Response, Watching
from tests.fuzz.asked import Asked

# What is refused with these codes is so as kube-apiserver refuses it: it has no better code for
# patches, deletions and versions that it can't read (500), and Podium runs no containers (501). A
# bug isn't answered, but raised; over HTTP its answer has a reason, which these refusals haven't.
_REASONS = {500: "", 501: "NotImplemented", 504: "Timeout"}
# A value of another type than its field, without the field.
_NAMELESS = re.compile(r"(^|handled as an? \w+: )expected a(?!n object)")


def offences(asked: Asked, response: Response) -> Iterator[str]:
    """What is wrong with an answer."""
    if isinstance(response.body, Watching):
        return
    content = response.content()
    body = _read(response, content)
    if isinstance(body, str):
        yield body
    elif isinstance(body, dict) and response.code >= 400:
        yield from _of_refusal(asked, response.code, body)
    elif response.code >= 500:
        yield f"{response.code}: {content[:300]!r}"


def _read(response: Response, content: bytes) -> Any:
    """The body as a client reads it; a sentence if it can't."""
    kind = response.header("Content-Type")
    try:
        if "json" in kind:
            return json.loads(content, parse_constant=_refuse)
        if "yaml" in kind:
            return yaml.load(content, yaml.CSafeLoader)
    except (ValueError, yaml.YAMLError) as error:
        return f"the answer can't be read: {error}"
    return None


def _refuse(constant: str) -> None:
    raise ValueError(f"{constant} is no JSON")


def _of_refusal(asked: Asked, code: int, status: dict[str, Any]) -> Iterator[str]:
    message = str(status.get("message", ""))
    if status.get("kind") != "Status" or status.get("code") != code:
        yield f"a refusal without its code: {status}"
    if not message:
        yield f"{code} says nothing"
    if code >= 500 and status.get("reason", "") != _REASONS.get(code):
        yield f"{code}: {message[:300]}"
    if code == 400 and asked.method in ("POST", "PUT") and _NAMELESS.search(message):
        yield f"400 doesn't name its field: {message[:300]}"
    if code == 422 and asked.method in ("POST", "PUT"):
        causes = status.get("details", {}).get("causes", [])
        if not causes or not all(cause.get("field") for cause in causes):
            yield f"422 doesn't name its field: {message[:300]}"
