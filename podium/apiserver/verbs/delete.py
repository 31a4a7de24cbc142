"""Delete: at once, after a grace period, or when the last finalizer is gone.

A pod's deletion is a write of its own, even if nothing holds it, so that watchers see the pod
terminate before they see it go. The rules are those of v1.36's generic registry.
"""

from typing import Any

from podium.api.kinds.builtin_kinds import KINDS, Kind
from podium.api.objects import Object, spec_of, status_of
from podium.api.pods import is_finished
from podium.api.values.times import LATEST_NS, NANOS_PER_SECOND, format_time, parse_time, timestamp
from podium.apiserver.kinds.registration.registrations import registration_of
from podium.apiserver.kinds.registration.strategy import Strategy
from podium.apiserver.refusals import conflict
from podium.apiserver.verbs.verb_options import DeleteOptions

_FINALIZER_OF = {"Orphan": "orphan", "Foreground": "foregroundDeletion"}
_POLICY_OF = {finalizer: policy for policy, finalizer in _FINALIZER_OF.items()}

_LATEST = format_time(LATEST_NS)
_PRECONDITION = "the {0} in the precondition ({1}) does not match the {0} in record ({2}). "
_RECREATED = "The object might have been deleted and then recreated"
_MODIFIED = "The object might have been modified"
_NAMESPACE_PRECONDITION = "Precondition failed: {0} in precondition: {1}, {0} in object meta: {2}"


def check_preconditions(kind: Kind, metadata: Object, how: DeleteOptions) -> None:
    """Refuse the deletion of another object than is meant; raises RefusedError: 409."""
    for called, wanted, found, hint in (
        ("UID", how.uid, metadata["uid"], _RECREATED),
        ("ResourceVersion", how.resource_version, metadata["resourceVersion"], _MODIFIED),
    ):
        if wanted is None or wanted == found:
            continue
        if kind.key == "Namespace":
            why = _NAMESPACE_PRECONDITION.format(called, wanted, found)
            raise conflict(kind.plural, metadata["name"], why)
        why = _PRECONDITION.format(called, wanted, found) + hint
        raise conflict(kind.name, metadata["name"], why, kind.group)


def marked(kind: Kind, obj: Object, how: DeleteOptions, now_s: float) -> tuple[Object, bool]:
    """The object with its deletion noted, and whether it goes at once, as nothing holds it."""
    if kind.key == "Namespace" and (found := _marked_namespace(obj, how, now_s)) is not None:
        return found, False
    strategy = registration_of(kind).strategy
    graced = _graced(obj, how, now_s) if strategy.graceful else obj
    if graced is None:
        return obj, False
    finalizers = _finalizers(graced["metadata"], strategy, how)
    if graced is obj and not finalizers:
        return obj, True
    noted = _with_metadata(graced, finalizers=finalizers) if finalizers else graced
    if graced is obj:
        # Finalizers hold it: it is deleted as of now, if not earlier.
        now, deadline = timestamp(now_s), noted["metadata"].get("deletionTimestamp")
        noted = noted if deadline else _next_generation(noted)
        at = deadline if deadline and deadline <= now else now
        noted = _with_metadata(noted, deletionTimestamp=at, deletionGracePeriodSeconds=0)
    goes = not finalizers and not noted["metadata"]["deletionGracePeriodSeconds"]
    return obj if noted == obj else noted, goes


def _marked_namespace(obj: Object, how: DeleteOptions, now_s: float) -> Object | None:
    """Namespaces are emptied first, by a controller that says so in their spec; None if it has."""
    metadata = obj["metadata"]
    if metadata.get("deletionTimestamp"):
        return obj if spec_of(obj).get("finalizers") else None
    finalizers = _finalizers(metadata, registration_of(KINDS["Namespace"]).strategy, how)
    noted = _with_metadata(obj, deletionTimestamp=timestamp(now_s), finalizers=finalizers)
    return {**noted, "status": {**status_of(obj), "phase": "Terminating"}}


def _graced(pod: Object, how: DeleteOptions, now_s: float) -> Object | None:
    """The pod with its grace period noted.

    The pod itself if it is terminating without a period; None if it is terminating already, and no
    later than it is asked to.
    """
    wanted_s = how.grace_period_s
    if wanted_s is not None and wanted_s < 0:
        wanted_s = 1
    metadata = pod["metadata"]
    deadline = metadata.get("deletionTimestamp")
    if deadline:
        left_s = metadata.get("deletionGracePeriodSeconds") or 0
        if not left_s:
            return pod
        if wanted_s is None or wanted_s >= left_s:
            return None
        begun = parse_time(deadline) - left_s * NANOS_PER_SECOND
        if deadline == _LATEST:
            # It was cut off, and doesn't tell any more when the deletion began.
            begun = int(now_s * NANOS_PER_SECOND)
        sooner = begun + wanted_s * NANOS_PER_SECOND
        return _with_metadata(
            pod, deletionTimestamp=format_time(sooner), deletionGracePeriodSeconds=wanted_s
        )
    spec = pod["spec"]
    if not spec.get("nodeName") or is_finished(pod):
        period_s = 0
    elif wanted_s is None:
        period_s = spec.get("terminationGracePeriodSeconds") or 0
    else:
        period_s = wanted_s
    period_s = 1 if period_s < 0 else period_s
    return _with_metadata(
        _next_generation(pod),
        deletionTimestamp=timestamp(now_s + period_s),
        deletionGracePeriodSeconds=period_s,
    )


def _finalizers(metadata: Object, strategy: Strategy, how: DeleteOptions) -> list[str]:
    current: list[str] = metadata.get("finalizers") or []
    policy = strategy.default_propagation
    if policy:
        named = (one for one in current if one in _POLICY_OF)
        policy = how.propagation or _POLICY_OF.get(next(named, ""), policy)
    kept = [one for one in current if one not in _POLICY_OF]
    if policy in _FINALIZER_OF:
        kept.append(_FINALIZER_OF[policy])
    held_by = strategy.deletion_finalizer
    if held_by and held_by not in kept and not metadata.get("deletionTimestamp"):
        kept.append(held_by)
    return current if set(kept) == set(current) else kept


def _next_generation(obj: Object) -> Object:
    generation = obj["metadata"].get("generation")
    return _with_metadata(obj, generation=generation + 1) if generation else obj


def _with_metadata(obj: Object, **fields: Any) -> Object:
    metadata = {**obj["metadata"], **fields}
    if not metadata.get("finalizers"):
        metadata.pop("finalizers", None)
    return {**obj, "metadata": metadata}


def answer(kind: Kind, last: Object) -> Object:
    """What is answered when an object has gone: itself, or a `Status` where its kind has it so."""
    if registration_of(kind).strategy.answers_object:
        return last
    metadata = last["metadata"]
    group = {"group": kind.group} if kind.group else {}
    details = {"name": metadata["name"], **group, "kind": kind.plural, "uid": metadata["uid"]}
    header = {"kind": "Status", "apiVersion": "v1", "metadata": {}}
    return {**header, "status": "Success", "details": details}
