"""The resource claim controller: claims of pods' templates, and the end of reservations.

The rules are those of v1.36's `resourceclaim`. A claim is reserved for the pods that use it. Once
the last of them is done, its devices are deallocated, and a claim made of a template is deleted.
"""

from collections import Counter
from collections.abc import Hashable, Iterator

from podium.api.devices.resource_claims import (
    FINALIZER,
    RESERVATIONS_MAX,
    ClaimError,
    allocation_of,
    asks_for_admin_access,
    check_usable,
    known_claim_names,
    owner_pod,
    pod_claim_names,
    pod_reference,
)
from podium.api.objects import (
    Object,
    annotations,
    entries,
    finalizers_of,
    is_terminating,
    name,
    part,
    place_of,
    spec_of,
    status_of,
    uid,
    uid_of,
)
from podium.api.pods import is_finished, node_name_of
from podium.controllers.kit.controller_refs import owned_object
from podium.machines.effects import (
    Create,
    Effect,
    Replace,
    deletion_of,
    status_patch_of,
    without_finalizer,
)
from podium.machines.events import Change, Outcome
from podium.machines.reconciler.reconciler import (
    Calls,
    SequencedReconciler,
    SyncFailedError,
    existence_check,
    made,
)

_POD, _CLAIM, _TEMPLATE = "Pod", "ResourceClaim", "ResourceClaimTemplate"
_API_VERSION = "resource.k8s.io/v1"
_POD_TYPE = {"apiVersion": "v1", "kind": _POD}
_CLAIM_TYPE = {"apiVersion": _API_VERSION, "kind": _CLAIM}
POD_CLAIM_NAME = "resource.kubernetes.io/pod-claim-name"
"""The annotation of a generated claim: the entry in the pod's spec for which it was made."""

_BASE_LENGTH_MAX = 57


def _owner_uids(claim: Object) -> list[str]:
    owner = owner_pod(claim)
    return [] if owner is None else [str(owner.get("uid"))]


