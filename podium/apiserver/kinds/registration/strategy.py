"""Strategies: what kube-apiserver does to an object between taking it in and validating it.

Who may set the status and who the rest, how generations count, what a new object starts with.
Nothing here refuses anything. A strategy is told in words:

    status            the status is written by its subresource, with the metadata, and nothing else
    status-alone      the same, without the metadata
    apart             the same, by a subresource that keeps all but the status
    reset             a new object has a status that says nothing yet, whatever it was given
    counts            the generation counts the changes of all but the metadata
    counts=spec       the generation counts the changes of these fields; of none after the first
    finalizer=name    holds each object from the beginning of its deletion
    create-on-update  an update of what isn't there creates it
    conditional       an update has to give the resourceVersion
    answers-object    a deletion answers with the object, not with a `Status`
    graceful          a deletion takes a grace period
    orphans           a deletion leaves the dependents alone unless the request says so
    independent       nothing depends on objects of the kind
    idle              nothing acts on objects of the kind, so that who creates one is warned
"""

from collections.abc import Callable, Mapping
from random import Random
from types import MappingProxyType

import msgspec

from podium.api.objects import Object, without
from podium.apiserver.authentication.users import ADMIN, User
from podium.apiserver.kinds.registration.rules import at


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


def _keep_spec_and_metadata(new: Object, old: Object, now_s: float) -> Object:
    return {**keep_spec(new, old, now_s), "metadata": _own_metadata(new, old)}


def _keep_all_but_status(new: Object, old: Object, _now_s: float) -> Object:
    status = {"status": new["status"]} if "status" in new else {}
    own = {"apiVersion": new["apiVersion"], "metadata": _own_metadata(new, old)}
    return {**without(old, "status"), **status, **own}


def _own_metadata(new: Object, old: Object) -> Object:
    """The stored metadata, with what belongs to the write itself."""
    written = ("resourceVersion", "managedFields")
    return {**old["metadata"], **{n: new["metadata"][n] for n in written if n in new["metadata"]}}


def _count_changes(*paths: str) -> Prepare:
    def prepare(new: Object, old: Object, _now_s: float) -> Object:
        if paths:
            changed = any((at(new, path) or None) != (at(old, path) or None) for path in paths)
        else:
            kept = ("apiVersion", "metadata")
            changed = without(new, *kept) != without(old, *kept)
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


def _with_field(new: Object, field: str, source: Object) -> Object:
    """The object with a field as another one has it, absent where it is absent there."""
    value = source.get(field)
    if new.get(field) is value:
        return new
    if field in source:
        return {**new, field: value}
    return without(new, field)


class Strategy(msgspec.Struct, frozen=True, kw_only=True):
    """How objects of a kind are written, in words.

    Attributes:
        counts_generations: whether a new object starts with generation 1.
        default_propagation: how dependents are deleted unless the request says so: `Background` or
            `Orphan`; empty if nothing depends on objects of the kind.
        deletion_finalizer: empty for none.
    """

    create: Create
    update: Prepare
    subresources: Mapping[str, Prepare]
    counts_generations: bool
    default_propagation: str
    resets_status: bool
    unconditional_update: bool
    create_on_update: bool
    answers_object: bool
    graceful: bool
    is_idle: bool
    deletion_finalizer: str


_BY_STATUS: Mapping[str, Prepare] = {
    "status": keep_spec,
    "status-alone": _keep_spec_and_metadata,
    "apart": _keep_all_but_status,
}


def strategy_in(
    options: Mapping[str, str],
    create: Create | None = None,
    update: Prepare | None = None,
    subresources: Mapping[str, Prepare] = MappingProxyType({}),
) -> Strategy:
    """The strategy that words describe, after the steps of a kind's own."""
    is_apart = "apart" in options
    by_status = next((_BY_STATUS[word] for word in options if word in _BY_STATUS), None)
    updates: list[Prepare] = [keep_status] if by_status else []
    if is_apart or "counts" in options:
        updates.append(_count_changes(*filter(None, options.get("counts", "").split(","))))
    own_status = subresources.get("status")
    if by_status:
        subresources = {**subresources, "status": in_turn(*filter(None, (own_status, by_status)))}
    propagation = "Orphan" if "orphans" in options else "Background"
    return Strategy(
        create=create or (_without_status if is_apart else _as_it_is),
        update=in_turn(*filter(None, (update, *updates))),
        subresources=subresources,
        counts_generations=is_apart or "counts" in options,
        default_propagation="" if "independent" in options else propagation,
        deletion_finalizer=options.get("finalizer", ""),
        resets_status="reset" in options,
        unconditional_update="conditional" not in options,
        create_on_update="create-on-update" in options,
        answers_object="answers-object" in options,
        graceful="graceful" in options,
        is_idle="idle" in options,
    )


def _as_it_is(obj: Object, _creation: Creation) -> Object:
    return obj


def _without_status(obj: Object, _creation: Creation) -> Object:
    return without(obj, "status")
