"""Errors of inputs and options, among them packages that aren't installed."""

from importlib.util import find_spec

from podium.api.errors import PodiumError

_PACKAGES = {
    "client": ("aiohttp", "kubernetes_asyncio"),
    "optimal": ("highspy",),
    "top": ("textual",),
}


class InputError(PodiumError):
    """An input can't be read, or options contradict each other."""


def check_extra(feature: str, extra: str = "client", *packages: str) -> None:
    """Raise InputError if packages of an extra aren't installed.

    Args:
        feature: what needs them, in the message.
        extra: name of the extra; `client` has a client for API servers.
        packages: the packages, of an extra of which a feature doesn't need all.
    """
    if missing := [one for one in packages or _PACKAGES[extra] if find_spec(one) is None]:
        raise InputError(f"{feature} needs {' and '.join(missing)}: pip install 'podium[{extra}]'")
