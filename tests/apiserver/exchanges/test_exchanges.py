"""Requests in text files, and behind bars what is answered to them.

A block is a scene with a server of its own: a sentence behind `#`, and requests below it. A request
is a method, a path, headers such as `accept=TABLE`, and a body in YAML; `=>` is followed by the
paths of the answer to show. `as USER` before it chooses the user; `later SECONDS` lets time pass.

A path begins with a slash, or with a plural in the namespace `default`. MERGE, STRATEGIC, JSON and
APPLY are patches. The body of a POST or PUT of an object is a mapping from paths to values, which
change the sample of the kind or the stored object. `${2.metadata.uid}` is a value of the second
answer of the scene. A successful write that changes nothing is marked.
"""

import json
import re
from pathlib import Path
from typing import Any

import pytest
import yaml

from podium.api.kinds.builtin_kinds import KINDS, Kind
from podium.apiserver.authentication.users import ADMIN, READER, User, node_user
from podium.apiserver.requests import Response
from tests.apiserver.requests.client import TABLE, Client
from tests.apiserver.requests.samples import sample
from tests.apiserver.transcripts import assert_played, at, changed, scenes

FILES = sorted(Path(__file__).parent.glob("*.txt"))
PATCHES = {
    "MERGE": "application/merge-patch+json",
    "STRATEGIC": "application/strategic-merge-patch+json",
    "JSON": "application/json-patch+json",
    "APPLY": "application/apply-patch+yaml",
}
METADATA = "application/json;as=PartialObjectMetadata{};v=v1;g=meta.k8s.io"
HEADERS = {"TABLE": TABLE, "METADATA": METADATA.format(""), "METADATALIST": METADATA.format("List")}
BY_PLURAL: dict[str, Kind] = {kind.plural: kind for kind in KINDS.values()}
REQUEST = re.compile(
    r"(?:as (?P<user>\S+) )?(?P<method>[A-Z]+) (?P<path>\S+)(?P<headers>( [a-z][\w%-]*=\S*)*)"
    r"(?: (?P<body>[^=].*?))?(?: => (?P<shown>.*))?",
    re.DOTALL,
)


# A whole object within a refusal.
WHOLE = re.compile(r"""(["'])\{\\?"metadata.*?\}\1(?=:|$)""")


def user(name: str) -> User:
    known = {"admin": ADMIN, "reader": READER}
    return known.get(name) or (
        node_user(name.removeprefix("node:")) if name.startswith("node:") else User(name)
    )


class Scene:
    """A server of its own, and its answers so far."""

    def __init__(self, *, has_users: bool) -> None:
        self.client = Client()
        if has_users:
            self.client.bootstrap_access()
        self.answers: list[Any] = []

    def answered(self, text: str) -> list[str]:
        """What is answered to a request, as the lines behind bars."""
        if text.startswith("later "):
            self.client.now_s += float(text.removeprefix("later "))
            return []
        request = REQUEST.fullmatch(text)
        assert request is not None, text
        self.client.user = user(request["user"] or "admin")
        headers = dict(one.split("=", 1) for one in request["headers"].split())
        headers = {name: HEADERS.get(value, value) for name, value in headers.items()}
        method, path = request["method"], re.sub(r"\$\{(.*?)\}", self._value, request["path"])
        kind = BY_PLURAL.get(path.partition("/")[0].partition("?")[0])
        body = request["body"]
        if body is not None:
            body = yaml.safe_load(re.sub(r"\$\{(.*?)\}", self._value, body))
        if kind is not None:
            _, name, *subresource = (*path.partition("?")[0].split("/"), "")
            place = "default" if kind.namespaced else ""
            if method == "POST" and not name:
                body = changed(sample(kind.name), body or {})
            elif method == "PUT" and subresource[0] != "scale":
                stored = self.client.server.store.get(kind.key, place, name)
                body = changed(stored or sample(kind.name), body or {})
            root = f"/apis/{kind.api_version}" if kind.group else "/api/v1"
            path = f"{root}{'/namespaces/default' if place else ''}/{path}"
        if method in PATCHES:
            headers["content_type"], method = PATCHES[method], "PATCH"
        sent = body.encode() if isinstance(body, str) else body
        revision = self.client.server.store.revision
        response = self.client.ask(method, path, sent, **headers)
        self.answers.append(response.body)
        is_write = method != "GET" and response.code < 300
        is_same = is_write and self.client.server.store.revision == revision
        return [*self._lines(response, request["shown"] or "", is_same=is_same)]

    def _value(self, found: re.Match[str]) -> str:
        number, _, path = found[1].partition(".")
        return str(at(self.answers[int(number) - 1], path))

    def _lines(self, response: Response, shown: str, *, is_same: bool) -> list[str]:
        body = response.body
        head = f"{response.code}{' nothing written' if is_same else ''}"
        if isinstance(body, str):
            lines = [f"{head} {body}".rstrip()]
        elif response.code >= 400:
            assert isinstance(body, dict)
            first, *more = body["message"].splitlines()
            first = WHOLE.sub(r"\1{…}\1", first)
            lines = [f"{head} {body.get('reason', '')}: {first}{' …' if more else ''}"]
        else:
            lines = [head]
        for path in shown.split():
            value = json.dumps(at(body, path.removeprefix(".")), ensure_ascii=False)
            lines.append(f"{path}: {value}")
        lines += (f"{name}: {text}" for name, text in response.headers if name == "Warning")
        return [line for text in lines for line in text.splitlines()]


@pytest.mark.parametrize(("file", "scene"), scenes(FILES))
def test_requests_are_answered_as_written(file: Path, scene: str) -> None:
    assert_played(file, scene, Scene(has_users="\nas " in scene).answered)
