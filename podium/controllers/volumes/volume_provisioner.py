"""A simulated provisioner: creates the volumes that claims wait for, and deletes released ones.

It stands in for the external provisioners of all storage classes except
`kubernetes.io/no-provisioner`. A volume's name contains its claim's uid. The volume is reachable
from the topology of the selected node's CSINode, or else from the class's allowed topologies.
"""

from collections.abc import Hashable, Iterable, Iterator
from typing import Any

from podium.api.objects import (
    Object,
    annotations,
    entries,
    is_terminating,
    labels,
    name,
    place_of,
    spec_of,
    uid_of,
)
from podium.api.objects import key as key_of
from podium.api.pods import phase_of
from podium.api.volumes.claims_and_volumes import (
    NO_PROVISIONER,
    SELECTED_NODE,
    WAIT_FOR_FIRST_CONSUMER,
    bound_to,
    storage_class_name,
    volume_name,
)
from podium.controllers.volumes.persistent_volumes import CLAIM, PROVISIONER, VOLUME, claim_of
from podium.machines.effects import Create, Effect, Record, deletion_of, event_of
from podium.machines.events import Change, Outcome
from podium.machines.reconciler.reconciler import Reconciler

PROVISIONING_S = 1.0
"""Default duration of the creation of a volume, in seconds."""

PROVISIONED_BY = "pv.kubernetes.io/provisioned-by"


class VolumeProvisioner(Reconciler):
    """Creates the volumes that claims wait for, and deletes released ones."""

    name = "volume-provisioner"
    kinds = frozenset({CLAIM, VOLUME, "StorageClass", "Node", "CSINode"})

    def __init__(self, latency_s: float = PROVISIONING_S) -> None:
        super().__init__()
        self._latency_s = latency_s
        self._due_s: dict[Hashable, float] = {}

    def keys_of(self, change: Change, before: Object | None) -> Iterator[Hashable]:
        if change.kind in (CLAIM, VOLUME):
            yield change.kind, *place_of(change.obj)

    def reconcile(self, key: Hashable, now_s: float) -> Iterator[Effect]:
        assert isinstance(key, tuple)
        kind, namespace, obj_name = key
        obj = self.objects.get(kind, obj_name, namespace)
        if kind == VOLUME:
            is_ours = obj is not None and PROVISIONED_BY in annotations(obj)
            if obj is None or is_terminating(obj) or not is_ours or phase_of(obj) != "Released":
                return
            if claim_of(obj) and obj["spec"].get("persistentVolumeReclaimPolicy") == "Delete":
                yield deletion_of(VOLUME, obj)
            return
        storage_class = self._class_of(obj)
        if obj is None or storage_class is None:
            self._due_s.pop(key, None)
            return
        if key not in self._due_s:
            self._due_s[key] = now_s + self._latency_s
            note = f'External provisioner is provisioning volume for claim "{key_of(obj)}"'
            yield self._record(obj, "Provisioning", note)
        if self._due_s[key] > now_s:
            self.look_again(key, self._due_s[key])
            return
        del self._due_s[key]
        yield Create(kind=VOLUME, obj=self._volume(obj, storage_class))

    def carried_out(self, key: Hashable, outcome: Outcome) -> Iterable[Effect]:
        assert isinstance(key, tuple)
        claim = self.objects.get(CLAIM, key[2], key[1]) if key[0] == CLAIM else None
        if claim is not None and isinstance(outcome.effect, Create):
            note = f"Successfully provisioned volume {name(outcome.effect.obj)}"
            yield self._record(claim, "ProvisioningSucceeded", note)

    def _class_of(self, claim: Object | None) -> Object | None:
        if claim is None or volume_name(claim) or is_terminating(claim):
            return None
        storage_class = self.objects.get("StorageClass", storage_class_name(claim))
        if storage_class is None:
            return None
        provisioner = storage_class.get("provisioner")
        if provisioner in (None, "", NO_PROVISIONER):
            return None
        marks = annotations(claim)
        waits = storage_class.get("volumeBindingMode") == WAIT_FOR_FIRST_CONSUMER
        if marks.get(PROVISIONER) != provisioner or (waits and SELECTED_NODE not in marks):
            return None
        is_made = self.objects.get(VOLUME, f"pvc-{uid_of(claim)}") is not None
        return None if is_made else storage_class

    def _volume(self, claim: Object, storage_class: Object) -> Object:
        spec = claim["spec"]
        provisioner, pv_name = str(storage_class["provisioner"]), f"pvc-{uid_of(claim)}"
        volume: dict[str, Any] = {
            "capacity": {"storage": spec["resources"]["requests"]["storage"]},
            "accessModes": spec.get("accessModes") or [],
            "persistentVolumeReclaimPolicy": storage_class.get("reclaimPolicy") or "Delete",
            "storageClassName": name(storage_class),
            "volumeMode": spec.get("volumeMode") or "Filesystem",
            "csi": {"driver": provisioner, "volumeHandle": pv_name},
        }
        if storage_class.get("mountOptions"):
            volume["mountOptions"] = storage_class["mountOptions"]
        if selected := annotations(claim).get(SELECTED_NODE):
            carried = labels(self.objects.get("Node", selected) or {})
            csi_node = self.objects.get("CSINode", selected) or {}
            reach = [
                {"key": label, "operator": "In", "values": [carried[label]]}
                for driver in entries(spec_of(csi_node), "drivers")
                if driver.get("name") == provisioner
                for label in driver.get("topologyKeys") or ()
                if label in carried
            ]
        else:
            allowed = (storage_class.get("allowedTopologies") or [{}])[0]
            reach = [
                {"key": expression["key"], "operator": "In", "values": [expression["values"][0]]}
                for expression in allowed.get("matchLabelExpressions") or ()
            ]
        if reach:
            terms = [{"matchExpressions": reach}]
            volume["nodeAffinity"] = {"required": {"nodeSelectorTerms": terms}}
        obj = {
            "apiVersion": "v1",
            "kind": VOLUME,
            "metadata": {"name": pv_name, "annotations": {PROVISIONED_BY: provisioner}},
            "spec": volume,
        }
        return bound_to(obj, claim)

    def _record(self, claim: Object, reason: str, note: str) -> Record:
        reporter = annotations(claim).get(PROVISIONER, self.name)
        return event_of(claim, reporter, "Normal", reason, note)
