"""Requests that only HTTP can carry: any bytes as a body, a path or a query are answered."""

from urllib.parse import quote

import httpx
from hypothesis import given
from hypothesis import strategies as st

from tests.apiserver.http.running import PODS


@given(st.binary(max_size=300))
def test_bytes_are_taken_or_refused(client: httpx.Client, body: bytes) -> None:
    answer = client.post(PODS, content=body)
    assert answer.status_code in range(400, 500)
    assert answer.json()["kind"] == "Status"


@given(st.binary(max_size=40).map(quote), st.binary(max_size=40).map(quote))
def test_paths_and_queries_are_taken_or_refused(
    client: httpx.Client, path: str, query: str
) -> None:
    # A watch would begin, and never end.
    answer = client.head(f"/api/v1/{path}?{query}")
    assert answer.status_code in range(200, 500)
