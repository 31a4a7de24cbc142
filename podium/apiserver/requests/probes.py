"""What a server tells of itself: its version, whether it is well, and where it can be asked."""

from collections.abc import Sequence
from typing import Any

from podium import __version__
from podium.apiserver.requests.served import GROUPS, KINDS_BY_PLURAL, api_version

MAJOR, MINOR, PATCH = "1", "36", "2"

# Whoever answers at all is well: nothing that could fail stands behind this server.
_CHECK = "ping"
_HEALTH = ("healthz", "livez", "readyz")


def version() -> dict[str, Any]:
    """The `Info` that `kubectl version` prints: Kubernetes' version, with Podium's as its build.

    Clients expect all of the fields; there is no Go and no platform to tell of.
    """
    return {
        "major": MAJOR,
        "minor": MINOR,
        "gitVersion": f"v{MAJOR}.{MINOR}.{PATCH}+podium.{__version__}",
        "gitCommit": "",
        "gitTreeState": "",
        "buildDate": "",
        "goVersion": "",
        "compiler": "",
        "platform": "",
    }


def health(segments: Sequence[str], *, verbose: bool) -> str | None:
    """The answer to the question whether all is well; None for paths that don't ask.

    Args:
        segments: the path, split at its slashes.
        verbose: whether each check is told.
    """
    match segments:
        case [question] if question in _HEALTH:
            return f"[+]{_CHECK} ok\n{question} check passed\n" if verbose else "ok"
        case [question, check] if question in _HEALTH and check == _CHECK:
            return "ok"
    return None


def index() -> dict[str, Any]:
    """All paths that tell what is there."""
    groups = [f"/apis/{group}" for group in GROUPS if group]
    versions = [
        f"/{'apis' if group else 'api'}/{api_version(group, version)}"
        for group, version in KINDS_BY_PLURAL
    ]
    own = [f"/{question}" for question in _HEALTH] + ["/openapi/v2", "/openapi/v3", "/version"]
    return {"paths": sorted({"/api", "/apis", *groups, *versions, *own})}
