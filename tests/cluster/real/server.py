"""An API server that tests ask, whichever it is."""

import ssl
import time
from abc import ABC, abstractmethod
from pathlib import Path
from typing import Any

import httpx
import yaml

PATIENCE_S = 120.0
"""How long anything may take that is to come about; only a failure takes so long."""

Json = dict[str, Any]


class Asked(ABC):
    """What is asked as an API server is."""

    @abstractmethod
    def request(
        self, method: str, path: str, body: Json | None = None, **headers: str
    ) -> httpx.Response:
        """The answer to a request."""

    def ask(self, method: str, path: str, body: Json | None = None, **headers: str) -> Json:
        response = self.request(method, path, body, **headers)
        response.raise_for_status()
        return dict(response.json())

    def merge(self, path: str, body: Json) -> Json:
        return self.ask("PATCH", path, body, **{"Content-Type": "application/merge-patch+json"})


class Server(Asked):
    """A server and its admin.

    Attributes:
        directory: kubeconfigs are written there.
        url: where it listens.
        client: of the admin.
    """

    directory: Path
    url: str
    client: httpx.Client

    def connect(self, url: str, token: str) -> None:
        """Go there, as the admin, whose token this is."""
        self.url, self._token = url, token
        tls = ssl.create_default_context()
        tls.check_hostname, tls.verify_mode = False, ssl.CERT_NONE
        headers = {"Authorization": f"Bearer {token}"}
        self.client = httpx.Client(base_url=url, verify=tls, headers=headers, timeout=PATIENCE_S)

    @property
    def address(self) -> tuple[str, int]:
        """Host and port."""
        host, _, port = self.url.rpartition("/")[2].rpartition(":")
        return host, int(port)

    def close(self) -> None:
        self.client.close()

    @abstractmethod
    def restart(self) -> None:
        """End it, start it again, and have it forget what was before."""

    def kubeconfig(self, token: str = "", url: str = "") -> Path:
        """A kubeconfig of a user, whose way may lead through a proxy."""
        server, token = url or self.url, token or self._token
        path = self.directory / f"{token}-{server.rpartition(':')[2]}.kubeconfig"
        cluster = {"server": server, "insecure-skip-tls-verify": True}
        config = {
            "apiVersion": "v1",
            "kind": "Config",
            "clusters": [{"name": "c", "cluster": cluster}],
            "users": [{"name": "u", "user": {"token": token}}],
            "contexts": [{"name": "c", "context": {"cluster": "c", "user": "u"}}],
            "current-context": "c",
        }
        path.write_text(yaml.safe_dump(config))
        return path

    def request(
        self, method: str, path: str, body: Json | None = None, **headers: str
    ) -> httpx.Response:
        """Ask until there is an answer.

        A server that has just been started, or whose history is gone, turns requests down (429)
        while it reads anew. Other failures are repeated where that changes nothing.
        """
        until_s = time.monotonic() + PATIENCE_S
        while True:
            try:
                response = self.client.request(method, path, json=body, headers=headers)
            except httpx.TransportError:
                if method != "GET" or time.monotonic() > until_s:
                    raise
            else:
                code = response.status_code
                again = code == 429 or (method == "GET" and code >= 500)
                if not again or time.monotonic() > until_s:
                    return response
            time.sleep(0.1)
