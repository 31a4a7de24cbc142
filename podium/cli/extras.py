"""What some commands need besides what everybody installs."""

from importlib.util import find_spec

from podium.cli.options import InputError

_EXTRA = ("aiohttp", "kubernetes_asyncio")
_LACKS_EXTRA = "{} needs {}, which an extra brings along: pip install 'podium[client]'"


def check_extra(who: str) -> None:
    """Find out whether there is a client of a cluster's API.

    Args:
        who: needs it, in words.

    Raises:
        InputError: there is none.
    """
    if missing := [one for one in _EXTRA if find_spec(one) is None]:
        raise InputError(_LACKS_EXTRA.format(who, " and ".join(missing)))
