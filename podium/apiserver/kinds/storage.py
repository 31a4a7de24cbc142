"""Volumes, claims, storage classes, CSI drivers and attachments: validation and warnings."""

from collections.abc import Iterator
from typing import Any

from podium.api.errors import ErrorKind, FieldError, unsupported
from podium.api.kinds.builtin_kinds import KINDS
from podium.api.objects import Object, annotations, entries, part, spec_of, status_of, without
from podium.api.pods import resources_of
from podium.api.values.quantity import NANOS_PER_UNIT, nanos
from podium.api.values.times import timestamp
from podium.api.volumes.claims_and_volumes import CLASS_ANNOTATION
from podium.apiserver.internal_types import difference, internal
from podium.apiserver.kinds.registration import rules
from podium.apiserver.kinds.registration.registration import Registration
from podium.apiserver.validation import checks
from podium.apiserver.validation.checks import Faults, MinorFieldError, join
from podium.apiserver.validation.names import label_key, object_check, subdomain
from podium.apiserver.validation.pods import pod_warnings, volumes
from podium.apiserver.validation.pods.pod_warnings import DEPRECATED_LABELS
from podium.apiserver.validation.resource_requirements import amounts as valid_amounts
from podium.apiserver.validation.selectors import label_selector, node_selector

_CLAIM_FIXED = (
    "spec is immutable after creation except resources.requests and volumeAttributesClassName "
    "for bound claims"
)
_NO_SOURCES = (
    "accessModes",
    "capacity",
    "claimRef",
    "mountOptions",
    "nodeAffinity",
    "persistentVolumeReclaimPolicy",
    "storageClassName",
    "volumeAttributesClassName",
    "volumeMode",
)
_ATTRIBUTES_CLASS = "spec.volumeAttributesClassName"
_REQUESTED = "spec.resources.requests.storage"
_DEPRECATED_SOURCES = ("cephfs", "photonPersistentDisk", "scaleIO", "storageos", "glusterfs", "rbd")


def _update_volume_status(new: Object, old: Object, now_s: float) -> Object:
    status, before = status_of(new), status_of(old)
    field = "lastPhaseTransitionTime"
    if status.get("phase") == before.get("phase") or status.get(field) != before.get(field):
        return new
    return {**new, "status": {**status, field: timestamp(now_s)}}


def _capacity(amounts: Any, path: str) -> Faults:
    if not amounts:
        yield MinorFieldError(path, None, "", ErrorKind.REQUIRED)
    if list(amounts) != ["storage"]:
        shown = dict(sorted(amounts.items())) or None
        fault = unsupported(path, shown, ("storage",))
        yield MinorFieldError(path, shown, fault.message, fault.kind)
    for name, amount in amounts.items():
        if nanos(amount) < 0:
            pieces = nanos(amount) // NANOS_PER_UNIT
            yield MinorFieldError(f"{path}[{name}]", pieces, "must be a valid resource quantity")
        yield from checks.detail(volumes.some_amount)(amount, f"{path}[{name}]")


def _node_affinity(affinity: Any, path: str) -> Faults:
    if affinity.get("required") is None:
        where, message = join(path, "required"), "must specify required node constraints"
        yield MinorFieldError(where, None, message, ErrorKind.REQUIRED)
    else:
        yield from node_selector(affinity["required"], join(path, "required"))


def _source(spec: Any, path: str) -> Faults:
    for field in ("hostPath", "local"):
        if spec.get(field) is not None and not spec[field].get("path"):
            yield MinorFieldError(join(path, f"{field}.path"), None, "", ErrorKind.REQUIRED)
    if spec.get("local") is not None and spec.get("nodeAffinity") is None:
        message = "Local volume requires node affinity"
        yield MinorFieldError(join(path, "nodeAffinity"), None, message, ErrorKind.REQUIRED)
    elif not _sources(spec):
        yield MinorFieldError(path, None, "must specify a volume type", ErrorKind.REQUIRED)


