"""The address, trusted authority and credentials of an API server, by kubeconfig or in a pod.

What kubeconfigs may say of credentials (tokens, certificates, plugins that are run, OpenID) is
kubernetes_asyncio's to know.
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
    """No kubeconfig leads to an API server."""


class Connection(msgspec.Struct):
    """Address and credentials of an API server.

    Attributes:
        url: without a slash at its end.
        tls: whom to trust, and the client's certificate; None for plain HTTP.
        server_name: what the server's certificate is to be about, if not the host; else empty.
        proxy: through which to go; empty for none.
        authority: the file of whom the kubeconfig trusts; empty if it names nobody.
        impersonated_user: the user as whom requests are made; empty for the authenticated one.
        request_s: how long a request may take, in seconds; 0 for no limit, None for the usual.
    """

    url: str
    tls: ssl.SSLContext | None
    server_name: str
    proxy: str
    authority: str
    _configuration: Configuration
    _load: Callable[[], Awaitable[Configuration]]
    impersonated_user: str = ""
    request_s: float | None = None

    async def authorization(self) -> str:
        """The Authorization header; empty if a client certificate authenticates.

        Raises:
            MissingConnectionError: a token that has to be read anew can't be.
        """
        try:
            return str(await self._configuration.get_api_key_with_prefix(_BEARER) or "")
        except (ConfigException, OSError) as error:
            raise MissingConnectionError(f"the token can't be read: {error}") from None

    async def renew(self) -> None:
        """Read refused credentials again; raises MissingConnectionError if they can't be."""
        self._configuration = await self._load()


async def load_connection(kubeconfig: str | None = None, context: str | None = None) -> Connection:
    """The connection that kubectl would take; raises MissingConnectionError."""
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

    found = await load()
    try:
        tls = _tls(found)
    except (OSError, ssl.SSLError) as error:
        raise MissingConnectionError(f"{where}: a certificate can't be used: {error}") from None
    return Connection(
        url=str(found.host).rstrip("/"),
        tls=tls,
        server_name=str(found.tls_server_name or ""),
        proxy=str(found.proxy or ""),
        authority=str(found.ssl_ca_cert or ""),
        _configuration=found,
        _load=load,
    )


async def _configuration(where: str | None, context: str | None) -> Configuration:
    made = Configuration()
    if where is None:
        config.load_incluster_config(made)  # type: ignore[no-untyped-call]
    else:
        for path in filter(None, where.split(os.pathsep)):
            try:
                content = yaml.safe_load(Path(path).expanduser().read_bytes())
            except yaml.YAMLError as error:
                raise ConfigException(f"isn't YAML: {error}") from None
            if not isinstance(content, dict):
                raise ConfigException("isn't a kubeconfig")
        await config.load_kube_config(
            config_file=where, context=context, client_configuration=made, persist_config=False
        )
    return made


def _tls(found: Configuration) -> ssl.SSLContext | None:
    if not str(found.host).startswith("https:"):
        return None
    context = ssl.create_default_context(cafile=found.ssl_ca_cert or None)
    # Authorities of clusters often lack what Python began to insist on later than Go.
    context.verify_flags &= ~ssl.VERIFY_X509_STRICT
    if found.cert_file:
        context.load_cert_chain(found.cert_file, keyfile=found.key_file or None)
    if not found.verify_ssl:
        context.check_hostname = False
        context.verify_mode = ssl.CERT_NONE
    return context
