"""The cluster on the network: certificates, tokens, server, and a kubeconfig that leads there."""

import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from functools import partial
from random import Random

from podium.embedded.defaults import USUAL_PORT
from podium.embedded.directory import DataDirectory
from podium.server.app import ApiApp
from podium.server.backend import Backend
from podium.server.certificates import kept_certificates
from podium.server.kubeconfig import write_kubeconfig
from podium.server.limits import Limits
from podium.server.node_tokens import NodeTokens, Several
from podium.server.serving import CannotListenError, Serving
from podium.server.tokens import kept_tokens
from podium.server.users import tokens_of


@asynccontextmanager
async def served(
    backend: Backend,
    directory: DataDirectory,
    *,
    port: int | None,
    is_insecure: bool,
    publish_authority: Callable[[str], None],
    rng: Random,
) -> AsyncIterator[str]:
    """Serve a cluster until the end of `async with`.

    Args:
        backend: answers.
        directory: keeps certificates and tokens, and gets the kubeconfig once clients are answered.
        port: of the loopback interface; 0 for any that is free; None for the usual one, so that
            kubeconfigs and bookmarks stay true, or, if that is in use, any.
        is_insecure: whether to speak plain HTTP.
        publish_authority: tells clients who certifies the server, in PEM; not called without TLS.
        rng: chooses what the server leaves to chance.

    Yields:
        Where the API is.

    Raises:
        PodiumError: the port can't be listened at, or a file isn't as it must be.
    """
    tokens = kept_tokens(directory.path / "tokens")
    certificates, authority = None, None
    if not is_insecure:
        certificates = kept_certificates(directory.path / "tls", time.time())
        authority = certificates.authority.read_bytes()
        publish_authority(authority.decode())
    limits = Limits()
    users = Several(tokens_of(tokens.admin, tokens.reader), NodeTokens(tokens.nodes))
    app = ApiApp(backend, users, limits, rng)
    start = partial(Serving.start, app, limits, certificates=certificates)
    try:
        serving = await start(port=USUAL_PORT if port is None else port)
    except CannotListenError:
        if port is not None:
            raise
        serving = await start(port=0)
    try:
        write_kubeconfig(directory.kubeconfig, serving.url, tokens.admin, authority)
        yield serving.url
    finally:
        directory.kubeconfig.unlink(missing_ok=True)
        await serving.stop()
