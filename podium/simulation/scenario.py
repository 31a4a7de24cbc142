"""A scenario as values: what `reading` makes of a file, and `simulating` plays."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from podium.api.objects import Object
from podium.cluster import ClusterOptions

API_VERSION = "podium.dev/v1alpha1"
KIND = "Scenario"

RETRY_S = 5.0
"""How long `kubectl drain` waits after a budget's refusal."""


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
class Delete:
    """Delete objects.

    Attributes:
        grace_period_s: how long pods may take; None leaves it to them.
    """

    targets: tuple[Target, ...]
    grace_period_s: int | None = None


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
class Drain:
    """Cordon a node and evict its pods, as `kubectl drain` does.

    Attributes:
        timeout_s: when to give up; None for never.
        grace_period_s: how long pods may take; None leaves it to them.
        ignore_daemon_sets: whether pods of DaemonSets are left alone; otherwise they keep the node
            from being drained.
        retry_s: how long to wait after a budget's refusal.
    """

    node: str
    timeout_s: float | None = None
    grace_period_s: int | None = None
    force: bool = False
    ignore_daemon_sets: bool = True
    delete_empty_dir_data: bool = False
    retry_s: float = RETRY_S


@dataclass(frozen=True, slots=True)
class SetFaults:
    """Set how often calls, watches and machines fail from now on.

    Attributes:
        rates: by the names of the fields of `podium.runtime.faults.Faults`.
    """

    rates: Mapping[str, float]


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


Action = Apply | Delete | Change | Taint | Drain | SetFaults | Expect


@dataclass(frozen=True, slots=True)
class Step:
    """A step of a scenario: an action, and when it happens.

    Attributes:
        path: where it stands in the file, such as `spec.steps[3]`.
        at_s: when it happens at the earliest, in seconds since the start; None for right after the
            step before.
        refusal: a part of the API's answer, if the action is to be refused; None if it isn't.
    """

    path: str
    at_s: float | None
    action: Action
    refusal: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Scenario:
    """A scenario: a cluster, and what its users do to it and when.

    Attributes:
        objects: what is there at the start.
        until_s: when it ends, in seconds since the start; None for the last step.
    """

    name: str
    options: ClusterOptions
    objects: Sequence[Object]
    steps: Sequence[Step] = field(default_factory=tuple)
    until_s: float | None = None
