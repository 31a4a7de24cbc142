"""A client of a server of its own, with time standing still unless it is told to pass."""

import json
from random import Random
from typing import Any

from podium.apiserver.authentication.users import ADMIN
from podium.apiserver.rbac.authorizer import default_access
from podium.apiserver.requests import Request, Response, Watching, handle
from podium.apiserver.server import ApiServer
from podium.apiserver.store.store import Store

PODS = "/api/v1/namespaces/default/pods"
EVENTS = "/apis/events.k8s.io/v1/namespaces/default/events"
DEPLOYMENTS = "/apis/apps/v1/namespaces/default/deployments"
TABLE = "application/json;as=Table;v=v1;g=meta.k8s.io"
MERGE = "application/merge-patch+json"


def events_of(watching: Watching, now_s: float) -> list[Any]:
    """What a watch has to tell since the last call."""
    return [watching.shown(event, now_s) for event in watching.stream.take()]


def last_events_of(watching: Watching, now_s: float) -> list[Any]:
    """What an ending watch has to tell, with the bookmark that it ends with."""
    events, stream = events_of(watching, now_s), watching.stream
    bookmark = stream.bookmark() if stream.allows_bookmarks else None
    if bookmark is not None:
        events.append(watching.shown(bookmark, now_s))
    stream.close()
    return events


class Client:
    """Sends requests.

    Attributes:
        server: that answers them.
        now_s: the time, in seconds since the epoch.
        user: in whose name it sends them.
        checks: what the server is ready by.
    """

    def __init__(self, history_max: int = 1_000) -> None:
        self.now_s = 1_800_000_000.0
        self.user = ADMIN
        self.checks: dict[str, str] = {}
        self.server = ApiServer(Store(history_max=history_max), Random(1))
        self.server.bootstrap(self.now_s)

    def bootstrap_access(self) -> None:
        """Have the roles and bindings that people share a cluster by."""
        self.server.bootstrap(self.now_s, default_access())

    def ask_plainly(
        self, method: str, path: str, body: Any, headers: dict[str, str]
    ) -> tuple[int, Any]:
        """Code and body of an answer, as it goes over the wire."""
        sent = b"" if body is None else json.dumps(body).encode()
        response = handle(self.server, Request(method, path, headers, sent, self.user), self.now_s)
        if isinstance(response.body, Watching):
            return response.code, {}
        return response.code, json.loads(response.content()) if response.body else {}

    def ask(self, method: str, path: str, body: Any = None, **headers: str) -> Response:
        """The answer to a request; `content_type="x"` sends the header `Content-Type: x`."""
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        if body is None:
            sent = b""
        else:
            sent = body if isinstance(body, bytes) else json.dumps(body).encode()
        request = Request(method, path, named, sent, self.user)
        return handle(self.server, request, self.now_s, self.checks)

    def get(self, path: str, **headers: str) -> Any:
        """The body of the answer to a GET that succeeds."""
        response = self.ask("GET", path, **headers)
        assert response.code == 200, response.body
        return response.body

    def create_pod(self, name: str, **more: Any) -> Any:
        """The pod as it was created."""
        response = self.ask("POST", PODS, pod(name, **more))
        assert response.code == 201, response.body
        return response.body


def pod(name: str, **more: Any) -> dict[str, Any]:
    containers = [{"name": "c", "image": "i"}]
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": name, **more.get("metadata", {})},
        "spec": {"containers": containers, **more.get("spec", {})},
    }


def deployment(name: str, replicas: int) -> dict[str, Any]:
    template = {"metadata": {"labels": {"app": name}}, "spec": pod(name)["spec"]}
    selector = {"matchLabels": {"app": name}}
    return {
        "metadata": {"name": name},
        "spec": {"replicas": replicas, "selector": selector, "template": template},
    }


def event(name: str) -> dict[str, Any]:
    return {
        "metadata": {"name": name},
        "eventTime": "2027-01-15T08:00:00.000000Z",
        "regarding": {"kind": "Pod", "name": "p", "namespace": "default"},
        "reason": "Tried",
        "note": "once",
        "type": "Normal",
        "action": "Trying",
        "reportingController": "example.com/x",
        "reportingInstance": "i",
    }
