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
    """Raise InputError if packages of an extra aren't installed.

    Args:
        feature: what needs the packages, as text for the message.
        extra: name of the extra; `client` is for access to API servers.
        packages: the packages to check; all packages of the extra if none are given.
    """
    if missing := [one for one in packages or _PACKAGES[extra] if find_spec(one) is None]:
        raise InputError(f"{feature} needs {' and '.join(missing)}: pip install 'podium[{extra}]'")
