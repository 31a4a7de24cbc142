"""The real etcd and kube-apiserver on loopback, for tests that ask them."""

import os
import signal
import socket
import subprocess
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import httpx
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import rsa

from podium.apiserver.http.certificates import kept_certificates, new_kubelet_client
from tests.cluster.real.server import PATIENCE_S, Server
from tests.conftest import ROOT
from tests.processes import end_with_tests

SHARED = ROOT.parent / "shared" / "reference" / "control-plane.sh"
BINARIES = ("etcd", "kube-apiserver")
ADMIN = "admintoken"


def assets() -> Path | None:
    """Where the binaries are; None if they are nowhere."""
    named = os.environ.get("KUBEBUILDER_ASSETS")
    if named and all((Path(named) / name).exists() for name in BINARIES):
        return Path(named)
    if SHARED.exists():
        done = subprocess.run(["bash", str(SHARED), "unpack"], capture_output=True, check=True)
        return Path(done.stdout.decode().strip())
    return None


def free_port() -> int:
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return int(one.getsockname()[1])


@dataclass
class ControlPlane(Server):
    """An API server with all its rights checked, and the etcd behind it.

    Attributes:
        binaries: where they are.
        directory: everything is kept there.
        users: groups, and the user of each token.
        flags: further ones of the API server.
    """

    binaries: Path
    directory: Path
    users: Mapping[str, tuple[str, Sequence[str]]] = field(default_factory=dict)
    flags: Sequence[str] = ()

    def __post_init__(self) -> None:
        self.port, self._etcd_port = free_port(), free_port()
        self._running: dict[str, subprocess.Popen[bytes]] = {}
        _write_keys(self.directory)
        pki = self.directory / "kubelet-pki"
        self.kubelet_authority = kept_certificates(pki, time.time()).authority
        self._kubelet_client = new_kubelet_client(pki, time.time())
        known = {ADMIN: ("admin", ("system:masters",)), **self.users}
        lines = [f'{token},{user},{user},"{",".join(of)}"' for token, (user, of) in known.items()]
        (self.directory / "tokens.csv").write_text("\n".join(lines))
        self.connect(f"https://127.0.0.1:{self.port}", ADMIN)

    def start(self) -> None:
        peer, client = f"http://127.0.0.1:{free_port()}", f"http://127.0.0.1:{self._etcd_port}"
        self._launch(
            "etcd",
            *("--name", "default", "--data-dir", str(self.directory / "etcd")),
            *("--listen-client-urls", client, "--advertise-client-urls", client),
            *("--listen-peer-urls", peer, "--initial-advertise-peer-urls", peer),
            *("--initial-cluster", f"default={peer}", "--unsafe-no-fsync"),
        )
        self.start_api_server()

    def start_api_server(self) -> None:
        here = self.directory
        self._launch(
            "kube-apiserver",
            *("--etcd-servers", f"http://127.0.0.1:{self._etcd_port}"),
            *("--bind-address", "127.0.0.1", "--advertise-address", "127.0.0.1"),
            *("--secure-port", str(self.port), "--cert-dir", str(here / "certs")),
            *("--token-auth-file", str(here / "tokens.csv")),
            *("--authorization-mode", "Node,RBAC", "--service-cluster-ip-range", "10.0.0.0/24"),
            *("--endpoint-reconciler-type", "none", "--service-account-issuer", "https://k8s"),
            *("--service-account-key-file", str(here / "sa.pub")),
            *("--service-account-signing-key-file", str(here / "sa.key")),
            # No controller takes the taint away that TaintNodesByCondition gives.
            *("--disable-admission-plugins", "ServiceAccount,TaintNodesByCondition"),
            *("--enable-admission-plugins", "NodeRestriction"),
            *("--shutdown-delay-duration", "0s", "--profiling=false"),
            # Nodes are asked for logs with a certificate by an authority of their own.
            *("--kubelet-preferred-address-types", "InternalIP"),
            *("--kubelet-client-certificate", str(self._kubelet_client.certificate)),
            *("--kubelet-client-key", str(self._kubelet_client.key)),
            *self.flags,
        )
        self._wait_until_ready()

    def launch(self, name: str, *arguments: str) -> "subprocess.Popen[bytes]":
        """Start another of the control plane's programs."""
        self._launch(name, "--kubeconfig", str(self.kubeconfig()), *arguments)
        return self._running[name]

    def close(self) -> None:
        super().close()
        self.stop()

    def stop(self, *names: str) -> None:
        """Stop some, or all, of what was started."""
        for name in names or [*reversed(self._running)]:
            process = self._running.pop(name, None)
            if process is None:
                continue
            process.send_signal(signal.SIGTERM)
            try:
                process.wait(5)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()

    def restart(self) -> None:
        self.stop("kube-apiserver")
        self.start_api_server()
        self.compact()

    def compact(self) -> None:
        """Have etcd forget all history."""
        etcd = f"http://127.0.0.1:{self._etcd_port}/v3/kv"
        found = httpx.post(f"{etcd}/range", json={"key": "AA=="}).json()
        revision = found["header"]["revision"]
        httpx.post(f"{etcd}/compaction", json={"revision": revision}).raise_for_status()

    def _launch(self, name: str, *arguments: str) -> None:
        with (self.directory / f"{name}.log").open("ab") as log:
            command = [str(self.binaries / name), *arguments]
            self._running[name] = subprocess.Popen(
                command, stdout=log, stderr=log, preexec_fn=end_with_tests
            )

    def _wait_until_ready(self) -> None:
        until_s = time.monotonic() + PATIENCE_S
        while time.monotonic() < until_s:
            try:
                if self.client.get("/readyz").status_code == 200:
                    return
            except httpx.TransportError:
                pass
            if self._running["kube-apiserver"].poll() is not None:
                break
            time.sleep(0.1)
        log = (self.directory / "kube-apiserver.log").read_text()
        raise RuntimeError(f"kube-apiserver isn't ready: {log[-1000:]}")


def _write_keys(directory: Path) -> None:
    key = rsa.generate_private_key(public_exponent=65537, key_size=2048)
    pem, plain = serialization.Encoding.PEM, serialization.NoEncryption()
    private = key.private_bytes(pem, serialization.PrivateFormat.TraditionalOpenSSL, plain)
    public = key.public_key().public_bytes(pem, serialization.PublicFormat.SubjectPublicKeyInfo)
    (directory / "sa.key").write_bytes(private)
    (directory / "sa.pub").write_bytes(public)
