"""Storage classes, CSI drivers and their capacity, and attachments of volumes."""

from collections.abc import Iterator
from typing import Any

from podium.api.errors import FieldError
from podium.api.kinds.builtin_kinds import KINDS
from podium.api.objects import Object, entries, part, without
from podium.apiserver.kinds.registration import rules
from podium.apiserver.kinds.registration.registration import Registration
from podium.apiserver.validation import checks
from podium.apiserver.validation.metadata import object_check
from podium.apiserver.validation.names import label_key, subdomain
from podium.apiserver.validation.pods.pod_warnings import DEPRECATED_LABELS
from podium.apiserver.validation.selectors import label_selector


def _known_drivers(new: Object, old: Object) -> checks.Faults:
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


def _topologies(terms: Any, path: str) -> checks.Faults:
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
