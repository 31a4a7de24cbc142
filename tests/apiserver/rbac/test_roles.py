"""Probes of roles and bindings, which are also asked of the real API server."""

from tests.apiserver.rbac.probes import PROBES, answers
from tests.apiserver.requests.client import Client


def test_each_probe_is_permitted_or_refused() -> None:
    client = Client()
    client.bootstrap_access()
    codes = [code for _, code, _ in answers(client.ask_plainly)]
    assert len(codes) == len(PROBES)
    assert set(codes) == {200, 201, 403, 404, 422}
