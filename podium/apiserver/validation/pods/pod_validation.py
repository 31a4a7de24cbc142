"""Checks of whole pods: metadata, specs and statuses, as far as Podium acts on them."""

from typing import Any

from podium.api.errors import FieldError
from podium.api.objects import annotations, part, spec_of
from podium.api.pods import DELETION_COST, parse_deletion_cost
from podium.api.priority import MIRROR_ANNOTATION
from podium.apiserver.validation import checks
from podium.apiserver.validation.checks import Faults, MinorFieldError, join
from podium.apiserver.validation.metadata import object_meta
from podium.apiserver.validation.pods.alike_pods import judged_alike
from podium.apiserver.validation.pods.containers import trimmed_images
from podium.apiserver.validation.pods.pod_specs import pod_spec
from podium.apiserver.validation.resource_requirements import (
    amounts,
    container_resources,
    pod_level_resources,
)

_condition = checks.fields(
    type=checks.needed(), status=checks.needed(checks.one_of("True", "False", "Unknown"))
)
_container_statuses = checks.each(
    checks.fields(
        name=checks.needed(),
        restartCount=checks.count,
        allocatedResources=amounts,
        resources=container_resources,
    )
)
# `alike_pods` compares these fields of statuses, so it has to change with them.
_status = checks.fields(
    phase=checks.unless_empty(
        checks.one_of("Pending", "Running", "Succeeded", "Failed", "Unknown")
    ),
    qosClass=checks.unless_empty(checks.one_of("Guaranteed", "Burstable", "BestEffort")),
    conditions=checks.each(_condition),
    initContainerStatuses=_container_statuses,
    containerStatuses=_container_statuses,
    allocatedResources=amounts,
    resources=pod_level_resources,
)


def _annotations(pod: Any, path: str) -> Faults:
    notes, where = annotations(pod), join(path, "metadata.annotations")
    if MIRROR_ANNOTATION in notes and not spec_of(pod).get("nodeName"):
        message = "must set spec.nodeName if mirror pod annotation is set"
        yield MinorFieldError(f"{where}[{MIRROR_ANNOTATION}]", notes[MIRROR_ANNOTATION], message)
    if DELETION_COST in notes and parse_deletion_cost(notes[DELETION_COST]) is None:
        field = f"{where}[{DELETION_COST}]"
        yield FieldError(field, notes[DELETION_COST], "must be a 32bit integer")


def gated_on_no_node(pod: Any, path: str) -> Faults:
    """Check that a pod with scheduling gates is created without a node."""
    spec = spec_of(pod)
    if spec.get("schedulingGates") and spec.get("nodeName"):
        message = "cannot be set until all schedulingGates have been cleared"
        yield checks.forbidden(join(path, "spec.nodeName"), message)


any_pod = checks.both(
    checks.fields(metadata=object_meta()),
    _annotations,
    checks.fields(spec=checks.needed(pod_spec)),
    lambda pod, path: trimmed_images(part(pod, "spec"), join(path, "spec")),
    checks.fields(status=_status),
)
"""Checks a whole pod, without caching."""

pod = judged_alike(any_pod)
"""Checks a whole pod; valid pods are cached, so that similar ones are checked quickly."""
