"""Binds claims to volumes where the scheduler has said which, or on which node one is wanted.

Claims that nobody decided about stay as they are: whether anything would be provisioned for them
at once isn't known from a state. A volume that is made here can be used anywhere.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from podium.api.meta import annotations, name, namespace, uid
from podium.control.effects import Create, Effect, Patch
from podium.control.events import Change, Event
from podium.core.volumes import BIND_COMPLETED, SELECTED_NODE

Object = Mapping[str, Any]


class ClaimBinder:
    """The machine that does what the scheduler's VolumeBinding waits for."""

    name = "persistentvolume-binder"
    kinds = frozenset({"PersistentVolume", "PersistentVolumeClaim"})

    def step(self, event: Event, now_s: float) -> Sequence[Effect]:
        """Act on a volume that is meant for a claim, and on a claim that is meant for a node."""
        if not isinstance(event, Change) or event.old is None or event.new is None:
            return ()
        if event.kind == "PersistentVolume":
            return list(_claimed(event.old, event.new))
        return list(_selected(event.old, event.new))

    def next_wakeup_s(self) -> float | None:
        """Never: it acts at once."""
        return None


def _claimed(old: Object, new: Object) -> Iterator[Effect]:
    reference = new["spec"].get("claimRef")
    if reference and not old["spec"].get("claimRef"):
        yield from _bind(reference["namespace"], reference["name"], name(new))


def _selected(old: Object, new: Object) -> Iterator[Effect]:
    was_selected = SELECTED_NODE in annotations(old)
    if was_selected or SELECTED_NODE not in annotations(new) or new["spec"].get("volumeName"):
        return
    volume = f"pvc-{uid(new)}"
    spec = new["spec"]
    yield Create(
        kind="PersistentVolume",
        obj={
            "apiVersion": "v1",
            "kind": "PersistentVolume",
            "metadata": {"name": volume},
            "spec": {
                "capacity": (spec.get("resources") or {}).get("requests") or {},
                "accessModes": spec.get("accessModes") or ["ReadWriteOnce"],
                "storageClassName": spec.get("storageClassName") or "",
                "hostPath": {"path": f"/{volume}"},
                "claimRef": {
                    "apiVersion": "v1",
                    "kind": "PersistentVolumeClaim",
                    "namespace": namespace(new),
                    "name": name(new),
                    "uid": uid(new),
                },
            },
        },
    )
    yield from _bind(namespace(new), name(new), volume)


def _bind(place: str, claim: str, volume: str) -> Iterator[Effect]:
    body = {
        "metadata": {"annotations": {BIND_COMPLETED: "yes"}},
        "spec": {"volumeName": volume},
    }
    yield Patch(kind="PersistentVolumeClaim", namespace=place, name=claim, body=body)
    for kind, where, called in (
        ("PersistentVolumeClaim", place, claim),
        ("PersistentVolume", "", volume),
    ):
        yield Patch(
            kind=kind,
            namespace=where,
            name=called,
            body={"status": {"phase": "Bound"}},
            subresource="status",
        )
