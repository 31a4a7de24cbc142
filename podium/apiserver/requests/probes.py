"""What a server tells of itself: its version, whether it is well, and where it can be asked."""

from collections.abc import Mapping, Sequence
from typing import Any

from podium import __version__
from podium.apiserver.registry import BUILT_IN, Registry
from podium.apiserver.requests.routes import api_version

MAJOR, MINOR, PATCH = "1", "36", "2"

# Whoever answers at all is alive.
_CHECK = "ping"
_READY = "readyz"
_HEALTH = ("healthz", "livez", _READY)


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


def health(
    segments: Sequence[str], checks: Mapping[str, str], *, verbose: bool
) -> tuple[int, str] | None:
    """The answer to the question whether all is well; None for paths that don't ask.

    Args:
        segments: the path, split at its slashes.
        checks: what the server is ready by, besides itself: by name what is wrong, or nothing.
        verbose: whether each check is told; they are anyway if one fails.

    Returns:
        The code and the text.
    """
    if not segments or segments[0] not in _HEALTH:
        return None
    question, one = segments[0], "/".join(segments[1:])
    found = {_CHECK: "", **(checks if question == _READY else {})}
    if one:
        if one not in found:
            return None
        return (500, f"internal server error: {found[one]}\n") if found[one] else (200, "ok")
    fails = any(found.values())
    if not fails and not verbose:
        return 200, "ok"
    lines = [f"[-]{name} failed: {why}" if why else f"[+]{name} ok" for name, why in found.items()]
    lines.append(f"{question} check {'failed' if fails else 'passed'}\n")
    return 500 if fails else 200, "\n".join(lines)


def index(kinds: Registry = BUILT_IN) -> dict[str, Any]:
    """All paths that tell what is there."""
    groups = [f"/apis/{group}" for group in kinds.groups if group]
    versions = [
        f"/{'apis' if group else 'api'}/{api_version(group, version)}"
        for group, version in kinds.by_plural
    ]
    own = [f"/{question}" for question in _HEALTH] + ["/openapi/v2", "/openapi/v3", "/version"]
    return {"paths": sorted({"/api", "/apis", *groups, *versions, *own})}
