"""Update: from a stored object to the next version of it.

The object that is asked for is completed, prepared by the kind's strategy, judged against the
stored one, and stored if anything has changed. An object that only its finalizers kept goes with
the last of them.
"""

from collections.abc import Mapping
from typing import Any

from podium.api.custom_kinds import CustomKind
from podium.api.integers import parse_count
from podium.api.kinds import Kind
from podium.api.objects import Object, spec_of
from podium.apiserver.admission import Admission, Operation, Request
from podium.apiserver.custom.rules import completed
from podium.apiserver.long_work import apart
from podium.apiserver.patching import track
from podium.apiserver.refusals import internal, invalid, modified
from podium.apiserver.strategy import strategy_of
from podium.apiserver.update_validation import validate_update
from podium.apiserver.verbs.options import WriteOptions
from podium.apiserver.verbs.reading import version_fault
from podium.apiserver.verbs.writing import Writer

UNCONDITIONAL = (None, "", "0")
"""In place of a resourceVersion: whichever version there is."""

# Kinds of which something can have a default that an update of the status can change.
_DEFAULTS_BESIDES_SPEC = frozenset({"Namespace", "Node", "ReplicationController"})
_KEPT = ("generation", "creationTimestamp", "resourceVersion", "selfLink")
_KEPT_UNLESS_GIVEN = ("uid", "namespace", "deletionGracePeriodSeconds")


class Updater:
    """Stores next versions of objects of all kinds."""

    def __init__(self, writer: Writer, admission: Admission) -> None:
        self._writer = writer
        self._admission = admission

    def update(
        self,
        kind: Kind,
        old: Object,
        new: Object,
        now_s: float,
        options: WriteOptions,
        subresource: str = "",
    ) -> Object:
        """Store the next version of an object.

        Args:
            kind: the object's kind.
            old: as it is stored.
            new: as it is asked for; its resourceVersion, if it has one, must be the stored one's.
            now_s: the time, in seconds since the epoch.
            options: how to write.
            subresource: what may be changed; empty for all but what has a subresource.

        Returns:
            The object as it is now, or, if it is gone with its last finalizer, as it was to be.
        """
        before = old["metadata"]
        request = Request(
            operation=Operation.UPDATE,
            kind=kind,
            namespace=before.get("namespace", ""),
            now_s=now_s,
            name=before["name"],
            old=old,
            subresource=subresource,
        )
        new = self._completed(request, new, old, options)
        _check_version(kind, new["metadata"], before)
        if options.judge is not None:
            options.judge(old, new)
        new = _prepared(request, new, old)
        charged = self._admission.validate(request, new)
        if _is_finished_off(new, old):
            self._writer.delete(kind, old, dry_run=options.dry_run)
            return new
        if new == old:
            return old
        return self._writer.update(kind, new, charged, dry_run=options.dry_run)

    def _completed(
        self, request: Request, new: Object, old: Object, options: WriteOptions
    ) -> Object:
        """The object with defaults, owners, and what admission adds."""
        kind = request.kind
        is_custom = isinstance(kind, CustomKind)
        if request.subresource != "status" or is_custom or kind.key in _DEFAULTS_BESIDES_SPEC:
            new = apart(completed, kind, new, is_new=False)
        if options.field_manager:
            new = apart(
                track,
                kind,
                old,
                new,
                manager=options.field_manager,
                now_s=request.now_s,
                subresource=request.subresource,
            )
            # Named even if there are none, as an update that leaves them out keeps what there is.
            new = {**new, "metadata": {"managedFields": [], **new["metadata"]}}
        return self._admission.admit(request, new)


def _check_version(kind: Kind, metadata: Mapping[str, Any], before: Mapping[str, Any]) -> None:
    version = metadata.get("resourceVersion")
    if version == before["resourceVersion"] or version in UNCONDITIONAL:
        return
    if parse_count(version) is None:
        raise internal(version_fault(version))
    raise modified(kind, before["name"])


def _prepared(request: Request, new: Object, old: Object) -> Object:
    """The object as it would be stored, if nothing is wrong with it."""
    kind, subresource = request.kind, request.subresource
    if new["metadata"] is not old["metadata"]:
        settled = _settled(new["metadata"], old["metadata"])
        new = {**new, "metadata": old["metadata"] if settled == old["metadata"] else settled}
    strategy = strategy_of(kind)
    prepare = strategy.subresources[subresource] if subresource else strategy.update
    new = prepare(new, old, request.now_s)
    faults = apart(validate_update, kind, new, old, subresource)
    if faults:
        raise invalid(request.name, faults, kind.name, kind.group)
    return new


def _settled(metadata: Mapping[str, Any], before: Mapping[str, Any]) -> Mapping[str, Any]:
    """The metadata with what an update can't change as it was, and without empty fields.

    What an update may not even try to change, such as the uid, is left to validation.
    """
    settled = {field: v for field, v in metadata.items() if (v or v == 0) and field not in _KEPT}
    for field in _KEPT:
        if field in before:
            settled[field] = before[field]
    for field in _KEPT_UNLESS_GIVEN:
        if field in before and field not in settled:
            settled[field] = before[field]
    if before.get("deletionTimestamp"):
        settled["deletionTimestamp"] = before["deletionTimestamp"]
    if "managedFields" in before and "managedFields" not in metadata:
        settled["managedFields"] = before["managedFields"]
    return settled


def _is_finished_off(new: Object, old: Object) -> bool:
    """Whether nothing holds an object any more that was to be deleted."""
    before = old["metadata"]
    if not before.get("deletionTimestamp") or before.get("deletionGracePeriodSeconds"):
        return False
    spec_finalizers = new["kind"] == "Namespace" and spec_of(new).get("finalizers")
    return not (new["metadata"].get("finalizers") or spec_finalizers)
