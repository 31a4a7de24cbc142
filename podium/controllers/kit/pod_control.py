"""Creation and deletion of workloads' pods, with events, as by PodControl of v1.36."""

from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from typing import Any

from podium.api.objects import Object, annotations, entries, labels, metadata_of, name, spec_of
from podium.controllers.kit.controller_refs import owned_object
from podium.machines.effects import Create, Delete, Effect, Record
from podium.machines.events import Outcome
from podium.machines.reconciler.reconciler import Reconciler

_NOTHING: Mapping[str, Any] = {}


class PodOwnerReconciler(Reconciler):
    """A controller whose objects own pods, and that records the creation and deletion of pods."""

    owner_kind: str
    """Kind of the objects that own pods."""
    replaces_pods = True

    def __init__(self) -> None:
        super().__init__()
        self.refusals: dict[Hashable, str] = {}
        """Messages of refused creations by key. While a key has one, its pods are created one at a
        time, like upstream's slow start."""

    def owner_of(self, key: Hashable) -> Object | None:
        """Return the object that a key stands for; None if it doesn't exist."""
        return self.objects.at(self.owner_kind, key) if isinstance(key, tuple) else None

    def carried_out(self, key: Hashable, outcome: Outcome) -> Iterable[Effect]:
        if isinstance(outcome.effect, Create):
            self.refusals.pop(key, None)
        return self._pod_events(key, outcome)

    def refused(self, key: Hashable, outcome: Outcome) -> Iterable[Effect]:
        error = outcome.error
        if error is not None and isinstance(outcome.effect, Create) and error.reason != "NotFound":
            self.refusals[key] = error.message
        return self._pod_events(key, outcome)

    def _pod_events(self, key: Hashable, outcome: Outcome) -> Iterator[Record]:
        owner, effect, error = self.owner_of(key), outcome.effect, outcome.error
        if owner is None or not isinstance(effect, Create | Delete) or effect.kind != "Pod":
            return
        creates = isinstance(effect, Create)
        reason = "Create" if creates else "Delete"
        if error is None:
            pod_name = effect.name if isinstance(effect, Delete) else name(outcome.obj or {})
            yield self.event(owner, "Normal", f"Successful{reason}", f"{reason}d pod: {pod_name}")
        elif error.reason != "NotFound":
            note = f"Error {reason.lower().removesuffix('e')}ing: {error.message}"
            yield self.event(owner, "Warning", f"Failed{reason}", note)


def new_pod(
    owner: Object,
    *,
    pod_name: str = "",
    prefix: str = "",
    extra_labels: Mapping[str, str] = _NOTHING,
    extra_annotations: Mapping[str, str] = _NOTHING,
    extra_finalizers: Sequence[str] = (),
    extra_spec: Mapping[str, Any] = _NOTHING,
) -> dict[str, Any]:
    """Return a new pod of the owner's template; extra labels, annotations and fields override it.

    Args:
        pod_name: name of the pod; if empty, the API server generates one.
        prefix: prefix of a generated name; if empty, the owner's name and a dash.
    """
    template = owner["spec"]["template"]
    named = {"name": pod_name} if pod_name else {"generateName": prefix or f"{name(owner)}-"}
    metadata = {
        **named,
        "labels": {**labels(template), **extra_labels},
        "annotations": {**annotations(template), **extra_annotations},
        "finalizers": [*entries(metadata_of(template), "finalizers"), *extra_finalizers],
    }
    return owned_object(owner, "v1", "Pod", metadata, spec={**spec_of(template), **extra_spec})
