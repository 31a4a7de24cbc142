"""Whatever is asked is answered: requests of all sorts never end in an exception.

There is an object of the kind that is asked about. Most requests are about it, with a body that is
like it, but for a few values anywhere in it; of some the path, the query, the headers or the whole
body make no sense. An answer is one that a client can read, and tells the code that it has.
"""

import copy
import json
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from podium.api.kinds.builtin_kinds import KINDS, Kind
from podium.apiserver.requests import Response, Watching, encoded
from tests.apiserver.requests.client import TABLE, Client, last_events_of
from tests.apiserver.requests.samples import Obj, sample

QUERIES = (
    "watch=1&timeoutSeconds=1", "watch=1&allowWatchBookmarks=1", "limit=1", "limit=x",
    "continue=abc", "dryRun=All", "dryRun=x", "labelSelector=a%3Db", "labelSelector=((",
    "fieldSelector=metadata.name%3Da", "fieldSelector=%3D", "resourceVersion=1",
    "resourceVersion=x", "force=1&fieldManager=m", "fieldManager=m", "fieldValidation=Strict",
    "gracePeriodSeconds=0", "gracePeriodSeconds=-5", "includeObject=Object",
    "propagationPolicy=Orphan", "propagationPolicy=Foreground", "%ff=%00&&=", "pretty=1",
)  # fmt: skip
PATCH_TYPES = (
    "application/merge-patch+json", "application/strategic-merge-patch+json",
    "application/json-patch+json", "application/apply-patch+yaml",
)  # fmt: skip
ODD_BODIES = (b"", b"{}", b"null", b"[]", b"{", b"\xff", b"k8s\x00", b"- a", b'{"metadata":[]}')
FIELDS = ("name", "labels", "finalizers", "uid", "resourceVersion", "x")
PARTIAL = "application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io"

odd_values = (
    st.none()
    | st.booleans()
    | st.integers(-(2**70), 2**70)
    | st.floats()
    | st.text(max_size=5)
    | st.sampled_from([[], {}, [None], {"a": None}, "5", "1Gi", "2026-01-01T00:00:00Z", "10%"])
).map(copy.deepcopy)


