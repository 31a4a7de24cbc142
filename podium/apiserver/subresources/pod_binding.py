"""Binding: a pod is given its node, once.

The rules are those of the `binding` subresource in v1.36. Whether the node exists, or has room for
the pod, isn't asked: the node itself refuses what doesn't fit.
"""

from collections.abc import Iterator

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
    """Judge a Binding by itself.

    Raises:
        RefusedError: 500, as upstream has it: it isn't about a node, or doesn't name one.
    """
    if faults := list(_faults(part(binding, "target"))):
        raise internal(aggregate(faults))


def bind(pod: Object, binding: Object, now_s: float) -> Object:
    """The pod on its node.

    Args:
        binding: a Binding that has been checked; its annotations and labels go over to the pod,
            its uid and resourceVersion, if any, must be the pod's.

    Raises:
        RefusedError: 409, it isn't that pod any more, or it can't be given a node.
    """
    _check_preconditions(pod["metadata"], metadata_of(binding))
    if why := _obstacle(pod):
        raise conflict("pods/binding", pod["metadata"]["name"], why)
    status = dict(status_of(pod))
    status["conditions"] = with_condition(status.get("conditions"), _SCHEDULED, now_s)
    status.pop("nominatedNodeName", None)
    return {
        **pod,
        "metadata": _with_marks(pod["metadata"], metadata_of(binding)),
        "spec": {**pod["spec"], "nodeName": binding["target"]["name"]},
        "status": status,
    }


def _faults(target: Object) -> Iterator[FieldError]:
    kind = target.get("kind")
    if kind and kind != "Node":
        yield unsupported("target.kind", kind, ("Node", "<empty>"))
    if not target.get("name"):
        yield FieldError("target.name", None, "", ErrorKind.REQUIRED)


def _check_preconditions(metadata: Object, wanted: Object) -> None:
    for title, field in (("UID", "uid"), ("ResourceVersion", "resourceVersion")):
        asked, found = wanted.get(field), metadata[field]
        if asked and asked != found:
            place, name = metadata["namespace"], metadata["name"]
            why = _PRECONDITION.format(place, name, title, asked, found)
            raise conflict("pods", name, why)


def _obstacle(pod: Object) -> str:
    """Why the pod can't be given a node; empty if it can."""
    metadata, spec = pod["metadata"], pod["spec"]
    if metadata.get("deletionTimestamp"):
        return f"pod {metadata['name']} is being deleted, cannot be assigned to a host"
    if spec.get("nodeName"):
        return f'pod {metadata["name"]} is already assigned to node "{spec["nodeName"]}"'
    if spec.get("schedulingGates"):
        return f"pod {metadata['name']} has non-empty .spec.schedulingGates"
    return ""


def _with_marks(metadata: Object, given: Object) -> Object:
    marks = {
        field: {**part(metadata, field), **given[field]}
        for field in ("annotations", "labels")
        if given.get(field)
    }
    return {**metadata, **marks} if marks else metadata