def _claim_spec(new: Object, old: Object) -> Faults:
    spec, before = dict(spec_of(new)), spec_of(old)
    known: dict[str, Any] = dict(before)
    if not before.get("volumeName"):
        known["volumeName"] = spec.get("volumeName")
    note, note_before = (annotations(claim).get(CLASS_ANNOTATION) for claim in (new, old))
    named, had_class = spec.get("storageClassName"), before.get("storageClassName") is not None
    if named is not None and not had_class and note_before in (None, named):
        # A claim without a class may be given one, if it isn't another than its annotation has.
        known["storageClassName"] = named
    elif note != note_before:
        path = f"metadata.annotations[{CLASS_ANNOTATION}]"
        yield FieldError(path, note or "", "field is immutable")
    if rules.at(new, "status.phase") == "Bound":
        # The size and the class of attributes may change.
        resources = resources_of(spec)
        if resources.get("requests"):
            size = rules.at(before, "resources.requests.storage")
            requests = {**resources["requests"], "storage": size or "0"}
            spec["resources"] = {**resources, "requests": requests}
        if spec.get("volumeAttributesClassName") is not None:
            spec["volumeAttributesClassName"] = before.get("volumeAttributesClassName")
    shown, stored = (internal("PersistentVolumeClaimSpec", one) for one in (spec, known))
    if shown != stored:
        yield checks.forbidden("spec", f"{_CLAIM_FIXED}\n{difference(stored, shown)}")
    size, size_before = (nanos(rules.at(one, _REQUESTED) or 0) for one in (new, old))
    # A claim that couldn't grow may ask for less again, but for more than it has.
    if size < size_before and size <= nanos(rules.at(old, "status.capacity.storage") or 0):
        yield checks.forbidden(_REQUESTED, "field can not be less than status.capacity")
    yield from rules.immutable("spec.volumeMode", "volumeMode")(new, old)
    yield from _attributes_class_stays(new, old, empty_too=True)


def _attributes_class_stays(new: Object, old: Object, *, empty_too: bool) -> Faults:
    now, before = rules.at(new, _ATTRIBUTES_CLASS), rules.at(old, _ATTRIBUTES_CLASS)
    if before is None or now == before:
        return
    if now is None:
        yield checks.forbidden(_ATTRIBUTES_CLASS, "update from non-nil value to nil is forbidden")
    elif empty_too and not now:
        message = "update from non-nil value to an empty string is forbidden"
        yield checks.forbidden(_ATTRIBUTES_CLASS, message)


def _volume_update(new: Object, old: Object) -> Faults:
    now, before = (_sources(spec_of(one)) for one in (new, old))
    if "csi" in now and part(before, "csi").get("controllerExpandSecretRef") is None:
        now["csi"] = without(now["csi"], "controllerExpandSecretRef")
    if not rules.same(now, before):
        path = "spec.persistentvolumesource"
        yield checks.forbidden(path, f"{path} is immutable after creation")
    yield from rules.immutable("spec.volumeMode", "volumeMode")(new, old)
    affinity, known = rules.at(new, "spec.nodeAffinity"), rules.at(old, "spec.nodeAffinity")
    if known is not None and not rules.same(affinity, known):
        message = "field is immutable, except for updating from beta label to GA"
        yield FieldError("nodeAffinity", "null" if affinity is None else affinity, message)
    yield from _attributes_class_stays(new, old, empty_too=False)


def _sources(spec: Object) -> dict[str, Any]:
    return {
        field: value
        for field, value in spec.items()
        if value is not None and field not in _NO_SOURCES
    }


def _claim_capacity(new: Object, _old: Object) -> Faults:
    if not rules.at(new, "spec.accessModes"):
        yield FieldError("Spec.accessModes", None, "", ErrorKind.REQUIRED)
    for name, amount in part(status_of(new), "capacity").items():
        if nanos(amount) < 0:
            path = f"status.capacity[{name}]"
            yield FieldError(path, amount, "must be a valid resource quantity")


