"""Pods: their metadata, specs and statuses, as far as Podium acts on them."""

from collections.abc import Iterable
from types import GenericAlias
from typing import Any

import msgspec
from msgspec import UNSET, UnsetType

from podium.api.errors import FieldError
from podium.api.pods import DELETION_COST, parse_deletion_cost
from podium.api.priority import MIRROR_ANNOTATION
from podium.apiserver.validation import checks
from podium.apiserver.validation.checks import Faults, MinorFieldError, Part, a_dict, join
from podium.apiserver.validation.metadata import object_meta
from podium.apiserver.validation.pods.alike_pods import judged_alike
from podium.apiserver.validation.pods.containers import trimmed_images
from podium.apiserver.validation.pods.pod_specs import pod_spec
from podium.apiserver.validation.resource_requirements import (
    amounts,
    container_resources,
    pod_level_resources,
)

_CONDITION: dict[str, Part] = {
    "type": checks.needed(checks.text),
    "status": checks.needed(checks.one_of("True", "False", "Unknown")),
    "reason": checks.text,
    "lastTransitionTime": checks.time,
}
_CONTAINER_STATUS: dict[str, Part] = {
    "name": checks.needed(checks.text),
    "restartCount": checks.count,
    "allocatedResources": amounts,
    "resources": container_resources,
}
_container_statuses = checks.each(checks.fields(**_CONTAINER_STATUS))
_STATUS: dict[str, Part] = {
    "phase": checks.one_of("Pending", "Running", "Succeeded", "Failed", "Unknown", empty=True),
    "qosClass": checks.one_of("Guaranteed", "Burstable", "BestEffort", empty=True),
    "nominatedNodeName": checks.text,
    "reason": checks.text,
    "resize": checks.text,
    "startTime": checks.time,
    "conditions": checks.each(checks.fields(**_CONDITION)),
    "initContainerStatuses": _container_statuses,
    "containerStatuses": _container_statuses,
    "allocatedResources": amounts,
    "resources": pod_level_resources,
}


def _struct(fields: Iterable[str], **types: Any) -> Any:
    """A type of which msgspec makes a value fast, with none but these fields."""
    return msgspec.defstruct(
        "Part", [(name, types.get(name, Any) | UnsetType, UNSET) for name in fields]
    )


_ContainerStatuses = GenericAlias(list, (_struct(_CONTAINER_STATUS),))
_JudgedStatus = _struct(
    _STATUS,
    conditions=GenericAlias(list, (_struct(_CONDITION),)),
    initContainerStatuses=_ContainerStatuses,
    containerStatuses=_ContainerStatuses,
)


def _status_part(status: Any) -> Any:
    """What is judged of a status, made ten times as fast as by hand; all of an odd one."""
    try:
        return msgspec.convert(status, _JudgedStatus)
    except msgspec.ValidationError:
        return status


def _annotations(pod: Any, path: str) -> Faults:
    notes = a_dict(a_dict(pod.get("metadata")).get("annotations"))
    where = join(path, "metadata.annotations")
    if MIRROR_ANNOTATION in notes and not a_dict(pod.get("spec")).get("nodeName"):
        message = "must set spec.nodeName if mirror pod annotation is set"
        yield MinorFieldError(f"{where}[{MIRROR_ANNOTATION}]", notes[MIRROR_ANNOTATION], message)
    if DELETION_COST in notes:
        cost = notes[DELETION_COST]
        if not isinstance(cost, str) or parse_deletion_cost(cost) is None:
            yield FieldError(f"{where}[{DELETION_COST}]", cost, "must be a 32bit integer")


def gated_on_no_node(pod: Any, path: str) -> Faults:
    """What gates keep from being scheduled is created on no node."""
    spec = a_dict(pod.get("spec"))
    if spec.get("schedulingGates") and spec.get("nodeName"):
        message = "cannot be set until all schedulingGates have been cleared"
        yield checks.forbidden(join(path, "spec.nodeName"), message)


any_pod = checks.in_turn(
    checks.fields(metadata=object_meta()),
    _annotations,
    checks.fields(spec=checks.needed(pod_spec)),
    lambda pod, path: trimmed_images(a_dict(pod.get("spec")), join(path, "spec")),
    checks.fields(status=checks.fields(**_STATUS)),
)
"""A whole pod, judged whether others like it were or not."""

pod = judged_alike(any_pod, _status_part)
"""A whole pod."""
