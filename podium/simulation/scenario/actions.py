"""What the steps of a scenario do that is written in more ways than one, and what they assert."""

from collections.abc import Mapping
from dataclasses import dataclass

import msgspec

from podium.api.objects import Object


@dataclass(frozen=True, slots=True)
class ActionTarget:
    """An object by kind, namespace (empty for what stands in none) and name."""

    kind: str
    namespace: str
    name: str

    def __str__(self) -> str:
        kind = self.kind.lower()
        namespaced = self.namespace and self.namespace != "default"
        return f"{kind} {self.namespace}/{self.name}" if namespaced else f"{kind} {self.name}"


class ServerSideApply(msgspec.Struct, frozen=True):
    """Apply manifests as `kubectl apply --server-side --force-conflicts` does."""

    objects: tuple[Object, ...]


class Merge(msgspec.Struct, frozen=True):
    """Merge something into an object.

    Attributes:
        words: what that is, for the timeline, such as `falls silent`; empty where the object tells.
    """

    target: ActionTarget
    body: Object
    words: str


class Taint(msgspec.Struct, frozen=True):
    """Taint a node, or take a taint off it."""

    node: str
    taint: Mapping[str, str]
    removes: bool = False
