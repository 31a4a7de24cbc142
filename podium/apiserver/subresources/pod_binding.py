"""Binding: a pod is given its node, once.

The rules are those of the `binding` subresource in v1.36. Whether the node exists, or has room for
the pod, isn't asked: the node itself refuses what doesn't fit.
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
    """Judge a Binding by itself; raises RefusedError: 500, as upstream has it, it names no node."""
    target, faults = part(binding, "target"), []
    if target.get("kind") not in (None, "", "Node"):
        faults.append(unsupported("target.kind", target["kind"], ("Node", "<empty>")))
    if not target.get("name"):
        faults.append(FieldError("target.name", None, "", ErrorKind.REQUIRED))
    if faults:
        raise internal(aggregate(faults))


def bind(pod: Object, binding: Object, now_s: float) -> Object:
    """The pod on the node of a checked Binding, whose annotations and labels go over to it.

    Raises RefusedError: 409, it isn't that pod any more, or it can't be given a node.
    """
    metadata, spec, given = pod["metadata"], pod["spec"], metadata_of(binding)
    name, why = metadata["name"], ""
    for title, field in (("UID", "uid"), ("ResourceVersion", "resourceVersion")):
        if given.get(field) and given[field] != metadata[field]:
            place, found = metadata["namespace"], metadata[field]
            why = _PRECONDITION.format(place, name, title, given[field], found)
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
