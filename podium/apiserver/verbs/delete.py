"""Delete: at once, after a grace period, or when the last finalizer is removed.

Even a pod that is deleted at once is first marked as terminating in a separate write, so that
watchers see that state. Source: the generic registry of v1.36.
"""

from typing import Any

from podium.api.kinds.builtin_kinds import Kind
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
    """Check the preconditions of a deletion; raises RefusedError (409)."""
    for title, wanted, current, hint in (
        ("UID", how.uid, metadata["uid"], _RECREATED),
        ("ResourceVersion", how.resource_version, metadata["resourceVersion"], _MODIFIED),
    ):
        if wanted is None or wanted == current:
            continue
        if kind.key == "Namespace":
            why = _NAMESPACE_PRECONDITION.format(title, wanted, current)
            raise conflict(kind.plural, metadata["name"], why)
        why = _PRECONDITION.format(title, wanted, current) + hint
        raise conflict(kind.name, metadata["name"], why, kind.group)


def marked(kind: Kind, obj: Object, how: DeleteOptions, now_s: float) -> tuple[Object, bool]:
    """Return an object marked as terminating, and whether it is to be removed at once."""
    strategy = registration_of(kind).strategy
    if kind.key == "Namespace":
        # A controller empties the namespace, and then removes the finalizer in its spec.
        metadata = obj["metadata"]
        if not metadata.get("deletionTimestamp"):
            finalizers = _finalizers(metadata, strategy, how)
            noted = _with_metadata(obj, deletionTimestamp=timestamp(now_s), finalizers=finalizers)
            return {**noted, "status": {**status_of(obj), "phase": "Terminating"}}, False
        if spec_of(obj).get("finalizers"):
            return obj, False
    graced = _graced(obj, how, now_s) if "graceful" in strategy.options else obj
    if graced is None:
        return obj, False
    finalizers = _finalizers(graced["metadata"], strategy, how)
    if graced is obj and not finalizers:
        return obj, True
    noted = _with_metadata(graced, finalizers=finalizers) if finalizers else graced
    if graced is obj:
        # Finalizers keep the object: the deletion is noted as of now, if not earlier.
        now, deadline = timestamp(now_s), noted["metadata"].get("deletionTimestamp")
        noted = noted if deadline else _next_generation(noted)
        at = deadline if deadline and deadline <= now else now
        noted = _with_metadata(noted, deletionTimestamp=at, deletionGracePeriodSeconds=0)
    goes = not finalizers and not noted["metadata"]["deletionGracePeriodSeconds"]
    return obj if noted == obj else noted, goes


def _graced(pod: Object, how: DeleteOptions, now_s: float) -> Object | None:
    """Return a pod with its deletion timestamp and grace period set.

    Return the pod itself if its grace period is 0 already, and None if it already terminates as
    early as requested.
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
            # The deadline was cut off, so that the begin of the deletion can't be derived from it.
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
        named = (finalizer for finalizer in current if finalizer in _POLICY_OF)
        policy = how.propagation or _POLICY_OF.get(next(named, ""), policy)
    kept = [finalizer for finalizer in current if finalizer not in _POLICY_OF]
    if policy in _FINALIZER_OF:
        kept.append(_FINALIZER_OF[policy])
    held_by = strategy.options.get("finalizer", "")
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
    """Return the response body of a completed deletion: a `Status`, for some kinds the object."""
    if "answers-object" in registration_of(kind).strategy.options:
        return last
    metadata = last["metadata"]
    group = {"group": kind.group} if kind.group else {}
    details = {"name": metadata["name"], **group, "kind": kind.plural, "uid": metadata["uid"]}
    header = {"kind": "Status", "apiVersion": "v1", "metadata": {}}
    return {**header, "status": "Success", "details": details}