_valid_volume = object_check(
    spec=checks.needed(
        checks.both(
            checks.fields(
                accessModes=checks.absent_as((), volumes.access_modes()),
                capacity=checks.absent_as({}, _capacity),
                persistentVolumeReclaimPolicy=checks.one_of("Delete", "Recycle", "Retain"),
                nodeAffinity=_node_affinity,
                csi=checks.fields(driver=checks.needed(), volumeHandle=checks.needed()),
            ),
            _source,
            checks.fields(storageClassName=volumes.class_name, volumeMode=volumes.volume_mode),
        )
    ),
    status=checks.fields(
        phase=checks.one_of("Pending", "Available", "Bound", "Released", "Failed")
    ),
)


def _volume_warnings(volume: Object) -> Iterator[str]:
    spec = spec_of(volume)
    yield from _old_class(volume)
    if spec.get("persistentVolumeReclaimPolicy") == "Recycle":
        instead = "Instead, the recommended approach is to use dynamic provisioning."
        text = f"The Recycle reclaim policy is deprecated. {instead}"
        yield f"spec.persistentVolumeReclaimPolicy: {text}"
    where = "spec.nodeAffinity.required.nodeSelectorTerms"
    terms = entries(part(spec, "nodeAffinity", "required"), "nodeSelectorTerms")
    for index, term in enumerate(terms):
        yield from pod_warnings.term_warnings(term, f"{where}[{index}]")
    for field in _DEPRECATED_SOURCES:
        if spec.get(field) is not None:
            yield f"spec.{pod_warnings.DEPRECATED_VOLUMES[field]}"


def _claim_warnings(claim: Object) -> Iterator[str]:
    yield from _old_class(claim)
    yield from pod_warnings.claim_warnings(spec_of(claim), "spec")


def _old_class(obj: Object) -> Iterator[str]:
    if CLASS_ANNOTATION in annotations(obj):
        instead = 'deprecated since v1.8; use "storageClassName" attribute instead'
        yield f"metadata.annotations[{CLASS_ANNOTATION}]: {instead}"


PERSISTENT_VOLUME = Registration(
    kind=KINDS["PersistentVolume"],
    warnings=_volume_warnings,
    validate=_valid_volume,
    # A volume is judged as a new one, and once more as a changed one.
    validate_update=rules.all_of(
        rules.valid(_valid_volume), rules.valid(_valid_volume), _volume_update
    ),
    validate_subresource_update={"status": rules.metadata},
    create=lambda volume, creation: {
        **volume,
        "status": {"phase": "Pending", "lastPhaseTransitionTime": timestamp(creation.now_s)},
    },
    subresources={"status": _update_volume_status},
)

PERSISTENT_VOLUME_CLAIM = Registration(
    kind=KINDS["PersistentVolumeClaim"],
    warnings=_claim_warnings,
    validate=object_check(
        spec=checks.needed(volumes.claim_spec),
        status=checks.fields(
            phase=checks.one_of("Pending", "Bound", "Lost"), capacity=valid_amounts
        ),
    ),
    validate_change=_claim_spec,
    validate_subresource_update={"status": rules.all_of(rules.metadata, _claim_capacity)},
    create=lambda claim, _: {**claim, "status": {"phase": "Pending"}},
)


def _known_drivers(new: Object, old: Object) -> Faults:
    known = {driver.get("name"): driver for driver in rules.at(old, "spec.drivers") or ()}
    for driver in rules.at(new, "spec.drivers") or ():
        before = known.get(driver.get("name"))
        if before is not None and without(driver, "allocatable") != without(before, "allocatable"):
            yield FieldError("CSINodeDriver", driver, "field is immutable")


_terms = checks.each(
    checks.fields(
        matchLabelExpressions=checks.each(
            checks.fields(values=checks.needed(), key=checks.absent_as("", label_key))
        )
    )
)


