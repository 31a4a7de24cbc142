"""Which verbs kinds take, and what their subresources are.

Routing and discovery both read it here, so that what is announced is what works.
"""

from collections.abc import Mapping

from podium.api.kinds import Kind
from podium.apiserver.schema.bodies import REVIEWS

_ALL_VERBS = ("create", "delete", "deletecollection", "get", "list", "patch", "update", "watch")
_EDITED = ("get", "patch", "update")
_SUBRESOURCE_VERBS: Mapping[str, tuple[str, ...]] = {
    "binding": ("create",),
    "eviction": ("create",),
    "finalize": ("update",),
    "log": ("get",),
    "resize": _EDITED,
    "scale": _EDITED,
    "status": _EDITED,
}
# Nobody deletes all namespaces at once.
_WITHOUT: Mapping[str, frozenset[str]] = {"Namespace": frozenset({"deletecollection"})}

SUBRESOURCE_KINDS: Mapping[str, tuple[str, str, str]] = {
    "binding": ("", "v1", "Binding"),
    "eviction": ("policy", "v1", "Eviction"),
    "scale": ("autoscaling", "v1", "Scale"),
}
"""Group, version and kind of what a subresource takes, where it isn't the kind itself."""

CONNECTIONS = ("attach", "exec", "portforward", "proxy")
"""Ways to what runs in a pod. They aren't announced, and lead nowhere, as nothing does."""

TOKEN = "token"
"""What a service account would get for others to act as it. It isn't announced, and not given."""

CONNECTING = ("create", "get")
"""The verbs of connections."""

BINDINGS = "bindings"
"""A second way to bind: a collection that takes Bindings, and that nobody can read."""


def verbs(kind: Kind, subresource: str = "") -> tuple[str, ...]:
    """The verbs that a kind, or a subresource of it, takes; none if it has no such subresource."""
    if kind.key in REVIEWS:
        return () if subresource else ("create",)
    if not subresource:
        return tuple(verb for verb in _ALL_VERBS if verb not in _WITHOUT.get(kind.key, ()))
    if kind.key == "Pod" and subresource in CONNECTIONS:
        return CONNECTING
    if kind.key == "ServiceAccount" and subresource == TOKEN:
        return ("create",)
    return _SUBRESOURCE_VERBS[subresource] if subresource in kind.subresources else ()


def api_version(group: str, version: str) -> str:
    """As in an object's `apiVersion`."""
    return f"{group}/{version}" if group else version
