"""What controllers do with the pods of their objects: make them, and tell of them.

As v1.36's PodControl, in whose words events tell of pods.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from podium.api.objects import Object, annotations, labels, name, spec_of
from podium.control.effects import Create, Delete, Record, event_of
from podium.control.events import Outcome
from podium.controllers.kit.controller_refs import owner_reference

_NOTHING: Mapping[str, Any] = {}


def new_pod(
    owner: Object,
    *,
    called: str = "",
    prefix: str = "",
    extra_labels: Mapping[str, str] = _NOTHING,
    extra_annotations: Mapping[str, str] = _NOTHING,
    extra_finalizers: Sequence[str] = (),
    extra_spec: Mapping[str, Any] = _NOTHING,
) -> dict[str, Any]:
    """A pod of the owner's template.

    Args:
        owner: its controller.
        called: its name; if empty, the API server chooses one.
        prefix: what such a name begins with; the owner's name and a dash if empty.
        extra_labels: win over those of the template.
        extra_annotations: likewise.
        extra_finalizers: come after those of the template.
        extra_spec: fields of the spec that replace the template's.
    """
    template = owner["spec"]["template"]
    metadata = template.get("metadata") or {}
    named = {"name": called} if called else {"generateName": prefix or f"{name(owner)}-"}
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {
            **named,
            "namespace": owner["metadata"].get("namespace") or "",
            "labels": {**labels(template), **extra_labels},
            "annotations": {**annotations(template), **extra_annotations},
            "finalizers": [*(metadata.get("finalizers") or ()), *extra_finalizers],
            "ownerReferences": [owner_reference(owner)],
        },
        "spec": {**spec_of(template), **extra_spec},
    }


def pod_events(owner: Object, controller: str, outcome: Outcome) -> Iterator[Record]:
    """The event about a pod that was, or couldn't be, created or deleted for its owner."""
    effect, error = outcome.effect, outcome.error
    if not isinstance(effect, Create | Delete) or effect.kind != "Pod":
        return
    creates = isinstance(effect, Create)
    if error is None:
        called = effect.name if isinstance(effect, Delete) else name(outcome.obj or {})
        verb, reason = (
            ("Created", "SuccessfulCreate") if creates else ("Deleted", "SuccessfulDelete")
        )
        yield event_of(owner, controller, "Normal", reason, f"{verb} pod: {called}")
    elif error.reason != "NotFound":
        verb, reason = ("creating", "FailedCreate") if creates else ("deleting", "FailedDelete")
        yield event_of(owner, controller, "Warning", reason, f"Error {verb}: {error.message}")