def _topologies(terms: Any, path: str) -> Faults:
    yield from _terms(terms, path)
    # As in kube-apiserver, an empty term repeats as many others as there are terms.
    known: list[dict[str, set[str]]] = [{} for _ in terms]
    for index, term in enumerate(terms):
        where, found = f"{path}[{index}].matchLabelExpressions", dict[str, set[str]]()
        for position, requirement in enumerate(entries(term, "matchLabelExpressions")):
            key, values = requirement.get("key") or "", entries(requirement, "values")
            for place, text in enumerate(values):
                if text in values[:place]:
                    yield checks.duplicate(f"{where}[{position}].values[{place}]", text)
            if key in found:
                yield checks.duplicate(f"{where}[{position}].key", key)
            found[key] = set(values)
        for _ in range(known.count(found)):
            yield checks.duplicate(where, "")
        known.append(found)


_valid_class = object_check(
    provisioner=checks.needed(),
    reclaimPolicy=checks.one_of("Delete", "Retain"),
    volumeBindingMode=checks.one_of("Immediate", "WaitForFirstConsumer"),
    allowedTopologies=_topologies,
)
_valid_node = object_check(
    spec=checks.fields(
        drivers=checks.each(
            checks.fields(
                name=checks.needed(subdomain),
                nodeID=checks.needed(),
                topologyKeys=checks.each(label_key),
                allocatable=checks.fields(count=checks.count),
            )
        )
    )
)


def _class_warnings(storage_class: Object) -> Iterator[str]:
    for index, term in enumerate(entries(storage_class, "allowedTopologies")):
        for place, requirement in enumerate(entries(term, "matchLabelExpressions")):
            if requirement.get("key") in DEPRECATED_LABELS:
                at = f"allowedTopologies[{index}].matchLabelExpressions[{place}]"
                yield f"{at}: {DEPRECATED_LABELS[requirement['key']]}"


def _capacity_warnings(capacity: Object) -> Iterator[str]:
    topology = part(capacity, "nodeTopology")
    for index, requirement in enumerate(entries(topology, "matchExpressions")):
        if (name := requirement.get("key", "")) in DEPRECATED_LABELS:
            at = f"nodeTopology.matchExpressions[{index}]"
            yield f"{at}: {name} is {DEPRECATED_LABELS[name]}"
    for name in topology.get("matchLabels") or ():
        if name in DEPRECATED_LABELS:
            yield f"nodeTopology.matchLabels.{name}: {DEPRECATED_LABELS[name]}"


STORAGE_CLASS = Registration(
    kind=KINDS["StorageClass"],
    warnings=_class_warnings,
    validate=_valid_class,
    validate_update=rules.all_of(
        rules.valid(_valid_class),
        rules.metadata,
        rules.immutable("parameters"),
        rules.fixed("provisioner", "updates to provisioner are forbidden."),
        rules.fixed("reclaimPolicy", "updates to reclaimPolicy are forbidden."),
    ),
)

CSI_NODE = Registration(
    kind=KINDS["CSINode"],
    validate=_valid_node,
    validate_update=rules.all_of(rules.valid(_valid_node), _known_drivers),
)

CSI_DRIVER = Registration(
    kind=KINDS["CSIDriver"],
    validate=object_check(),
    validate_change=rules.immutable("spec.attachRequired", "spec.attachedRequired"),
)

CSI_STORAGE_CAPACITY = Registration(
    kind=KINDS["CSIStorageCapacity"],
    warnings=_capacity_warnings,
    validate=object_check(
        storageClassName=checks.needed(subdomain),
        nodeTopology=label_selector,
        capacity=checks.quantity,
        maximumVolumeSize=checks.quantity,
    ),
)

VOLUME_ATTACHMENT = Registration(
    kind=KINDS["VolumeAttachment"],
    # The defaults of a PersistentVolume's spec aren't those of an inline one.
    is_filled_by_schema=False,
    validate=object_check(
        spec=checks.needed(
            checks.fields(
                attacher=checks.needed(), nodeName=checks.needed(), source=checks.needed()
            )
        )
    ),
    validate_update=rules.immutable("spec"),
)
