"""A cluster with the real API, and the kubectls that are on this machine.

Without a kubectl on the PATH these tests are skipped, and say so. Beside it, kubectls of other
versions may be installed as `kubectl.1.29` and so on, as the Google Cloud CLI does.
"""

import os
import re
import shutil
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from podium import Cluster

OLDEST_MINOR = 29
_TIMEOUT_S = 60


@dataclass(frozen=True)
class Kubectl:
    """A kubectl that is set up for a cluster."""

    path: Path
    kubeconfig: Path
    home: Path

    def try_to(
        self, *args: str, stdin: str = "", editor: str = "false"
    ) -> subprocess.CompletedProcess[str]:
        """Run a command, which may fail."""
        environment = {
            "HOME": str(self.home),
            "KUBECONFIG": str(self.kubeconfig),
            "KUBE_EDITOR": editor,
            "PATH": os.environ["PATH"],
        }
        return subprocess.run(
            [str(self.path), *args],
            input=stdin,
            capture_output=True,
            text=True,
            timeout=_TIMEOUT_S,
            env=environment,
            check=False,
        )

    def __call__(self, *args: str, stdin: str = "") -> str:
        """What a command prints, which must succeed."""
        done = self.try_to(*args, stdin=stdin)
        assert done.returncode == 0, f"kubectl {' '.join(args)}: {done.stderr}"
        return done.stdout

    def fails_to(self, *args: str, stdin: str = "") -> str:
        """What a command complains about, which must fail."""
        done = self.try_to(*args, stdin=stdin)
        assert done.returncode != 0, done.stdout
        return done.stderr


def installed() -> dict[str, Path]:
    """The kubectls of this machine, by version where their name tells it."""
    found = shutil.which("kubectl")
    if found is None:
        return {}
    directory = Path(found).resolve().parent
    others = {
        match[1]: path
        for path in sorted(directory.glob("kubectl.1.*"))
        if (match := re.fullmatch(r"kubectl\.(1\.(\d+))", path.name))
        and int(match[2]) >= OLDEST_MINOR
    }
    return {"kubectl": Path(found), **others}


INSTALLED = installed()

# All of them take a while: usually the one on the PATH and the oldest must do.
_SOME = tuple(INSTALLED)[:2] or ("kubectl",)
_REST = [pytest.param(name, marks=pytest.mark.soak) for name in tuple(INSTALLED)[2:]]


@pytest.fixture(scope="session")
def cluster() -> Iterator[Cluster]:
    """A cluster whose time passes ten times as fast, for all tests."""
    with Cluster(nodes=3, speed="10x") as running:
        yield running


def _set_up(name: str, cluster: Cluster, home: Path) -> Kubectl:
    if name not in INSTALLED:
        pytest.skip("no kubectl on the PATH")
    return Kubectl(INSTALLED[name], cluster.kubeconfig, home)


@pytest.fixture
def kubectl(cluster: Cluster, tmp_path: Path) -> Kubectl:
    """The kubectl on the PATH."""
    return _set_up("kubectl", cluster, tmp_path)


@pytest.fixture(params=[*_SOME, *_REST])
def any_kubectl(request: pytest.FixtureRequest, cluster: Cluster, tmp_path: Path) -> Kubectl:
    """Each kubectl there is, one after the other."""
    return _set_up(request.param, cluster, tmp_path)


@pytest.fixture
def namespace(request: pytest.FixtureRequest, cluster: Cluster) -> str:
    """A namespace for one test."""
    name = re.sub("[^a-z0-9]+", "-", request.node.name.lower()).strip("-")
    cluster.apply({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name}})
    return name
