"""Strategies: what kube-apiserver does to an object before it validates it.

A strategy settles which writes may set the status and which the rest, how generations count and
what a new object starts with. It refuses nothing. `registrations.txt` describes it in words:

    status            the status subresource writes all but the spec; other writes, all else
    status-alone      like `status`, but the status subresource leaves the metadata alone
    apart             the status subresource writes nothing but the status, a new object has none,
                      and the generation counts as with `counts`
    reset             a new object has an empty status, whatever the request says
    counts            the generation counts changes of all but the metadata
    counts=spec       the generation counts changes of these fields; `counts=none` counts none
    finalizer=name    a finalizer that holds each object from the beginning of its deletion
    create-on-update  an update of an object that doesn't exist creates it
    conditional       an update has to give the resourceVersion
    answers-object    a deletion answers with the object, not with a `Status`
    graceful          a deletion takes a grace period
    orphans           a deletion leaves the dependents alone unless the request says otherwise
    independent       nothing depends on objects of the kind
    idle              nothing acts on objects of the kind, about which clients are warned
"""

from collections.abc import Callable, Mapping
from random import Random

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
"""From the requested object, the stored one and the time, in seconds since the epoch, to the object
to store; metadata that only the server writes is already the stored object's."""


def keep_status(new: Object, old: Object, _now_s: float) -> Object:
    """Replace the status by the stored one."""
    return _with_field(new, "status", old)


def keep_spec(new: Object, old: Object, _now_s: float) -> Object:
    """Replace the spec by the stored one."""
    return _with_field(new, "spec", old)


def _with_field(new: Object, field: str, source: Object) -> Object:
    value = source.get(field)
    if new.get(field) is value:
        return new
    return {**new, field: value} if field in source else without(new, field)


def _keep_spec_and_metadata(new: Object, old: Object, now_s: float) -> Object:
    return {**keep_spec(new, old, now_s), "metadata": _own_metadata(new, old)}


def _keep_all_but_status(new: Object, old: Object, _now_s: float) -> Object:
    status = {"status": new["status"]} if "status" in new else {}
    own = {"apiVersion": new["apiVersion"], "metadata": _own_metadata(new, old)}
    return {**without(old, "status"), **status, **own}


def _own_metadata(new: Object, old: Object) -> Object:
    # These two belong to the write itself.
    written = ("resourceVersion", "managedFields")
    return {**old["metadata"], **{n: new["metadata"][n] for n in written if n in new["metadata"]}}


def _count_changes(*paths: str) -> Prepare:
    def prepare(new: Object, old: Object, _now_s: float) -> Object:
        if paths:
            changed = any((at(new, path) or None) != (at(old, path) or None) for path in paths)
        else:
            kept = ("apiVersion", "metadata")
            changed = without(new, *kept) != without(old, *kept)
        if not changed:
            return new
        generation = (old["metadata"].get("generation") or 0) + 1
        return {**new, "metadata": {**new["metadata"], "generation": generation}}

    return prepare


def _in_turn(*steps: Prepare | None) -> Prepare:
    taken = [step for step in steps if step is not None]

    def prepare(new: Object, old: Object, now_s: float) -> Object:
        for step in taken:
            new = step(new, old, now_s)
        return new

    return prepare


_BY_STATUS: Mapping[str, Prepare] = {
    "status": keep_spec,
    "status-alone": _keep_spec_and_metadata,
    "apart": _keep_all_but_status,
}


class Strategy:
    """What the API server does to objects of a kind when they are created, changed and deleted.

    Args:
        options: the words of the kind.
        create: prepares a new object, if the kind needs it.
        update: prepares a change, before the steps that the words describe.
        subresources: prepare changes by subresources, likewise.

    Attributes:
        counts_generations: whether a new object starts with generation 1.
        default_propagation: the deletion of dependents unless the request says otherwise:
            `Background` or `Orphan`; empty if nothing depends on objects of the kind.
        deletion_finalizer: empty for none.
    """

    def __init__(
        self,
        options: Mapping[str, str],
        create: Create | None,
        update: Prepare | None,
        subresources: Mapping[str, Prepare],
    ) -> None:
        is_apart = "apart" in options
        by_status = next((_BY_STATUS[word] for word in options if word in _BY_STATUS), None)
        self.counts_generations = is_apart or "counts" in options
        counted = filter(None, options.get("counts", "").split(","))
        count = _count_changes(*counted) if self.counts_generations else None
        self.create = create or (lambda obj, _: without(obj, "status") if is_apart else obj)
        self.update = _in_turn(update, keep_status if by_status else None, count)
        self.subresources: dict[str, Prepare] = {
            name: _in_turn(prepare, count if name != "status" else None)
            for name, prepare in subresources.items()
        }
        if by_status:
            self.subresources["status"] = _in_turn(self.subresources.get("status"), by_status)
        propagation = "Orphan" if "orphans" in options else "Background"
        self.default_propagation = "" if "independent" in options else propagation
        self.deletion_finalizer = options.get("finalizer", "")
        self.resets_status = "reset" in options
        self.unconditional_update = "conditional" not in options
        self.create_on_update = "create-on-update" in options
        self.answers_object = "answers-object" in options
        self.graceful = "graceful" in options
        self.is_idle = "idle" in options
