"""The API server of a cluster in virtual time, asked as one over HTTP."""

import json

import httpx

from podium.apiserver.requests import Request, encoded, handle
from podium.cluster.virtual import Cluster
from tests.cluster.real.server import Asked, Json


class VirtualServer(Asked):
    """Answers requests at the cluster's time; nothing else happens before time passes."""

    def __init__(self, cluster: Cluster) -> None:
        self.cluster = cluster

    def request(
        self, method: str, path: str, body: Json | None = None, **headers: str
    ) -> httpx.Response:
        content = b"" if body is None else encoded(body)
        sent = {"Content-Type": "application/json", **headers}
        request = Request(method, path, sent, content)
        answer = handle(self.cluster.server, request, self.cluster.driver.now_s)
        found = json.loads(answer.content())
        return httpx.Response(answer.code, json=found, request=httpx.Request(method, "http://x"))
