"""A client, and `podium up` as a process."""

import signal
import ssl
import subprocess
import sys
import time
from base64 import b64decode
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx
import yaml

from tests.conftest import ROOT
from tests.processes import end_with_tests

Answer = tuple[int, Any]

PATIENCE_S = 60.0


class Client:
    """The admin of a kubeconfig."""

    def __init__(self, kubeconfig: Path) -> None:
        config = yaml.safe_load(kubeconfig.read_text())
        cluster, user = config["clusters"][0]["cluster"], config["users"][0]["user"]
        tls = True
        if authority := cluster.get("certificate-authority-data"):
            tls = ssl.create_default_context(cadata=b64decode(authority).decode())
        headers = {"Authorization": f"Bearer {user['token']}"}
        self._client = httpx.Client(
            base_url=cluster["server"], verify=tls, headers=headers, timeout=PATIENCE_S
        )

    def ask(self, method: str, path: str, body: Any = None, accept: str = "*/*") -> Answer:
        """A request's code and decoded answer; the connection may break."""
        response = self._client.request(method, path, json=body, headers={"Accept": accept})
        return response.status_code, response.json()

    def text(self, path: str) -> str:
        """An answer that is plain text."""
        return self._client.get(path).text

    def open(self, path: str) -> None:
        """Begin to read an answer that may have no end."""
        self._stream = self._client.stream("GET", path)
        assert self._stream.__enter__().status_code == 200

    def close(self) -> None:
        self._client.close()


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
