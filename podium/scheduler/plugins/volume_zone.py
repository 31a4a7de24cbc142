"""VolumeZone: a node must be in the zone and region that labels of the pod's bound volumes name.

Only labels of persistent volumes count, and only on nodes with such labels. VolumeBinding checks
node affinity of volumes. The rules are those of v1.36.
"""

from collections.abc import Mapping, Sequence

import numpy as np

from podium.api.objects import Object, labels
from podium.api.volumes.claims_and_volumes import (
    WAIT_FOR_FIRST_CONSUMER,
    ZONES_DELIMITER,
    claim_uses,
    storage_class_name,
    volume_name,
)
from podium.api.well_known import REGION_LABEL, ZONE_LABEL
from podium.scheduler.framework.cluster_events import (
    Action,
    EventHint,
    EventResource,
    after_change,
    after_difference,
    claim_is_named,
)
from podium.scheduler.framework.handle import Handle
from podium.scheduler.framework.interface import PASSES, FilterState, FixedCodes, PreFilterResult
from podium.scheduler.framework.status import unresolvable
from podium.scheduler.snapshot.arrays import Mask
from podium.scheduler.snapshot.pod_classes import PodClass
from podium.scheduler.snapshot.pod_info import PodInfo
from podium.scheduler.snapshot.volumes.csi_migration import BETA_REGION_LABEL, BETA_ZONE_LABEL
from podium.scheduler.snapshot.volumes.pod_claims import not_found, used_claims
from podium.scheduler.snapshot.volumes.volume_topology import VolumeTopology

ELSEWHERE = -1
_REASON = "node(s) had no available volume zone"

# The labels that are compared on nodes without the older ones.
_SUCCESSORS = {
    BETA_ZONE_LABEL: ZONE_LABEL,
    BETA_REGION_LABEL: REGION_LABEL,
    ZONE_LABEL: ZONE_LABEL,
    REGION_LABEL: REGION_LABEL,
}


class VolumeZone:
    """Rules out nodes in other zones than the pod's volumes (PreFilter, Filter)."""

    name = "VolumeZone"

    def __init__(self, handle: Handle) -> None:
        self._listers = handle.listers
        self._topology = VolumeTopology(handle.snapshot)

    def events_to_register(self) -> Sequence[EventHint]:
        changed = Action.ADD | Action.UPDATE
        return (
            after_change(
                EventResource.STORAGE_CLASS,
                Action.ADD,
                lambda pod, old, new: new.get("volumeBindingMode") == WAIT_FOR_FIRST_CONSUMER,
            ),
            after_change(EventResource.NODE, Action.ADD | Action.UPDATE_NODE_LABEL),
            after_change(EventResource.PERSISTENT_VOLUME_CLAIM, changed, claim_is_named),
            after_difference(EventResource.PERSISTENT_VOLUME, changed, _demands),
        )

    def by_shape(self, cls: PodClass) -> bool:
        return not cls.has_volumes

    def pre_filter(self, pod: PodInfo) -> PreFilterResult:
        """Refuse pods with claims that aren't bound, unless they wait for their first consumer."""
        for use in claim_uses(pod.obj):
            if not use.is_ephemeral and (fault := self._fault(pod, use.claim_name)):
                return PreFilterResult(unresolvable(fault))
        return PASSES

    def filter(self, pod: PodInfo) -> FilterState | None:
        demands = []
        for use, claim in used_claims(self._listers, pod):
            bound_to = "" if claim is None or use.is_ephemeral else volume_name(claim)
            volume = self._listers.get("PersistentVolume", bound_to) if bound_to else None
            demands += [] if volume is None else _demands(volume)
        if not demands:
            return None
        # Nodes without any such label count as being in the cluster's only zone.
        labelled = {label: self._topology.labelled(label) for label in _SUCCESSORS}
        elsewhere: Mask = np.logical_or.reduce([*labelled.values()])
        met = np.ones(len(elsewhere), bool)
        for label, values in demands:
            successors = self._topology.having(_SUCCESSORS[label], values)
            met &= self._topology.having(label, values) | (~labelled[label] & successors)
        elsewhere &= ~met
        codes = np.where(elsewhere, ELSEWHERE, 0).astype(np.int32)
        return FixedCodes(self.name, codes, lambda _: unresolvable(_REASON))

    def _fault(self, pod: PodInfo, claim_name: str) -> str:
        if not claim_name:
            return "PersistentVolumeClaim had no name"
        claim = self._listers.get("PersistentVolumeClaim", claim_name, pod.namespace)
        if claim is None:
            return not_found("PersistentVolumeClaim", claim_name)
        bound_to = volume_name(claim)
        if not bound_to:
            class_name = storage_class_name(claim)
            if not class_name:
                return "PersistentVolumeClaim had no pv name and storageClass name"
            storage_class = self._listers.get("StorageClass", class_name)
            if storage_class is None:
                return not_found("StorageClass", class_name)
            mode = storage_class.get("volumeBindingMode")
            if mode is None:
                return f'VolumeBindingMode not set for StorageClass "{class_name}"'
            return "" if mode == WAIT_FOR_FIRST_CONSUMER else "PersistentVolume had no name"
        if self._listers.get("PersistentVolume", bound_to) is None:
            return not_found("PersistentVolume", bound_to)
        return ""


def _demands(volume: Object) -> list[tuple[str, frozenset[str]]]:
    """Return (label, accepted values) for each zone and region label of a volume."""
    marks = labels(volume)
    listed = [
        (label, frozenset(zone.strip() for zone in marks[label].split(ZONES_DELIMITER)))
        for label in _SUCCESSORS
        if label in marks
    ]
    return [(label, values) for label, values in listed if "" not in values]


def unmet_labels(volume: Object, node_labels: Mapping[str, str]) -> list[str]:
    """Return the zone and region labels of a volume that a node doesn't match."""
    return [
        label
        for label, values in _demands(volume)
        if node_labels.get(label, node_labels.get(_SUCCESSORS[label])) not in values
    ]
