"""What some commands need besides what everybody installs."""

from collections.abc import Mapping
from importlib.util import find_spec

from podium.ui.inputs.input_error import InputError

_PACKAGES: Mapping[str, tuple[str, ...]] = {
    "client": ("aiohttp", "kubernetes_asyncio"),
    "optimal": ("highspy",),
    "top": ("textual",),
}


def check_extra(who: str, extra: str = "client", *packages: str) -> None:
    """Find out whether what an extra brings along is there; raises InputError.

    Args:
        extra: its name; `client` has a client of a cluster's API.
        packages: those that are needed of `experiments`, which has several.
    """
    if missing := [one for one in packages or _PACKAGES[extra] if find_spec(one) is None]:
        needed = " and ".join(missing)
        raise InputError(
            f"{who} needs {needed}, which an extra brings along: pip install 'podium[{extra}]'"
        )
