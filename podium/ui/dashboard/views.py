"""What the dashboard's page draws: a cluster at a moment, and what changes from then on.

The page folds steps into a view: objects of a step replace those of the same name (pods: of the
same uid), those that are gone leave, entries are appended.
"""

import zlib
from collections.abc import Sequence
from typing import NamedTuple

import msgspec


class Shape(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """The base of views and pages: their JSON has names in camel case."""


class Node(Shape, frozen=True, kw_only=True):
    """A node, as the page draws it.

    Attributes:
        pool: what the usual labels of providers say; empty if none is there.
        taints: as `key=value:Effect`.
        pressure: its conditions of pressure that hold, such as `MemoryPressure`.
        cpu_milli: allocatable, like the next two.
    """

    name: str
    zone: str
    pool: str
    ready: bool
    cordoned: bool
    taints: Sequence[str]
    pressure: Sequence[str]
    cpu_milli: int
    memory_bytes: int
    pods_max: int


class Pod(Shape, frozen=True, kw_only=True):
    """A pod, as the page draws it.

    Attributes:
        node: that it is bound to; empty if to none.
        owner: the workload that it belongs to, such as `Deployment/web`; empty if to none.
        cpu_milli: requested, like the memory.
        state: `pending`, `bound`, `running`, `terminating` or `finished`.
        queue: where it waits: `active`, `backoff`, `unschedulable` or `gated`; else empty.
    """

    uid: str
    namespace: str
    name: str
    node: str
    nominated_node: str
    phase: str
    priority: int
    priority_class: str
    owner: str
    cpu_milli: int
    memory_bytes: int
    state: str
    queue: str
    message: str


class Budget(Shape, frozen=True, kw_only=True):
    """A PodDisruptionBudget: disruptions it allows now, and the counts that say why."""

    namespace: str
    name: str
    allowed: int
    healthy: int
    desired: int
    expected: int


class PriorityClass(Shape, frozen=True, kw_only=True):
    """A PriorityClass: its name and its value."""

    name: str
    value: int


class Entry(Shape, frozen=True, kw_only=True):
    """Something that happened, as a line of the page's timeline.

    Attributes:
        at_s: when, in seconds since the clock's start; what was before is negative.
        type: the timeline's type; the reason if an Event tells of it.
        by: who did it: a machine's name, or `user`.
    """

    at_s: float
    type: str
    kind: str
    namespace: str
    name: str
    by: str
    text: str


class Abilities(NamedTuple):
    """What views say beside what they show.

    Attributes:
        live: whether steps come as long as somebody looks; a run that is over has all of its own.
    """

    title: str
    live: bool = True
    can_plan: bool = False
    can_apply: bool = False


class View(Shape, frozen=True, kw_only=True):
    """A cluster at a moment.

    Attributes:
        number: of the last step that is in it.
        at_s: when, in seconds since the clock's start.
        clock: when that was, such as `2026-01-01T00:00:00Z`.
        title: what is shown; it and the next ones as in `Abilities`.
    """

    number: int
    at_s: float
    clock: str
    title: str
    live: bool
    can_plan: bool
    can_apply: bool
    priority_classes: Sequence[PriorityClass]
    nodes: Sequence[Node]
    pods: Sequence[Pod]
    budgets: Sequence[Budget]
    entries: Sequence[Entry]


class Step(Shape, frozen=True, kw_only=True):
    """What has changed since the step before; whole new values.

    Attributes:
        gone_budgets: by `namespace/name`.
        priority_classes: all that there are, if any has changed; else null.
    """

    number: int
    at_s: float
    nodes: Sequence[Node] = ()
    gone_nodes: Sequence[str] = ()
    pods: Sequence[Pod] = ()
    gone_pods: Sequence[str] = ()
    budgets: Sequence[Budget] = ()
    gone_budgets: Sequence[str] = ()
    priority_classes: Sequence[PriorityClass] | None = None
    entries: Sequence[Entry] = ()


class KeptStep(NamedTuple):
    """One step of a history, encoded as JSON."""

    number: int
    text: bytes


_GZIP = 16 + zlib.MAX_WBITS


def compressed(view: View) -> bytes:
    """A view as JSON, compressed by gzip."""
    packer = zlib.compressobj(1, wbits=_GZIP)
    return packer.compress(msgspec.json.encode(view)) + packer.flush()
