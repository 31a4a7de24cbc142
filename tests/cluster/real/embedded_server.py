"""`podium up` without a scheduler, nodes and controllers."""

import signal
import subprocess
import time
from pathlib import Path

import httpx
import yaml

from tests.cluster.real.control_plane import free_port
from tests.cluster.real.server import PATIENCE_S, Server
from tests.processes import start_podium


class EmbeddedServer(Server):
    """The embedded cluster, in a process of its own, with all it keeps in a directory."""

    def __init__(self, directory: Path) -> None:
        self.directory = directory
        self._port = free_port()
        self._process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        """Run it, at the port and with the data that it had before."""
        data = self.directory / "data"
        log = self.directory / "up.log"
        options = ("--nodes", "0", "--no-scheduler", "--controllers", "")
        where = ("--data-dir", str(data), "--port", str(self._port))
        self._process = start_podium(log, "up", *options, *where)
        until_s = time.monotonic() + PATIENCE_S
        while not self._is_ready(data / "kubeconfig"):
            if self._process.poll() is not None or time.monotonic() > until_s:
                raise RuntimeError(f"isn't ready: {log.read_text()}")
            time.sleep(0.1)

    def kill(self) -> None:
        """End it at once."""
        if self._process is not None:
            self._process.send_signal(signal.SIGKILL)
            self._process.wait()

    def restart(self) -> None:
        self.kill()
        self.client.close()
        self.start()

    def close(self) -> None:
        self.kill()
        super().close()

    def _is_ready(self, kubeconfig: Path) -> bool:
        if not kubeconfig.exists():
            return False
        config = yaml.safe_load(kubeconfig.read_text())
        self.connect(
            config["clusters"][0]["cluster"]["server"], config["users"][0]["user"]["token"]
        )
        try:
            return self.client.get("/readyz").is_success
        except httpx.TransportError:
            return False
