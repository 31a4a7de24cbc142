"""What the steps of a scenario do that is written in more ways than one, and what they assert."""

from collections.abc import Mapping
from dataclasses import dataclass

from podium.api.objects import Object


@dataclass(frozen=True, slots=True)
class Target:
    """An object by kind, namespace (empty for what stands in none) and name."""

    kind: str
    namespace: str
    name: str

    def __str__(self) -> str:
        kind = self.kind.lower()
        namespaced = self.namespace and self.namespace != "default"
        return f"{kind} {self.namespace}/{self.name}" if namespaced else f"{kind} {self.name}"


@dataclass(frozen=True, slots=True)
class Apply:
    """Apply manifests as `kubectl apply --server-side --force-conflicts` does."""

    objects: tuple[Object, ...]


@dataclass(frozen=True, slots=True)
class Change:
    """Merge something into an object.

    Attributes:
        words: what that is, for the timeline, such as `falls silent`; empty where the object tells.
    """

    target: Target
    body: Object
    words: str


@dataclass(frozen=True, slots=True)
class Taint:
    """Taint a node, or take a taint off it.

    Attributes:
        removes: whether it is taken off; then the value doesn't matter.
    """

    node: str
    taint: Mapping[str, str]
    removes: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Check:
    """A condition that a scenario asserts; fields that it doesn't ask about are None or empty.

    Attributes:
        words: what it says, as it is told whether it holds.
        state: how it should be, such as `ready` or `gone`.
        most: at most so many; None for any number.
        reason: of events.
    """

    words: str
    target: Target
    selector: str = ""
    state: str = ""
    on: str = ""
    least: int = 1
    most: int | None = None
    allowed: int | None = None
    reason: str = ""


@dataclass(frozen=True, slots=True)
class Expect:
    """Assert that checks hold, now or within some time; the scenario goes on when they do.

    Attributes:
        checks: all of them must hold at one moment.
        within_s: how long to wait for that.
    """

    checks: tuple[Check, ...]
    within_s: float = 0.0
