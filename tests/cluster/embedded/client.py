"""A client with nothing but the standard library, and `podium up` as a process."""

import json
import signal
import ssl
import subprocess
import sys
import time
from base64 import b64decode
from collections.abc import Iterator
from contextlib import contextmanager
from http.client import HTTPConnection, HTTPSConnection
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import yaml

from tests.conftest import ROOT
from tests.processes import end_with_tests

Answer = tuple[int, Any]

PATIENCE_S = 60.0


class Client:
    """One connection, as the admin of a kubeconfig."""

    def __init__(self, kubeconfig: Path) -> None:
        config = yaml.safe_load(kubeconfig.read_text())
        cluster, user = config["clusters"][0]["cluster"], config["users"][0]["user"]
        where = urlsplit(cluster["server"])
        assert where.hostname
        self._headers = {"Authorization": f"Bearer {user['token']}"}
        if where.scheme == "http":
            self._connection = HTTPConnection(where.hostname, where.port, timeout=PATIENCE_S)
            return
        authority = b64decode(cluster["certificate-authority-data"]).decode()
        context = ssl.create_default_context(cadata=authority)
        self._connection = HTTPSConnection(
            where.hostname, where.port, timeout=PATIENCE_S, context=context
        )

    def ask(self, method: str, path: str, body: Any = None, accept: str = "*/*") -> Answer:
        """A request's code and decoded answer; the connection may break."""
        content = None if body is None else json.dumps(body)
        headers = {**self._headers, "Content-Type": "application/json", "Accept": accept}
        self._connection.request(method, path, content, headers)
        response = self._connection.getresponse()
        return response.status, json.loads(response.read())

    def text(self, path: str) -> str:
        """An answer that is plain text."""
        self._connection.request("GET", path, headers=self._headers)
        return self._connection.getresponse().read().decode()

    def open(self, path: str) -> None:
        """Begin to read an answer that may have no end."""
        self._connection.request("GET", path, headers=self._headers)
        assert self._connection.getresponse().status == 200

    def close(self) -> None:
        self._connection.close()


def _begin() -> None:
    end_with_tests()
    # Under nohup it would ignore what ends it with a terminal.
    signal.signal(signal.SIGHUP, signal.SIG_DFL)


@contextmanager
def up(data_dir: Path, *options: str) -> Iterator[subprocess.Popen[str]]:
    """`podium up`, from when it is ready until it is killed."""
    (data_dir / "kubeconfig").unlink(missing_ok=True)
    command = [sys.executable, "-m", "podium", "up", "--data-dir", str(data_dir)]
    with subprocess.Popen(
        [*command, *options],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        preexec_fn=_begin,
    ) as process:
        try:
            wait_until_ready(process, data_dir / "kubeconfig")
            yield process
        finally:
            process.kill()


def wait_until_ready(process: subprocess.Popen[str], kubeconfig: Path) -> None:
    end_s = time.monotonic() + PATIENCE_S
    while not kubeconfig.exists():
        assert process.poll() is None, process.stdout.read() if process.stdout else ""
        assert time.monotonic() < end_s, "it didn't come up"
        time.sleep(0.01)
