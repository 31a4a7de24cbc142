"""The address, trusted authority and credentials of an API server, by kubeconfig or in a pod.

kubernetes_asyncio reads the credentials: tokens, certificates, exec plugins and OpenID.
"""

import os
import ssl
from collections.abc import Awaitable, Callable
from pathlib import Path

import msgspec
import yaml
from kubernetes_asyncio import config
from kubernetes_asyncio.client.configuration import Configuration
from kubernetes_asyncio.config.config_exception import ConfigException

from podium.api.errors import PodiumError
from podium.cluster.client.kubeconfig_contexts import FILES, USUAL_FILE

_BEARER = "BearerToken"
_IN_CLUSTER = "KUBERNETES_SERVICE_HOST"


class MissingConnectionError(PodiumError):
    """An API server's address or credentials are missing or can't be read."""


class Connection(msgspec.Struct):
    """Address and credentials of an API server."""

    url: str
    tls: ssl.SSLContext | None
    server_name: str
    """Name expected in the server's certificate; empty for the URL's host."""
    proxy: str
    authority: str
    _configuration: Configuration
    _load: Callable[[], Awaitable[Configuration]]
    impersonated_user: str = ""
    """User to impersonate in requests; empty for none."""
    request_s: float | None = None
    """Timeout of a request, in seconds; 0 for no limit, None for the client's own."""

    async def authorization(self) -> str:
        """Return the Authorization header, if any; raises MissingConnectionError."""
        try:
            return str(await self._configuration.get_api_key_with_prefix(_BEARER) or "")
        except (ConfigException, OSError) as error:
            raise MissingConnectionError(f"the token can't be read: {error}") from None

    async def renew(self) -> None:
        """Reload credentials that the server has refused; raises MissingConnectionError."""
        self._configuration = await self._load()


async def load_connection(kubeconfig: str | None = None, context: str | None = None) -> Connection:
    """Load the connection that kubectl would use, also in a pod; raises MissingConnectionError."""
    usual = Path(USUAL_FILE).expanduser()
    where = kubeconfig or os.environ.get(FILES) or (str(usual) if usual.exists() else None)
    if where is None and _IN_CLUSTER not in os.environ:
        raise MissingConnectionError(
            f"no kubeconfig: name one, or set {FILES}, or write {USUAL_FILE}"
        )

    async def load() -> Configuration:
        try:
            return await _configuration(where, context)
        except (ConfigException, OSError, ValueError) as error:
            why = getattr(error, "strerror", None) or error
            raise MissingConnectionError(f"{where or 'the service account'}: {why}") from None

    loaded = await load()
    tls = None
    if str(loaded.host).startswith("https:"):
        try:
            tls = ssl.create_default_context(cafile=loaded.ssl_ca_cert or None)
            if loaded.cert_file:
                tls.load_cert_chain(loaded.cert_file, keyfile=loaded.key_file or None)
        except (OSError, ssl.SSLError) as error:
            raise MissingConnectionError(f"{where}: a certificate can't be used: {error}") from None
        # Authorities of clusters often lack extensions that Python has required later than Go.
        tls.verify_flags &= ~ssl.VERIFY_X509_STRICT
        if not loaded.verify_ssl:
            tls.check_hostname = False
            tls.verify_mode = ssl.CERT_NONE
    return Connection(
        url=str(loaded.host).rstrip("/"),
        tls=tls,
        server_name=str(loaded.tls_server_name or ""),
        proxy=str(loaded.proxy or ""),
        authority=str(loaded.ssl_ca_cert or ""),
        _configuration=loaded,
        _load=load,
    )


async def _configuration(where: str | None, context: str | None) -> Configuration:
    loaded = Configuration()
    if where is None:
        config.load_incluster_config(loaded)  # type: ignore[no-untyped-call]
        return loaded
    for path in filter(None, where.split(os.pathsep)):
        try:
            content = yaml.safe_load(Path(path).expanduser().read_bytes())
        except yaml.YAMLError as error:
            raise ConfigException(f"isn't YAML: {error}") from None
        if not isinstance(content, dict):
            raise ConfigException("isn't a kubeconfig")
    await config.load_kube_config(
        config_file=where, context=context, client_configuration=loaded, persist_config=False
    )
    return loaded