class ResourceClaimController(SequencedReconciler):
    """Creates claims of templates, and ends reservations of pods that are done.

    `creates` counts the creations that were tried, by success and by whether the claim asks for
    admin access.
    """

    name = "resource-claim-controller"
    kinds = frozenset({_POD, _CLAIM, _TEMPLATE})
    indexes = ((_POD, "claim", known_claim_names), (_CLAIM, "owner", _owner_uids))

    def __init__(self) -> None:
        super().__init__()
        self.creates: Counter[tuple[bool, bool]] = Counter()

    def keys_of(self, change: Change, before: Object | None) -> Iterator[Hashable]:
        if change.kind == _TEMPLATE:
            return
        place = place_of(change.obj)
        if change.kind == _CLAIM:
            if change.new is not None:
                yield _CLAIM, *place
            for pod in self.objects.by(_POD, "claim", "/".join(place)):
                yield _POD, *place_of(pod)
            return
        if change.new is None or _is_done(change.new):
            yield from ((_CLAIM, *claim.split("/")) for claim in known_claim_names(change.obj))
        if not spec_of(change.obj).get("resourceClaims"):
            return
        if change.new is not None and not is_terminating(change.new):
            yield _POD, *place

    def sync(self, key: Hashable, now_s: float) -> Calls[None]:
        assert isinstance(key, tuple)
        kind, *place = key
        obj = self.objects.at(kind, tuple(place))
        if obj is None:
            return
        if kind == _CLAIM:
            yield from self._sync_claim(obj)
        elif not is_terminating(obj):
            yield from self._sync_pod(obj)

    def _sync_pod(self, pod: Object) -> Calls[None]:
        generated: list[Object] = []
        for entry in entries(spec_of(pod), "resourceClaims"):
            if self._lacks_claim(pod, entry):
                claim = self._orphan(pod, entry) or (yield from self._new_claim(pod, entry))
                generated.append({"name": entry["name"], "resourceClaimName": name(claim)})
        if generated:
            status = {"resourceClaimStatuses": generated}
            yield from _succeeding(status_patch_of(_POD, pod, status))
        # The scheduler reserves the claims of the pods that it places.
        if not node_name_of(pod):
            return
        for claim_name in known_claim_names(pod):
            claim_place = tuple(claim_name.split("/"))
            known = self.objects.at(_CLAIM, claim_place)
            if known is None or not _is_reservable(pod, known):
                continue
            reserved = [*entries(status_of(known), "reservedFor"), pod_reference(pod)]
            yield from _succeeding(_with_status(known, reservedFor=reserved))

    def _lacks_claim(self, pod: Object, entry: Object) -> bool:
        if entry.get("resourceClaimTemplateName") is None:
            return False
        own = {**pod, "spec": {"resourceClaims": [entry]}}
        try:
            for _, claim_name, is_generated in pod_claim_names(own):
                claim = self.objects.get(_CLAIM, claim_name, place_of(pod)[0])
                check_usable(pod, claim, claim_name, is_generated)
        except ClaimError:
            return True
        return False

    def _orphan(self, pod: Object, entry: Object) -> Object | None:
        # The claim was created, but the pod's status couldn't be updated.
        owned = self.objects.by(_CLAIM, "owner", uid_of(pod))
        mine = (claim for claim in owned if annotations(claim).get(POD_CLAIM_NAME) == entry["name"])
        return next(mine, None)

    def _new_claim(self, pod: Object, entry: Object) -> Calls[Object]:
        template_name = entry["resourceClaimTemplateName"]
        template = self.objects.get(_TEMPLATE, template_name, place_of(pod)[0])
        if template is None:
            missing = f'resourceclaimtemplate.resource.k8s.io "{template_name}" not found'
            note = f'resource claim template "{template_name}": {missing}'
            self._record_failure(pod, entry, note)
            raise SyncFailedError
        spec = spec_of(template)
        metadata = {
            "generateName": _base_name(name(pod), entry["name"]),
            "labels": part(spec, "metadata", "labels"),
            "annotations": {**part(spec, "metadata", "annotations"), POD_CLAIM_NAME: entry["name"]},
        }
        owner = {**_POD_TYPE, **pod}
        claim = owned_object(owner, _API_VERSION, _CLAIM, metadata, spec=part(spec, "spec"))
        (outcome,) = yield from made([Create(kind=_CLAIM, obj=claim)])
        self.creates[outcome.error is None, asks_for_admin_access(claim)] += 1
        if outcome.error is not None or outcome.obj is None:
            self._record_failure(pod, entry, f"create ResourceClaim : {outcome.error}")
            raise SyncFailedError
        return outcome.obj

    def _record_failure(self, pod: Object, entry: Object, why: str) -> None:
        note = f"PodResourceClaim {entry['name']}: {why}"
        self.record(self.event(pod, "Warning", "FailedResourceClaimCreation", note))

    def _sync_claim(self, claim: Object) -> Calls[None]:
        consumers = entries(status_of(claim), "reservedFor")
        valid = []
        for consumer in consumers:
            is_used = yield from self._still_uses(claim, consumer)
            if is_used:
                valid.append(consumer)
        is_protected = FINALIZER in finalizers_of(claim)
        is_unused = not valid and (bool(consumers) or is_terminating(claim))
        if is_protected and is_unused:
            if consumers or allocation_of(claim) is not None:
                freed = _with_status(claim, reservedFor=None, allocation=None, devices=None)
                yield from _succeeding(freed)
            yield from _succeeding(without_finalizer(_CLAIM, claim, FINALIZER))
        elif len(valid) < len(consumers):
            yield from _succeeding(_with_status(claim, reservedFor=valid or None))
        if valid or is_terminating(claim):
            return
        owner = owner_pod(claim)
        if owner is None:
            return
        pod = self.objects.get(_POD, str(owner.get("name")), place_of(claim)[0])
        # The garbage collector deletes the claims of pods that are gone.
        if pod is not None and (uid(pod) != owner.get("uid") or _is_done(pod)):
            yield from _succeeding(deletion_of(_CLAIM, claim))

    def _still_uses(self, claim: Object, consumer: Object) -> Calls[bool]:
        namespace, pod_name = place_of(claim)[0], str(consumer.get("name"))
        if consumer.get("apiGroup") or consumer.get("resource") != "pods":
            raise SyncFailedError
        pod = self.objects.get(_POD, pod_name, namespace)
        if pod is not None:
            return uid(pod) == consumer.get("uid") and not _is_done(pod)
        # The watch of pods may lag behind that of claims.
        (outcome,) = yield from made([existence_check(_POD, pod_name, namespace)])
        if outcome.error is not None and outcome.error.reason != "NotFound":
            raise SyncFailedError
        return outcome.obj is not None and uid(outcome.obj) == consumer.get("uid")


def _is_done(pod: Object) -> bool:
    return is_finished(pod) or (is_terminating(pod) and not node_name_of(pod))


def _is_reservable(pod: Object, claim: Object) -> bool:
    consumers = entries(status_of(claim), "reservedFor")
    is_reserved = any(consumer.get("uid") == uid(pod) for consumer in consumers)
    is_full = len(consumers) >= RESERVATIONS_MAX
    return allocation_of(claim) is not None and not is_reserved and not is_full


def _base_name(pod_name: str, entry_name: str) -> str:
    """Return the start of a generated claim's name; both names are shortened in proportion."""
    whole = f"{pod_name}-{entry_name}-"
    if len(whole) <= _BASE_LENGTH_MAX:
        return whole
    shortened = [
        part[: len(part) * _BASE_LENGTH_MAX // len(whole)] for part in (pod_name, entry_name)
    ]
    return "-".join(shortened)


def _with_status(claim: Object, **changed: object) -> Replace:
    """Return an update of a claim's status, which fails if the claim has changed meanwhile."""
    merged = {**status_of(claim), **changed}
    status = {field: value for field, value in merged.items() if value is not None}
    updated = {**_CLAIM_TYPE, **claim, "status": status}
    return Replace(kind=_CLAIM, obj=updated, subresource="status")


def _succeeding(call: Effect) -> Calls[Outcome]:
    """Make a call; raise SyncFailedError if it fails."""
    (outcome,) = yield from made([call])
    if outcome.error is not None:
        raise SyncFailedError
    return outcome
