"""The real etcd and kube-apiserver on loopback, for tests that ask them."""

import os
import signal
import socket
import ssl
import subprocess
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx
import yaml
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import rsa

from podium.server.certificates import kept_certificates, new_kubelet_client

SHARED = Path(__file__).resolve().parents[3] / "shared" / "reference" / "control-plane.sh"
BINARIES = ("etcd", "kube-apiserver")
PATIENCE_S = 120.0
"""How long anything may take that is to come about; only a failure takes so long."""
ADMIN = "admintoken"

Json = dict[str, Any]


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
class ControlPlane:
    """An API server with all its rights checked, and the etcd behind it.

    Attributes:
        binaries: where they are.
        directory: everything is kept there.
        users: groups, and the user of each token.
    """

    binaries: Path
    directory: Path
    users: Mapping[str, tuple[str, Sequence[str]]] = field(default_factory=dict)

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
        tls = ssl.create_default_context()
        tls.check_hostname, tls.verify_mode = False, ssl.CERT_NONE
        self.client = httpx.Client(
            base_url=self.url,
            verify=tls,
            headers={"Authorization": f"Bearer {ADMIN}"},
            timeout=PATIENCE_S,
        )

    @property
    def url(self) -> str:
        return f"https://127.0.0.1:{self.port}"

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
            *("--shutdown-delay-duration", "0s", "--profiling=false"),
            # Nodes are asked for logs with a certificate by an authority of their own.
            *("--kubelet-preferred-address-types", "InternalIP"),
            *("--kubelet-client-certificate", str(self._kubelet_client.certificate)),
            *("--kubelet-client-key", str(self._kubelet_client.key)),
        )
        self._wait_until_ready()

    def launch(self, name: str, *arguments: str) -> "subprocess.Popen[bytes]":
        """Start another of the control plane's programs."""
        self._launch(name, "--kubeconfig", str(self.kubeconfig()), *arguments)
        return self._running[name]

    def close(self) -> None:
        self.client.close()
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

    def kubeconfig(self, token: str = ADMIN, url: str = "") -> Path:
        """A kubeconfig of a user, whose way may lead through a proxy."""
        server = url or self.url
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

    def ask(self, method: str, path: str, body: Json | None = None, **headers: str) -> Json:
        response = self.request(method, path, body, **headers)
        response.raise_for_status()
        return dict(response.json())

    def merge(self, path: str, body: Json) -> Json:
        return self.ask("PATCH", path, body, **{"Content-Type": "application/merge-patch+json"})

    def compact(self) -> None:
        """Have etcd forget all history."""
        etcd = f"http://127.0.0.1:{self._etcd_port}/v3/kv"
        found = httpx.post(f"{etcd}/range", json={"key": "AA=="}).json()
        revision = found["header"]["revision"]
        httpx.post(f"{etcd}/compaction", json={"revision": revision}).raise_for_status()

    def _launch(self, name: str, *arguments: str) -> None:
        with (self.directory / f"{name}.log").open("ab") as log:
            command = [str(self.binaries / name), *arguments]
            self._running[name] = subprocess.Popen(command, stdout=log, stderr=log)

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
