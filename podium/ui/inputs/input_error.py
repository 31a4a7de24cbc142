"""Errors about inputs and options, and about packages that aren't installed."""

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
    """Raise InputError if packages of an extra aren't installed; `client` is for API servers.

    The message begins with `feature`. Without `packages`, all packages of the extra are checked.
    """
    if missing := [one for one in packages or _PACKAGES[extra] if find_spec(one) is None]:
        raise InputError(f"{feature} needs {' and '.join(missing)}: pip install 'podium[{extra}]'")
