"""Whatever is sent over the network is answered, and the server lives on.

The requests are those that `handle` is tried with, and then some that only HTTP can carry.
"""

import json
from typing import Any
from urllib.parse import quote

import httpx
import pytest
from hypothesis import given
from hypothesis import strategies as st

from podium.api.kinds.builtin_kinds import KINDS, Kind
from podium.apiserver.refusals import server_fault
from tests.apiserver.http.running import PODS
from tests.apiserver.requests.samples import sample
from tests.apiserver.requests.test_robustness import Asked, collection, mutated, requests

BUG = server_fault().message
# kube-apiserver has no better code for this, either.
AS_UPSTREAM = "resourceVersion should not be set on objects to be created"

kinds = st.sampled_from([*KINDS.values()])


@pytest.fixture(scope="module", autouse=True)
def filled(client: httpx.Client) -> None:
    """An object of every kind."""
    for kind in KINDS.values():
        if kind.name != "Namespace":
            client.post(collection(kind), json=sample(kind.name))


@given(kinds.flatmap(requests))
def test_every_request_is_answered(client: httpx.Client, asked: Asked) -> None:
    method, path, body, content_type, accept = asked
    headers = {"Content-Type": content_type, "Accept": accept}
    # How watches end is tried elsewhere; here each would take a second.
    answer = client.request(method, path.replace("watch=1", ""), content=body, headers=headers)
    assert answer.status_code >= 200
    assert BUG not in answer.text
    if answer.status_code >= 400 and "json" in answer.headers["Content-Type"]:
        assert answer.json()["code"] == answer.status_code


@given(kinds.flatmap(lambda kind: mutated(sample(kind.name)).map(lambda obj: (kind, obj))))
def test_objects_with_odd_values_are_taken_or_refused(
    client: httpx.Client, made: tuple[Kind, Any]
) -> None:
    kind, obj = made
    answer = client.post(collection(kind), content=json.dumps(obj).encode())
    assert answer.status_code in range(200, 500) or AS_UPSTREAM in answer.text
    assert answer.json()["kind"] in (kind.name, "Status")


@given(st.binary(max_size=300))
def test_bytes_are_taken_or_refused(client: httpx.Client, body: bytes) -> None:
    answer = client.post(PODS, content=body)
    assert answer.status_code in range(400, 500)
    assert answer.json()["kind"] == "Status"


@given(st.binary(max_size=40).map(quote), st.binary(max_size=40).map(quote))
def test_so_are_paths(client: httpx.Client, path: str, query: str) -> None:
    # A watch would begin, and never end.
    answer = client.head(f"/api/v1/{path}?{query}")
    assert answer.status_code in range(200, 500)
