"""Effects: API calls as values.

A machine returns them, a dispatcher makes them, and each comes back as an `Outcome`. An outcome
may come late, twice, out of order, or say that it isn't known what became of the call; `purpose` is
the machine's own note of what it wanted, by which it recognises the outcome.
"""

from collections.abc import Hashable, Mapping
from typing import Any, Self

import msgspec

from podium.api.objects import Object, metadata_of, place_of, uid_of, version_of


class Effect(msgspec.Struct, frozen=True, kw_only=True):
    """A call to the API server, as a value."""

    purpose: Hashable = None

    def with_purpose(self, purpose: Hashable) -> Self:
        """The same call, asked for another purpose."""
        return msgspec.structs.replace(self, purpose=purpose)


class Create(Effect, frozen=True, kw_only=True):
    """Create an object; its namespace and name (or generateName) are in its metadata."""

    kind: str
    obj: Object


class Replace(Effect, frozen=True, kw_only=True):
    """Replace an object, or a subresource of it; a resourceVersion in it must still be current."""

    kind: str
    obj: Object
    subresource: str = ""


class Patch(Effect, frozen=True, kw_only=True):
    """Merge into an object, or a subresource of it, by the rules of a strategic merge patch.

    A `metadata.uid` or `metadata.resourceVersion` in the body is a precondition.
    """

    kind: str
    name: str
    body: Object
    namespace: str = ""
    subresource: str = ""


class Delete(Effect, frozen=True, kw_only=True):
    """Delete an object, through the API.

    Attributes:
        grace_period_s: how long it may take; None leaves it to the object, 0 removes it at once.
        propagation: `Background`, `Foreground` or `Orphan`; empty leaves it to the kind.
    """

    kind: str
    name: str
    namespace: str = ""
    uid: str = ""
    resource_version: str = ""
    grace_period_s: int | None = None
    propagation: str = ""


class Bind(Effect, frozen=True, kw_only=True):
    """Bind a pod to a node through its `binding` subresource."""

    namespace: str
    name: str
    uid: str
    node_name: str

    @property
    def binding(self) -> dict[str, Any]:
        """The Binding that the subresource takes."""
        return {
            "apiVersion": "v1",
            "kind": "Binding",
            "metadata": {"namespace": self.namespace, "name": self.name, "uid": self.uid},
            "target": {"apiVersion": "v1", "kind": "Node", "name": self.node_name},
        }


class Evict(Effect, frozen=True, kw_only=True):
    """Ask for a pod's eviction through its `eviction` subresource; budgets may refuse it."""

    namespace: str
    name: str
    uid: str = ""
    grace_period_s: int | None = None

    @property
    def eviction(self) -> dict[str, Any]:
        """The Eviction that the subresource takes."""
        options: dict[str, Any] = {}
        if self.grace_period_s is not None:
            options["gracePeriodSeconds"] = self.grace_period_s
        if self.uid:
            options["preconditions"] = {"uid": self.uid}
        return {
            "apiVersion": "policy/v1",
            "kind": "Eviction",
            "metadata": {"namespace": self.namespace, "name": self.name},
            "deleteOptions": options,
        }


class Panic(Effect, frozen=True, kw_only=True):
    """Reports a bug of the machine, which costs it no more than one of its tasks for a while.

    No call comes of it. A driver that plays ends the run, one that serves goes on. The task is
    what the machine was busy with, such as an object's name.
    """

    task: str
    error: Exception
    again_s: float


class Record(Effect, frozen=True, kw_only=True):
    """Record an event (events.k8s.io); repetitions of the same one become a series.

    Attributes:
        reporting_controller: who reports, such as `default-scheduler`.
        type: `Normal` or `Warning`.
        reason: why, in one word, such as `Scheduled`.
        action: what was being done, such as `Binding`.
    """

    regarding: Object
    reporting_controller: str
    type: str
    reason: str
    action: str
    note: str
    related: Object | None = None
    annotations: Mapping[str, str] = msgspec.field(default_factory=dict)


def patch_of(
    kind: str, obj: Object, body: Object, subresource: str = "", *, if_unchanged: bool = False
) -> Patch:
    """A patch of this very object, if need be only as it is known; not of another of its name."""
    place, called = place_of(obj)
    metadata = {**metadata_of(body), "uid": uid_of(obj)}
    if if_unchanged:
        metadata["resourceVersion"] = version_of(obj)
    whole = {**body, "metadata": metadata}
    return Patch(kind=kind, namespace=place, name=called, body=whole, subresource=subresource)


def status_patch_of(kind: str, obj: Object, status: Object, *, if_unchanged: bool = False) -> Patch:
    """A patch of this very object's status; arguments as of `patch_of`."""
    return patch_of(kind, obj, {"status": status}, "status", if_unchanged=if_unchanged)


def deletion_of(
    kind: str, obj: Object, *, grace_period_s: int | None = None, propagation: str = ""
) -> Delete:
    """The deletion of this very object; arguments as of `Delete`."""
    place, called = place_of(obj)
    return Delete(
        kind=kind,
        namespace=place,
        name=called,
        uid=uid_of(obj),
        grace_period_s=grace_period_s,
        propagation=propagation,
    )


def event_of(regarding: Object, controller: str, kind: str, reason: str, note: str) -> Record:
    """An event about an object."""
    return Record(
        regarding=regarding,
        reporting_controller=controller,
        type=kind,
        reason=reason,
        action="",
        note=note,
    )
