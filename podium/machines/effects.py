"""Effects: API calls as values.

A machine returns effects. A dispatcher makes the calls and returns an `Outcome` for each, which may
arrive late, twice or out of order, and may say that the result of the call is unknown.
"""

from collections.abc import Hashable, Mapping
from typing import Any, Self

import msgspec

from podium.api.objects import Object, metadata_of, place_of, uid_of, version_of


class Effect(msgspec.Struct, frozen=True, kw_only=True):
    """A call to the API server, as a value; by its purpose the machine recognizes the outcome."""

    purpose: Hashable = None

    def with_purpose(self, purpose: Hashable) -> Self:
        """Return a copy of the effect with another purpose."""
        return msgspec.structs.replace(self, purpose=purpose)


class Create(Effect, frozen=True, kw_only=True):
    """The creation of an object, with its namespace and name (or generateName) in its metadata."""

    kind: str
    obj: Object


class Replace(Effect, frozen=True, kw_only=True):
    """The replacement of an object or subresource; a resourceVersion in `obj` is a precondition."""

    kind: str
    obj: Object
    subresource: str = ""


class Patch(Effect, frozen=True, kw_only=True):
    """A strategic merge patch of an object or a subresource.

    A `metadata.uid` or `metadata.resourceVersion` in the body is a precondition.
    """

    kind: str
    name: str
    body: Object
    namespace: str = ""
    subresource: str = ""


class Delete(Effect, frozen=True, kw_only=True):
    """The deletion of an object."""

    kind: str
    name: str
    namespace: str = ""
    uid: str = ""
    resource_version: str = ""
    grace_period_s: int | None = None
    """None for the object's own grace period; 0 to remove the object at once."""
    propagation: str = ""
    """`Background`, `Foreground` or `Orphan`; empty for the default of the kind."""


class Bind(Effect, frozen=True, kw_only=True):
    """The binding of a pod to a node, through the pod's `binding` subresource."""

    namespace: str
    name: str
    uid: str
    node_name: str

    @property
    def binding(self) -> dict[str, Any]:
        """Return the Binding to post to the subresource."""
        return {
            "apiVersion": "v1",
            "kind": "Binding",
            "metadata": {"namespace": self.namespace, "name": self.name, "uid": self.uid},
            "target": {"apiVersion": "v1", "kind": "Node", "name": self.node_name},
        }


class Evict(Effect, frozen=True, kw_only=True):
    """The eviction of a pod by its `eviction` subresource, which disruption budgets may refuse."""

    namespace: str
    name: str
    uid: str = ""
    grace_period_s: int | None = None

    @property
    def eviction(self) -> dict[str, Any]:
        """Return the Eviction to post to the subresource."""
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
    """The report of an exception in a machine's task, which is tried again later; no API call.

    A driver in virtual time ends the run; one in real time logs the exception and continues.
    """

    task: str
    error: Exception
    again_s: float


class Record(Effect, frozen=True, kw_only=True):
    """An Event (events.k8s.io) to record; repetitions of an Event become a series.

    Its type is `Normal` or `Warning`, its reason a word such as `Scheduled`, its action `Binding`.
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
    """Return a patch that requires an object's uid, and if unchanged also its resourceVersion."""
    namespace, name = place_of(obj)
    metadata = {**metadata_of(body), "uid": uid_of(obj)}
    if if_unchanged:
        metadata["resourceVersion"] = version_of(obj)
    whole = {**body, "metadata": metadata}
    return Patch(kind=kind, namespace=namespace, name=name, body=whole, subresource=subresource)


def status_patch_of(kind: str, obj: Object, status: Object, *, if_unchanged: bool = False) -> Patch:
    """Return a patch of an object's status, with preconditions as in `patch_of`."""
    return patch_of(kind, obj, {"status": status}, "status", if_unchanged=if_unchanged)


def without_finalizer(kind: str, obj: Object, finalizer: str) -> Patch:
    """Return the patch that removes a finalizer from an object."""
    metadata = {"$deleteFromPrimitiveList/finalizers": [finalizer]}
    return patch_of(kind, obj, {"metadata": metadata})


def deletion_of(
    kind: str, obj: Object, *, grace_period_s: int | None = None, propagation: str = ""
) -> Delete:
    """Return the deletion of an object, with its uid as a precondition."""
    namespace, name = place_of(obj)
    return Delete(
        kind=kind,
        namespace=namespace,
        name=name,
        uid=uid_of(obj),
        grace_period_s=grace_period_s,
        propagation=propagation,
    )


def event_of(regarding: Object, controller: str, kind: str, reason: str, note: str) -> Record:
    """Return an Event of type `kind` about an object, with an empty action."""
    return Record(
        regarding=regarding,
        reporting_controller=controller,
        type=kind,
        reason=reason,
        action="",
        note=note,
    )
