"""`podium node` as a process beside an embedded cluster, and what tests ask of both."""

import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

from podium import Cluster
from podium.api.errors import RefusedError
from podium.api.objects import Object
from podium.kubelet.real.host.host_stats import memory
from tests import objects
from tests.processes import end_with_tests

T = TypeVar("T")

PATIENCE_S = 120.0
MI = 2**20


@dataclass
class Machine:
    """A cluster, and a node of it that is a real machine."""

    cluster: Cluster
    name: str
    root: Path
    process: subprocess.Popen[str]

    def run(self, name: str, *script: str, **spec: Any) -> None:
        """Create a pod on the node; its container runs a shell script, or a command of words."""
        self.cluster.apply(pod(name, self.name, *script, **spec))

    def status(self, name: str) -> dict[str, Any]:
        return self.cluster.get("Pod", name).get("status") or {}

    def container(self, name: str) -> dict[str, Any]:
        """The status of a pod's first container; empty as long as there is none."""
        return next(iter(self.status(name).get("containerStatuses") or ()), {})

    def wait(self, name: str, condition: Callable[[dict[str, Any]], T]) -> T:
        """What a condition says of a pod's status once it says anything."""
        return until(lambda: condition(self.status(name)), lambda: self.status(name))

    def log(self, name: str, attempt: int = 0) -> str:
        """What a pod's first container has said, without times and streams."""
        obj = self.cluster.get("Pod", name)
        metadata, container = obj["metadata"], obj["spec"]["containers"][0]["name"]
        place = f"{metadata['namespace']}_{name}_{metadata['uid']}/{container}/{attempt}.log"
        path = self.root / "logs" / place
        text = path.read_text() if path.exists() else ""
        return "".join(line.split(" ", 3)[3] + "\n" for line in text.splitlines())

    def events(self, about: str) -> list[tuple[str, str]]:
        """Reason and message of the events about an object."""
        return [
            (one["reason"], one.get("note") or one.get("message") or "")
            for one in self.cluster.list("Event")
            if (one.get("regarding") or one.get("involvedObject") or {}).get("name") == about
        ]

    def is_gone(self, name: str) -> bool:
        try:
            self.cluster.get("Pod", name)
        except RefusedError:
            return True
        return False


def pod(name: str, node: str, *script: str, **fields: Any) -> dict[str, Any]:
    command = ["sh", "-c", *script] if len(script) == 1 else list(script)
    container = {"name": "c", "image": "none", "command": command, **fields.pop("container", {})}
    usual = {"containers": [container], "terminationGracePeriodSeconds": 1}
    return objects.pod(name, on=node, app=name, **{**usual, **fields})


def until(condition: Callable[[], T], tell: Callable[[], object] = lambda: "") -> T:
    """Wait until something is so; what it is then."""
    end_s = time.monotonic() + PATIENCE_S
    while not (found := condition()):
        assert time.monotonic() < end_s, tell()
        time.sleep(0.05)
    return found


def node_command(cluster: Cluster, name: str, root: Path, *options: str) -> list[str]:
    return [
        *(sys.executable, "-m", "podium", "node", "--allow-root", "--name", name),
        *("--kubeconfig", str(cluster.node_kubeconfig(name)), "--root-dir", str(root), *options),
    ]


@contextmanager
def joined(cluster: Cluster, name: str, root: Path, *options: str) -> Iterator[Machine]:
    """A node that has joined the cluster, until the end of `with`."""
    command = node_command(cluster, name, root, *options)
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, text=True, preexec_fn=end_with_tests
    ) as process:
        try:
            assert process.stdout is not None
            assert process.stdout.readline().startswith(f"node {name} runs pods")
            until(lambda: is_ready(cluster, name))
            yield Machine(cluster, name, root, process)
        finally:
            if process.poll() is None:
                process.send_signal(signal.SIGTERM)
            process.wait(PATIENCE_S)


def is_ready(cluster: Cluster, name: str) -> bool:
    nodes = [one for one in cluster.list("Node") if one["metadata"]["name"] == name]
    return any(condition(node, "Ready") == "True" for node in nodes)


def condition(obj: Object, kind: str) -> str:
    """The status of a condition; empty if there is none."""
    conditions = (obj.get("status") or {}).get("conditions") or ()
    return next((one["status"] for one in conditions if one["type"] == kind), "")


def hog(size_bytes: int) -> str:
    """A command that takes so much memory, and keeps it."""
    return f"import time; x = bytearray({size_bytes}); print('full', flush=True); time.sleep(60)"


def available_bytes() -> int:
    return memory().available_bytes
