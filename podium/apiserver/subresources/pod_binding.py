"""Binding: assigns a pod to a node, once, as in v1.36.

It isn't checked whether the node exists and the pod fits; the kubelet rejects pods that don't fit.
"""

from podium.api.conditions import with_condition
from podium.api.errors import ErrorKind, FieldError, aggregate, unsupported
from podium.api.objects import Object, metadata_of, part, status_of
from podium.apiserver.refusals import conflict, internal

_SCHEDULED = {"type": "PodScheduled", "status": "True", "lastProbeTime": None}
_PRECONDITION = (
    "StorageError: invalid object, Code: 4, Key: /registry/pods/{0}/{1}, ResourceVersion: 0, "
    "AdditionalErrorMsg: Precondition failed: {2} in precondition: {3}, {2} in object meta: {4}"
)


def check_binding(binding: Object) -> None:
    """Validate a Binding; raises RefusedError (500, as kube-apiserver)."""
    target, faults = part(binding, "target"), []
    if target.get("kind") not in (None, "", "Node"):
        faults.append(unsupported("target.kind", target["kind"], ("Node", "<empty>")))
    if not target.get("name"):
        faults.append(FieldError("target.name", None, "", ErrorKind.REQUIRED))
    if faults:
        raise internal(aggregate(faults))


def bind(pod: Object, binding: Object, now_s: float) -> Object:
    """Return a pod with node, annotations and labels of a valid Binding; raises RefusedError."""
    metadata, spec, given = pod["metadata"], pod["spec"], metadata_of(binding)
    name, why = metadata["name"], ""
    for title, field in (("UID", "uid"), ("ResourceVersion", "resourceVersion")):
        if given.get(field) and given[field] != metadata[field]:
            namespace, current = metadata["namespace"], metadata[field]
            why = _PRECONDITION.format(namespace, name, title, given[field], current)
            raise conflict("pods", name, why)
    if metadata.get("deletionTimestamp"):
        why = f"pod {name} is being deleted, cannot be assigned to a host"
    elif spec.get("nodeName"):
        why = f'pod {name} is already assigned to node "{spec["nodeName"]}"'
    elif spec.get("schedulingGates"):
        why = f"pod {name} has non-empty .spec.schedulingGates"
    if why:
        raise conflict("pods/binding", name, why)
    marks = {
        field: {**part(metadata, field), **given[field]}
        for field in ("annotations", "labels")
        if given.get(field)
    }
    status = dict(status_of(pod))
    status["conditions"] = with_condition(status.get("conditions"), _SCHEDULED, now_s)
    status.pop("nominatedNodeName", None)
    return {
        **pod,
        "metadata": {**metadata, **marks} if marks else metadata,
        "spec": {**spec, "nodeName": binding["target"]["name"]},
        "status": status,
    }
