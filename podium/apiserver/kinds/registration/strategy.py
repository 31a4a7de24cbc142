"""Strategies: how kube-apiserver prepares an object before it validates it.

A strategy determines which writes may set the status and which the rest, how generations count, and
what a new object starts with. It refuses nothing. The options in `registrations.txt` are:

    status            the status subresource writes all but spec, other writes all but status
    status-alone      like `status`, but the status subresource doesn't write the metadata
    apart             the status subresource only writes the status, a new object has no status,
                      and the generation counts as with `counts`
    reset             a new object has an empty status, even if the request has one
    counts            the generation counts changes of everything except the metadata
    counts=spec       the generation counts changes of these fields; `counts=none` counts none
    finalizer=name    a finalizer that each object gets when its deletion begins
    create-on-update  an update of an object that doesn't exist creates it
    conditional       an update has to specify the resourceVersion
    answers-object    a deletion returns the object instead of a `Status`
    graceful          a deletion has a grace period
    orphans           a deletion orphans the dependents unless requested otherwise
    independent       objects of the kind have no dependents
    idle              no component acts on objects of the kind, which causes a warning
"""

from collections.abc import Callable, Mapping
from random import Random

import msgspec

from podium.api.objects import Object, without
from podium.apiserver.authentication.users import ADMIN, User
from podium.apiserver.kinds.registration.rules import at


class Creation(msgspec.Struct, frozen=True):
    """The context of a creation; `others` lists all objects of the kind."""

    now_s: float
    rng: Random
    others: Callable[[], list[Object]]
    user: User = ADMIN


Create = Callable[[Object, Creation], Object]
Prepare = Callable[[Object, Object, float], Object]
"""Takes the requested object, the stored one and the time in seconds since the epoch, and returns
the object to store; the requested object already has the metadata that only the server writes."""


def keep_status(new: Object, old: Object, _now_s: float) -> Object:
    """Return the new object with the stored status."""
    return _with_field(new, "status", old)


def keep_spec(new: Object, old: Object, _now_s: float) -> Object:
    """Return the new object with the stored spec."""
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
    """How the API server prepares objects of a kind on creation, change and deletion.

    Args:
        update: function that prepares a change, before the steps of the options.
        subresources: functions that prepare changes by subresource, before the same steps.
    """

    def __init__(
        self,
        options: Mapping[str, str],
        create: Create | None,
        update: Prepare | None,
        subresources: Mapping[str, Prepare],
    ) -> None:
        self.options = options
        is_apart = "apart" in options
        by_status = next((_BY_STATUS[word] for word in options if word in _BY_STATUS), None)
        self.counts_generations = is_apart or "counts" in options
        """Whether a new object starts with generation 1."""
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
        """Propagation of deletions unless the request specifies it: `Background` or `Orphan`; empty
        if objects have no dependents."""
