"""What some commands need besides what everybody installs."""

from collections.abc import Sequence
from importlib.util import find_spec

from podium.cli.options import InputError

_EXTRA = ("aiohttp", "kubernetes_asyncio")
_LACKS_EXTRA = "{} needs {}, which an extra brings along: pip install 'podium[{}]'"


def check_extra(who: str) -> None:
    """Find out whether there is a client of a cluster's API.

    Args:
        who: needs it, in words.

    Raises:
        InputError: there is none.
    """
    _check(who, _EXTRA, "client")


def check_experiments_extra(who: str, *packages: str) -> None:
    """Find out whether packages for experiments are there; raises InputError."""
    _check(who, packages, "experiments")


def check_optimal_extra(who: str) -> None:
    """Find out whether the exact solver is there; raises InputError."""
    _check(who, ("highspy",), "optimal")


def check_top_extra(who: str) -> None:
    """Find out whether the library of terminal views is there; raises InputError."""
    _check(who, ("textual",), "top")


def _check(who: str, packages: Sequence[str], extra: str) -> None:
    if missing := [one for one in packages if find_spec(one) is None]:
        raise InputError(_LACKS_EXTRA.format(who, " and ".join(missing), extra))