def mostly(usual: Any, otherwise: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    return st.integers(0, 4).flatmap(lambda chance: otherwise if chance == 0 else st.just(usual))


@st.composite
def mutated(draw: st.DrawFn, obj: Obj) -> Obj:
    """The object with up to three values replaced or added, anywhere in it."""
    obj = copy.deepcopy(obj)
    for _ in range(draw(st.integers(0, 3))):
        inside = draw(st.sampled_from([*containers(obj)]))
        if isinstance(inside, list):
            inside[:] = [*inside, draw(odd_values)]
        else:
            inside[draw(st.sampled_from([*inside, *FIELDS]))] = draw(odd_values)
    return obj


def containers(value: Any) -> Iterator[Any]:
    """All dictionaries and lists within a value, and itself."""
    if isinstance(value, dict | list):
        yield value
        for inner in value.values() if isinstance(value, dict) else value:
            yield from containers(inner)


Asked = tuple[str, str, bytes, str, str]
"""Method, path, body, content type and accepted type."""


@st.composite
def requests(draw: st.DrawFn, kind: Kind) -> Asked:
    method = draw(st.sampled_from(["GET", "POST", "PUT", "PATCH", "PATCH", "DELETE", "OPTIONS"]))
    subresource = draw(mostly("", st.sampled_from(("status", *kind.subresources))))
    body = draw(_body(kind, method, subresource))
    if draw(st.integers(0, 9)) == 0:
        body = draw(st.sampled_from(ODD_BODIES))
    name = draw(mostly("" if method == "POST" else "a", st.sampled_from(["", "b", "A_b", "%20"])))
    path = collection(kind) + (f"/{name or 'a'}/{subresource}" if subresource else f"/{name}")
    query = draw(mostly("", st.sampled_from(QUERIES)))
    usual = draw(st.sampled_from(PATCH_TYPES)) if method == "PATCH" else "application/json"
    content_type = draw(
        mostly(usual, st.sampled_from(["", "text/plain", "application/yaml", ";;"]))
    )
    accept = draw(mostly("", st.sampled_from([TABLE, "application/yaml", "text/html", ";;q=x,"])))
    return method, f"{path}?{query}", body, content_type, accept


def _body(kind: Kind, method: str, subresource: str) -> st.SearchStrategy[bytes]:
    obj = sample(kind.name)
    if subresource in ("binding", "eviction"):
        obj = {"metadata": {"name": "a"}, "target": {"name": "n"}}
    if subresource == "scale":
        obj = {"metadata": {"name": "a"}, "spec": {"replicas": 3}}
    if method == "DELETE":
        obj = {"gracePeriodSeconds": 3, "preconditions": {}, "propagationPolicy": "Orphan"}
    if method == "PATCH":
        obj = {"apiVersion": kind.api_version, "kind": kind.name, **obj}
    return mutated(obj).map(lambda made: json.dumps(made).encode())


def collection(kind: Kind) -> str:
    root = f"/apis/{kind.api_version}" if kind.group else f"/api/{kind.version}"
    place = "/namespaces/default" if kind.namespaced else ""
    return f"{root}{place}/{kind.plural}"


@st.composite
def conversations(draw: st.DrawFn) -> tuple[Kind, list[Asked]]:
    """A kind, and what is asked about it, one after the other."""
    kind = draw(st.sampled_from([*KINDS.values()]))
    return kind, draw(st.lists(requests(kind), min_size=5, max_size=15))


def named(kind: Kind) -> str:
    """What its sample is called."""
    return str(sample(kind.name)["metadata"]["name"])


def filled(*kinds: Kind) -> Client:
    """A server that has an object of each kind."""
    client = Client()
    for kind in kinds:
        made = client.ask("POST", collection(kind), sample(kind.name))
        assert made.code == 201, (kind.name, made.body)
    return client


def check(client: Client, response: Response) -> None:
    if isinstance(response.body, Watching):
        assert all(map(encoded, last_events_of(response.body, client.now_s)))
        return
    content = response.content()
    if response.code >= 400 and "json" in response.header("Content-Type"):
        assert json.loads(content)["code"] == response.code


@given(conversations())
def test_whatever_is_asked_is_answered(conversation):
    kind, asked = conversation
    client = filled(kind)
    for method, path, body, content_type, accept in asked:
        response = client.ask(method, path, body, content_type=content_type, accept=accept)
        check(client, response)


def test_objects_of_all_kinds_are_shown_in_every_form():
    client = filled(*KINDS.values())
    for kind in KINDS.values():
        for accept in ("", TABLE, PARTIAL):
            check(client, client.ask("GET", f"{collection(kind)}/{named(kind)}", accept=accept))
        table = client.get(f"{collection(kind)}?includeObject=Object", accept=TABLE)
        assert any(row["object"]["metadata"]["name"] == named(kind) for row in table["rows"])


def without_something(obj: Obj) -> Iterator[Obj]:
    """The object without one of its fields, or without one within these."""
    for field, value in obj.items():
        rest = {name: one for name, one in obj.items() if name != field}
        yield rest
        if isinstance(value, dict):
            for inner in value:
                yield {**rest, field: {name: one for name, one in value.items() if name != inner}}


@pytest.mark.parametrize("kind", KINDS.values(), ids=KINDS.keys())
def test_an_update_may_lack_anything(kind: Kind) -> None:
    client = filled(kind)
    path = f"{collection(kind)}/{named(kind)}"
    for part in ("", *(f"/{one}" for one in kind.subresources if one == "status")):
        stored = copy.deepcopy(client.get(path))
        del stored["metadata"]["resourceVersion"]
        for obj in without_something(stored):
            assert client.ask("PUT", path + part, obj).code in (200, 400, 422)
