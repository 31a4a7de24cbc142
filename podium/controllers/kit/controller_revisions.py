"""ControllerRevisions: the history of templates of StatefulSets and DaemonSets.

If a former template is restored, its revision is kept and gets the highest number. Numbers, names
and clean-up are those of v1.36; the hashes in names are Podium's own.
"""

from collections.abc import Iterable, Iterator, Sequence
from itertools import islice

import msgspec

from podium.api.objects import Object, annotations, labels, name, place_of, status_of
from podium.controllers.kit.controller_refs import owned_object
from podium.controllers.kit.pod_templates import hash_of, same_template
from podium.machines.effects import Create, Effect, deletion_of, patch_of, status_patch_of
from podium.machines.reconciler.indexer import Indexer

KIND = "ControllerRevision"
KEPT_BY_DEFAULT = 10
REVISION_LABEL = "controller-revision-hash"
"""The label with the revision hash of a pod."""


def revision_hash_of(obj: Object) -> str:
    """Return the revision label of a pod or a ControllerRevision; empty if it has none."""
    return labels(obj).get(REVISION_LABEL, "")


class Revisions(msgspec.Struct, frozen=True):
    """A workload's current revision, which is its template's, and its old ones, oldest first."""

    current: Object | None
    old: Sequence[Object]


def history_of(owner: Object, revisions: Iterable[Object]) -> Revisions:
    """Find the revision of the owner's template, and sort the others."""
    ordered = sorted(revisions, key=lambda one: (number_of(one), name(one)))
    template = owner["spec"]["template"]
    current = None
    for revision in reversed(ordered):
        kept = template_of(revision)
        if kept == template or same_template(kept, template):
            current = revision
            break
    return Revisions(current, [revision for revision in ordered if revision is not current])


def template_of(revision: Object) -> Object:
    """Return the template of a revision."""
    kept = revision["data"]["spec"]["template"]
    return {field: value for field, value in kept.items() if field != "$patch"}


def number_of(revision: Object) -> int:
    """Return the number of a revision; newer revisions have higher numbers."""
    return int(revision.get("revision") or 0)


def next_step(
    owner: Object, history: Revisions, objects: Indexer, hash_label: str
) -> Effect | None:
    """Return the next write that makes the template's revision the newest; None if it is."""
    number = max(map(number_of, history.old), default=0) + 1
    if history.current is not None:
        is_newest = number_of(history.current) >= number
        return None if is_newest else patch_of(KIND, history.current, {"revision": number})
    collisions = int(status_of(owner).get("collisionCount") or 0)
    hashed = _lost_hash(owner, history) or hash_of(owner["spec"]["template"], collisions)
    revision = new_revision(owner, number, hash_label, hashed)
    if objects.at(KIND, place_of(revision)) is None:
        return Create(kind=KIND, obj=revision)
    return status_patch_of(str(owner["kind"]), owner, {"collisionCount": collisions + 1})


def surplus(owner: Object, old: Sequence[Object], unused: Iterable[Object]) -> Iterator[Effect]:
    """Yield deletions of the oldest unused revisions, until the history limit is met."""
    limit = owner["spec"].get("revisionHistoryLimit")
    too_many = len(old) - (KEPT_BY_DEFAULT if limit is None else int(limit))
    # If there are none too many, the unused ones aren't looked for.
    yield from (deletion_of(KIND, revision) for revision in islice(unused, max(too_many, 0)))


def _lost_hash(owner: Object, history: Revisions) -> str:
    # The hash of the current revision according to the status, if only its object is missing.
    # Without it, all pods of a state that was exported without revisions would be replaced.
    status = status_of(owner)
    revision_name = str(status.get("updateRevision") or "")
    is_current = status.get("observedGeneration") == owner["metadata"].get("generation")
    if not is_current or revision_name in map(name, history.old):
        return ""
    return revision_name.removeprefix(f"{name(owner)}-")


def new_revision(owner: Object, number: int, hash_label: str, hashed: str) -> Object:
    """Return a new ControllerRevision of a workload's template."""
    template = owner["spec"]["template"]
    metadata = {
        "name": f"{name(owner)}-{hashed}",
        "labels": {**labels(template), hash_label: hashed},
        "annotations": {**annotations(owner)},
    }
    data = {"spec": {"template": {**template, "$patch": "replace"}}}
    return owned_object(owner, "apps/v1", KIND, metadata, data=data, revision=number)
