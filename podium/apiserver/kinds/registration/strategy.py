"""Strategies: what kube-apiserver does to an object between taking it in and validating it.

Who may set the status and who the rest, how generations count, what a new object starts with.
Nothing here refuses anything.
"""

from collections.abc import Callable, Mapping
from random import Random
from typing import Any

import msgspec

from podium.api.objects import Object, without
from podium.apiserver.authentication.users import ADMIN, User


class Creation(msgspec.Struct, frozen=True):
    """The circumstances of a creation; `others` lists all objects of the kind."""

    now_s: float
    rng: Random
    others: Callable[[], list[Object]]
    user: User = ADMIN


Create = Callable[[Object, Creation], Object]
Prepare = Callable[[Object, Object, float], Object]
"""From the object that is asked for, the stored one and the time, in seconds since the epoch, to
the object to go on with; the metadata that only the server writes is the stored one's."""


def keep_status(new: Object, old: Object, _now_s: float) -> Object:
    """What may be changed but by the status subresource: everything else."""
    return _with_field(new, "status", old)


def keep_spec(new: Object, old: Object, _now_s: float) -> Object:
    """What may be changed by the status subresource: the status, and the metadata."""
    return _with_field(new, "spec", old)


def keep_spec_and_metadata(new: Object, old: Object, now_s: float) -> Object:
    """What may be changed by the status subresource of some kinds: only the status."""
    new = keep_spec(new, old, now_s)
    metadata = {**old["metadata"], "resourceVersion": new["metadata"].get("resourceVersion")}
    if "managedFields" in new["metadata"]:
        metadata["managedFields"] = new["metadata"]["managedFields"]
    return {**new, "metadata": metadata}


def count_changes(*fields: str) -> Prepare:
    """Let the generation count the changes of some top-level fields."""

    def prepare(new: Object, old: Object, _now_s: float) -> Object:
        changed = any(new.get(field) != old.get(field) for field in fields)
        return next_generation(new, old) if changed else new

    return prepare


def in_turn(*steps: Prepare) -> Prepare:
    """One step after the other."""

    def prepare(new: Object, old: Object, now_s: float) -> Object:
        for step in steps:
            new = step(new, old, now_s)
        return new

    return prepare


def next_generation(new: Object, old: Object) -> Object:
    """The object with the generation after the stored one's."""
    generation = (old["metadata"].get("generation") or 0) + 1
    return {**new, "metadata": {**new["metadata"], "generation": generation}}


def as_it_is(obj: Object, _creation: Creation) -> Object:
    """Nothing to prepare for a creation."""
    return obj


def _with_field(new: Object, field: str, source: Object) -> Object:
    """The object with a field as another one has it, absent where it is absent there."""
    value = source.get(field)
    if new.get(field) is value:
        return new
    if field in source:
        return {**new, field: value}
    return without(new, field)


class Strategy(msgspec.Struct, frozen=True, kw_only=True):
    """How objects of a kind are written.

    Attributes:
        create: prepares a new object, which has its name, uid and time.
        resets_status: whether a new object has a status that says nothing yet, whatever it was
            given.
        subresources: prepare changes by subresources, such as `status`.
        counts_generations: whether a new object starts with generation 1.
        unconditional_update: whether an update may leave the resourceVersion out.
        create_on_update: whether an update of what isn't there creates it.
        answers_object: whether a deletion answers with the object, not with a `Status`.
        graceful: whether deletions take a grace period.
        default_propagation: how dependents are deleted unless the request says so: `Background` or
            `Orphan`; empty if nothing depends on objects of the kind.
        deletion_finalizer: holds each object from the beginning of its deletion; empty for none.
    """

    create: Create = as_it_is
    resets_status: bool = False
    update: Prepare = lambda new, _old, _now_s: new
    subresources: Mapping[str, Prepare] = msgspec.field(default_factory=dict)
    counts_generations: bool = False
    unconditional_update: bool = True
    create_on_update: bool = False
    answers_object: bool = False
    graceful: bool = False
    default_propagation: str = "Background"
    deletion_finalizer: str = ""


counted_spec = in_turn(keep_status, count_changes("spec"))
"""The spec changes apart from the status, and its changes are counted."""


def workload(
    create: Create = as_it_is,
    update: Prepare = counted_spec,
    update_status: Prepare = keep_spec,
    **more: Any,
) -> Strategy:
    """A kind with a status of its own, whose spec's changes are counted."""
    return Strategy(
        create=create,
        resets_status=True,
        update=update,
        subresources={"status": update_status},
        counts_generations=True,
        **more,
    )


def count_all_changes(new: Object, old: Object, _now_s: float) -> Object:
    """Let the generation count the changes of all but the metadata."""
    same = _content(new) == _content(old)
    return new if same else next_generation(new, old)


def _content(obj: Object) -> Object:
    return without(obj, "apiVersion", "metadata")


def _status_alone(new: Object, old: Object, _now_s: float) -> Object:
    metadata = {**old["metadata"]}
    for name in ("resourceVersion", "managedFields"):
        if name in new["metadata"]:
            metadata[name] = new["metadata"][name]
    status = {"status": new["status"]} if "status" in new else {}
    kept = without(old, "status")
    return {**kept, **status, "apiVersion": new["apiVersion"], "metadata": metadata}


def apart_from_status(**more: Any) -> Strategy:
    """Objects whose status is written by its subresource alone, and of which nothing is known."""
    return Strategy(
        create=lambda obj, _: without(obj, "status"),
        update=in_turn(keep_status, count_all_changes),
        subresources={"status": _status_alone},
        counts_generations=True,
        **more,
    )
