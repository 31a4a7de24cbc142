"""The HTTP server of an embedded cluster, with its certificates, tokens and kubeconfig."""

import json
import socket
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import partial
from ipaddress import ip_address
from random import Random

import msgspec

from podium.apiserver.authentication.users import ADMIN, READER, ServiceAccountTokens
from podium.apiserver.http.certificates import LOCAL_NAMES, kept_certificates, new_kubelet_client
from podium.apiserver.http.http_app import ApiApp, Backend
from podium.apiserver.http.http_server import CannotListenError, Serving
from podium.apiserver.http.limits import Limits
from podium.apiserver.http.streams import NodeLogs
from podium.apiserver.http.users import Tokens, kept_tokens, node_by_token
from podium.cluster.embedded.defaults import USUAL_PORT
from podium.cluster.embedded.directory import DataDirectory
from podium.cluster.embedded.kubeconfig import write_kubeconfig
from podium.cluster.virtual import Cluster
from podium.cluster.virtual.kubectl_apply import apply

NAMESPACE, NAME = "kube-system", "extension-apiserver-authentication"

_HEADERS = {
    "requestheader-username-headers": ["X-Remote-User"],
    "requestheader-group-headers": ["X-Remote-Group"],
    "requestheader-extra-headers-prefix": ["X-Remote-Extra-"],
    "requestheader-allowed-names": ["front-proxy-client"],
}
_AUTHORITIES = ("client-ca-file", "requestheader-client-ca-file")


class Served(msgspec.Struct, frozen=True):
    """The URL, application and credentials of a served cluster."""

    url: str
    app: ApiApp
    users: Tokens
    reader_token: str


@asynccontextmanager
async def served(
    backend: Backend,
    cluster: Cluster,
    directory: DataDirectory,
    *,
    address: str,
    port: int | None,
    is_insecure: bool,
    rng: Random,
) -> AsyncIterator[Served]:
    """Serve a cluster inside of `async with`.

    The port None is 26443, so that kubeconfigs and bookmarks stay valid, or any free port if that
    is in use; 0 is any free port.
    """
    tokens = kept_tokens(directory.path / "tokens")
    certificates, authority, node_logs = None, None, None
    if not is_insecure:
        others = () if address in LOCAL_NAMES else (socket.gethostname(), *_addresses(address))
        names = [*dict.fromkeys((*LOCAL_NAMES, *others))]
        certificates = kept_certificates(directory.path / "tls", time.time(), names)
        authority = certificates.authority.read_bytes()
        node_logs = NodeLogs(new_kubelet_client(directory.path / "tls", time.time()))
        cluster.server.reaches_nodes = True
        # kube-scheduler and kube-controller-manager authenticate their own clients by this.
        data = {name: json.dumps(values) for name, values in _HEADERS.items()}
        data |= dict.fromkeys(_AUTHORITIES, authority.decode())
        header = {"apiVersion": "v1", "kind": "ConfigMap"}
        metadata = {"name": NAME, "namespace": NAMESPACE}
        apply(cluster, {**header, "metadata": metadata, "data": data}, "podium")
    limits = Limits()
    issued = ServiceAccountTokens(tokens.service_accounts.encode(), cluster.store)
    cluster.server.service_account_tokens = issued
    users = Tokens(
        {tokens.admin: ADMIN, tokens.reader: READER},
        partial(node_by_token, tokens.nodes),
        lambda token: issued.user(token, backend.now_s()),
    )
    app = ApiApp(backend, users, limits, rng, node_logs)
    start = partial(Serving.start, app, limits, host=address, certificates=certificates)
    try:
        serving = await start(port=USUAL_PORT if port is None else port)
    except CannotListenError:
        if port is not None:
            raise
        serving = await start(port=0)
    try:
        write_kubeconfig(directory.kubeconfig, serving.url, tokens.admin, authority)
        yield Served(serving.url, app, users, tokens.reader)
    finally:
        directory.forget_links()
        await serving.stop()


def _addresses(address: str) -> list[str]:
    """Return the IP addresses by which clients reach a server that listens at an address."""
    if not ip_address(address).is_unspecified:
        return [address]
    try:
        infos = socket.getaddrinfo(socket.gethostname(), None)
    except OSError:
        return []
    return sorted({str(info[4][0]).partition("%")[0] for info in infos})
