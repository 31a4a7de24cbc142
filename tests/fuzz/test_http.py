"""The same over HTTP, to a cluster with a clock: it goes on answering."""

import http.client
from collections.abc import Callable, Sequence
from random import Random
from time import perf_counter
from typing import Any
from urllib.parse import urlsplit

import pytest
import yaml

import podium
from podium.api.kinds.builtin_kinds import KINDS
from tests.fuzz.asked import Asked
from tests.fuzz.asking import Asker
from tests.fuzz.world import CORPUS

PATIENCE_S = 60.0
ASKED, SOAK_ASKED = 120, 5_000


class Api:
    """A cluster over HTTP, and what it has, to ask about.

    Args:
        cluster: runs.
    """

    def __init__(self, cluster: podium.Cluster) -> None:
        config = yaml.safe_load(cluster.kubeconfig.read_text(encoding="utf-8"))
        self._token = config["users"][0]["user"]["token"]
        self._where = urlsplit(cluster.url)
        self._cluster = cluster
        self._rng = Random(0)

    def of_kind(self, kind: str) -> Sequence[dict[str, Any]]:
        return self._cluster.list(kind)  # type: ignore[return-value]

    def any(self) -> dict[str, Any]:
        kinds = [kind for kind in ("Pod", "Node", "Deployment", "Job") if self.of_kind(kind)]
        return self._rng.choice(self.of_kind(self._rng.choice(kinds)))

    def ask(self, asked: Asked) -> tuple[int, bytes]:
        """The code, and what there is of the body at once: a watch may have no end."""
        assert self._where.hostname
        link = http.client.HTTPConnection(
            self._where.hostname, self._where.port, timeout=PATIENCE_S
        )
        headers = {name: value.encode() for name, value in asked.headers.items()}
        headers["Authorization"] = f"Bearer {self._token}".encode()
        try:
            link.request(asked.method, asked.path, asked.body, headers)
            response = link.getresponse()
            is_watch = response.getheader("Content-Length") is None
            return response.status, b"" if is_watch else response.read()
        finally:
            link.close()


@pytest.mark.parametrize(
    ("seed", "count"), [(1, ASKED), pytest.param(2, SOAK_ASKED, marks=pytest.mark.soak)]
)
def test_a_cluster_goes_on_answering(
    seed: int, count: int, record_property: Callable[[str, object], None]
) -> None:
    slowest_s = 0.0
    with podium.Cluster(nodes=3, insecure_http=True, manifests=[CORPUS]) as cluster:
        api = Api(cluster)
        asker = Asker(Random(seed), api)
        for _ in range(count):
            asked = asker.next()
            code, body = api.ask(asked)
            assert code < 500 or b'"reason":"InternalError"' not in body, (asked.to_json(), body)
            began_s = perf_counter()
            assert api.ask(Asked("GET", "/readyz"))[0] == 200, asked.to_json()
            slowest_s = max(slowest_s, perf_counter() - began_s)
        cluster.advance(60)
        assert {one["metadata"]["name"] for one in cluster.list("Namespace")} >= {"kube-system"}
    # Told, not judged: the machine may have been busy with something else.
    record_property("slowest_readyz_s", slowest_s)


def test_every_kind_is_asked_about() -> None:
    """What is asked over all stories, as the choice is by operation."""
    with podium.Cluster(nodes=1, insecure_http=True, manifests=[CORPUS]) as cluster:
        asker = Asker(Random(1), Api(cluster))
        paths = {asker.next().path.partition("?")[0] for _ in range(3_000)}
    plurals = {part for path in paths for part in path.split("/")}
    assert {kind.plural for kind in KINDS.values()} <= plurals
