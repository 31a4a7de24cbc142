"""What comes of a workload, and how a pod is made from a template."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from podium.api.meta import annotations, labels, name, namespace, uid

Object = Mapping[str, Any]


@dataclass(slots=True)
class Expansion:
    """What a workload's controllers would do until they are content.

    Attributes:
        pods: to be created, in order; as the controllers send them, without defaults.
        objects: to be created beside them: ReplicaSets, PersistentVolumeClaims.
        surplus: pods that exist and would be deleted, in order.
        notes: what else is worth knowing, in plain sentences.
    """

    pods: list[Object] = field(default_factory=list)
    objects: list[Object] = field(default_factory=list)
    surplus: list[Object] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)


def label_of(workload: Object) -> str:
    """`Kind namespace/name`, for notes."""
    return f"{workload['kind']} {namespace(workload)}/{name(workload)}"


def owner_reference(owner: Object) -> dict[str, Any]:
    """The reference to an object's controller."""
    return {
        "apiVersion": owner["apiVersion"],
        "kind": owner["kind"],
        "name": name(owner),
        "uid": uid(owner),
        "controller": True,
        "blockOwnerDeletion": True,
    }


def pod_from_template(
    owner: Object,
    called: str,
    *,
    extra_labels: Mapping[str, str] | None = None,
    extra_annotations: Mapping[str, str] | None = None,
    extra_spec: Mapping[str, Any] | None = None,
) -> dict[str, Any]:
    """A pod of the owner's template.

    Args:
        owner: its controller.
        called: its name.
        extra_labels: beside those of the template, and before them.
        extra_annotations: likewise.
        extra_spec: fields of the spec that replace the template's.
    """
    template = owner["spec"]["template"]
    metadata: dict[str, Any] = {
        "name": called,
        "namespace": namespace(owner),
        "labels": {**labels(template), **(extra_labels or {})},
        "ownerReferences": [owner_reference(owner)],
    }
    if noted := {**annotations(template), **(extra_annotations or {})}:
        metadata["annotations"] = noted
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": metadata,
        "spec": {**(template.get("spec") or {}), **(extra_spec or {})},
        "status": {"phase": "Pending"},
    }
