"""VolumeBinding: nodes must reach the volumes of a pod's claims, or volumes that these can bind to.

A bound claim needs a node that its persistent volume's node affinity matches. A claim that waits
for its first consumer needs a free volume, or one that can be provisioned for the node. The rules
are those of v1.36 with StorageCapacityScoring off, as by default: nothing is scored.
"""

from collections.abc import Iterable, Sequence
from contextlib import suppress

import msgspec
import numpy as np

from podium.api.objects import (
    Object,
    annotations,
    is_terminating,
    key,
    name,
    namespace,
    part,
    spec_of,
)
from podium.api.pods import phase_of, volumes_of
from podium.api.selectors.labels import SelectorError, label_selector
from podium.api.values.integers import parse_count
from podium.api.values.quantity import ceil_value, value
from podium.api.volumes.claims_and_volumes import (
    NO_PROVISIONER,
    NO_VOLUME,
    SELECTED_NODE,
    WAIT_FOR_FIRST_CONSUMER,
    ClaimUse,
    bound_to,
    by_size,
    choose_volumes,
    is_fully_bound,
    requested_storage,
    selecting_node,
    volume_name,
)
from podium.machines.effects import Effect, Replace
from podium.scheduler.config.args import VolumeBindingArgs
from podium.scheduler.framework.cluster_events import (
    Action,
    EventHint,
    EventResource,
    after_change,
    after_difference,
    claim_is_used,
)
from podium.scheduler.framework.handle import Handle
from podium.scheduler.framework.interface import (
    PASSES,
    CycleError,
    FilterState,
    FixedCodes,
    PreBindProgress,
    PreFilterResult,
)
from podium.scheduler.framework.status import SUCCESS, Code, Status, unresolvable
from podium.scheduler.snapshot.arrays import Codes, Mask
from podium.scheduler.snapshot.pod_classes import PodClass
from podium.scheduler.snapshot.pod_info import PodInfo
from podium.scheduler.snapshot.volumes.csi_migration import (
    in_tree_plugin,
    migrated_affinity,
    migration_note,
)
from podium.scheduler.snapshot.volumes.pod_claims import (
    not_found,
    ownership_fault,
    storage_class_of,
    used_claims,
)
from podium.scheduler.snapshot.volumes.volume_topology import VolumeTopology

# Bits of a code. The code is their negated sum, as preemption makes no volume reachable.
NODE_CONFLICT, BIND_CONFLICT, NOT_ENOUGH_SPACE, VOLUME_MISSING = 1, 2, 4, 8
_REASONS = {
    NODE_CONFLICT: "node(s) didn't match PersistentVolume's node affinity",
    BIND_CONFLICT: "node(s) didn't find available persistent volumes to bind",
    NOT_ENOUGH_SPACE: "node(s) did not have enough free storage",
    VOLUME_MISSING: "node(s) unavailable due to one or more pvc(s) bound to non-existent pv(s)",
}
CLAIM, VOLUME = "PersistentVolumeClaim", "PersistentVolume"
_BINDING = Status(Code.WAIT, ("binding volumes",))


class _Claims(msgspec.Struct):
    bound: list[Object] = msgspec.field(default_factory=list)
    delayed: list[Object] = msgspec.field(default_factory=list)
    immediate: list[Object] = msgspec.field(default_factory=list)


class VolumeBinding:
    """Binds the claims of pods to volumes that their node reaches (PreFilter to PreBind)."""

    name = "VolumeBinding"
    poll_s = 1.0
    waiting_reason = ""

    def __init__(self, handle: Handle, args: VolumeBindingArgs | None = None) -> None:
        self.bind_timeout_seconds = (args or VolumeBindingArgs()).bind_timeout_seconds
        self._snapshot = handle.snapshot
        self._listers = handle.listers
        self._topology = VolumeTopology(handle.snapshot)
        self._assumed: dict[str, list[Object]] = {}

    def events_to_register(self) -> Sequence[EventHint]:
        changed = Action.ADD | Action.UPDATE
        of = EventResource
        return (
            after_difference(of.STORAGE_CLASS, changed, lambda c: c.get("allowedTopologies")),
            after_change(of.PERSISTENT_VOLUME_CLAIM, changed, claim_is_used),
            after_change(of.PERSISTENT_VOLUME, changed),
            after_change(of.NODE, Action.ADD | Action.UPDATE_NODE_LABEL),
            after_difference(of.CSI_NODE, changed, migration_note),
            after_change(of.CSI_DRIVER, Action.UPDATE, _counts_no_more),
            after_change(of.CSI_STORAGE_CAPACITY, changed, _has_more),
        )

    def by_shape(self, cls: PodClass) -> bool:
        return not cls.has_volumes

    def pre_filter(self, pod: PodInfo) -> PreFilterResult:
        """Refuse pods with unusable claims, or with unbound claims that bind immediately."""
        used = [*used_claims(self._listers, pod)]
        for use, claim in used:
            if fault := _fault(pod, use, claim):
                return PreFilterResult(unresolvable(fault))
        for _, claim in used:
            if claim is None or is_fully_bound(claim):
                continue
            storage_class = storage_class_of(self._listers, claim)
            # A StorageClass from the API always has a mode.
            if storage_class is not None and storage_class.get("volumeBindingMode") is None:
                fault = f'VolumeBindingMode not set for StorageClass "{name(storage_class)}"'
                return PreFilterResult(Status(Code.ERROR, (fault,)))
        if self._claims(pod).immediate:
            return PreFilterResult(unresolvable("pod has unbound immediate PersistentVolumeClaims"))
        return PASSES

    def filter(self, pod: PodInfo) -> FilterState | None:
        claims = self._claims(pod)
        if not claims.bound and not claims.delayed:
            return None
        flags = np.zeros(self._snapshot.node_count, np.int32)
        # The first claim that can't be bound on a row decides; later claims don't count.
        for claim in claims.bound:
            volume = self._listers.get("PersistentVolume", volume_name(claim))
            if volume is None:
                flags[flags == 0] = VOLUME_MISSING
                break
            flags[(flags == 0) & ~self._reached(volume)] = NODE_CONFLICT
        selected, unselected = _by_selection(claims.delayed)
        provisioning = np.zeros(len(flags), np.int32)
        for claim in selected:
            provisioning[~self._rows([annotations(claim)[SELECTED_NODE]])] = BIND_CONFLICT
        volumes = self._listers.list(VOLUME)
        try:
            choices = choose_volumes(unselected, volumes, self._topology, len(flags))
            for claim in selected:
                is_open = provisioning == 0
                provisioning = np.where(is_open, self._judge_provisioning(claim), provisioning)
            for claim, choice in zip(unselected, choices, strict=True):
                is_open = (provisioning == 0) & (choice == NO_VOLUME)
                if is_open.any():
                    provisioning = np.where(is_open, self._judge_provisioning(claim), provisioning)
        except SelectorError as error:
            raise CycleError(self.name, str(error)) from error
        flags |= provisioning
        return FixedCodes(
            self.name,
            -flags,
            lambda code: unresolvable(*(why for flag, why in _REASONS.items() if -code & flag)),
        )

    def reserve(self, pod: PodInfo, node_name: str) -> Status:
        """Assume which volumes are bound to claims, and the selected node of the other claims.

        Claims that an earlier pod has already assumed are assumed again, as by upstream's
        AssumePodVolumes: this pod, too, writes them in PreBind and waits for them.
        """
        delayed = self._claims(pod).delayed
        if not delayed:
            return SUCCESS
        row = self._snapshot.row_of[node_name]
        selected, unselected = _by_selection(delayed)
        volumes = self._listers.list("PersistentVolume")
        choices = choose_volumes(unselected, volumes, self._topology, self._snapshot.node_count)
        chosen = [
            (claim, int(choice[row])) for claim, choice in zip(unselected, choices, strict=True)
        ]
        bound = [bound_to(volumes[index], claim) for claim, index in chosen if index != NO_VOLUME]
        selected += [claim for claim, index in chosen if index == NO_VOLUME]
        assumed = [*bound, *(selecting_node(claim, node_name) for claim in selected)]
        for obj in assumed:
            self._listers.assume(obj)
        self._assumed[pod.uid] = assumed
        return SUCCESS

    def unreserve(self, pod: PodInfo, node_name: str) -> None:
        for obj in self._assumed.pop(pod.uid, ()):
            self._listers.restore(obj)

    def pre_bind_calls(self, pod: PodInfo, node_name: str) -> Sequence[Effect] | None:
        """Return the calls that write the assumed objects, on which the volume controllers act."""
        assumed = self._assumed.get(pod.uid)
        if assumed is None:
            return None
        return [Replace(kind=obj["kind"], obj=obj) for obj in assumed]

    def pre_bind_done(self, pod: PodInfo, node_name: str, progress: PreBindProgress) -> Status:
        """Wait until all claims are bound to volumes that the node reaches.

        The rules are those of upstream's checkBindings. Versions from the API are read, because
        other pods may have assumed the claims and volumes meanwhile.
        """
        row = self._snapshot.row_of.get(node_name)
        if row is None:
            return _binding_fault(f'failed to get node "{node_name}": node "{node_name}" not found')
        if not progress.pod_exists:
            return _binding_fault(f'pod does not exist any more: pod "{pod.name}" not found')
        for written in progress.written:
            if written["kind"] not in (CLAIM, VOLUME):
                continue
            check = self._check_volume if written["kind"] == VOLUME else self._check_claim
            status = check(written, node_name, row)
            if not status.is_success:
                return status
        # The API has sent newer versions than the assumed ones, so none is restored later.
        self._assumed.pop(pod.uid, None)
        return SUCCESS

    def _check_volume(self, written: Object, node_name: str, row: int) -> Status:
        reference = spec_of(written)["claimRef"]
        claim_name, place = reference["name"], reference["namespace"]
        volume = self._listers.stored(VOLUME, name(written))
        claim = self._listers.stored(CLAIM, claim_name, place)
        if volume is None:
            missing = f'persistentvolumes "{name(written)}" not found'
            return _binding_fault(f"failed to check binding: {missing}")
        if claim is None:
            missing = f'persistentvolumeclaims "{place}/{claim_name}" not found'
            return _binding_fault(f"failed to check binding: {missing}")
        if _is_older(volume, written):
            return _BINDING
        if not self._reached(volume)[row]:
            return _out_of_reach(volume, node_name)
        if not (spec_of(volume).get("claimRef") or {}).get("uid"):
            return _binding_fault(f'ClaimRef got reset for pv "{name(volume)}"')
        return SUCCESS if is_fully_bound(claim) else _BINDING

    def _check_claim(self, written: Object, node_name: str, row: int) -> Status:
        claim = self._listers.stored(CLAIM, name(written), namespace(written))
        if claim is None:
            missing = f'persistentvolumeclaims "{key(written)}" not found'
            return _binding_fault(f"failed to check provisioning pvc: {missing}")
        if _is_older(claim, written):
            return _BINDING
        marks = annotations(claim)
        if marks.get(SELECTED_NODE) != node_name:
            # Provisioners that fail remove the annotation, and leave others.
            failed = marks and SELECTED_NODE not in marks
            what = "provisioning failed" if failed else "selectedNode annotation reset"
            return _binding_fault(f'{what} for PVC "{name(claim)}"')
        if volume_name(claim):
            volume = self._listers.stored(VOLUME, volume_name(claim))
            if volume is None:
                return _BINDING
            if not self._reached(volume)[row]:
                return _out_of_reach(volume, node_name)
        return SUCCESS if is_fully_bound(claim) else _BINDING

    def _claims(self, pod: PodInfo) -> _Claims:
        claims = _Claims()
        for _, claim in used_claims(self._listers, pod):
            if claim is None:
                continue
            mode = (storage_class_of(self._listers, claim) or {}).get("volumeBindingMode")
            if is_fully_bound(claim):
                claims.bound.append(claim)
            elif mode == WAIT_FOR_FIRST_CONSUMER and not volume_name(claim):
                claims.delayed.append(claim)
            else:
                claims.immediate.append(claim)
        return claims

    def _reached(self, volume: Object) -> Mask:
        reached = np.zeros(self._snapshot.node_count, bool)
        reached[self._topology.reach(volume)] = True
        plugin = in_tree_plugin(spec_of(volume))
        if plugin is None or not plugin.topology_key:
            return reached
        migrated = self._rows(
            name(node)
            for node in self._listers.list("CSINode")
            if plugin.name in migration_note(node).split(",")
        )
        translated = self._topology.matching(migrated_affinity(volume, plugin))
        return np.where(migrated, translated, reached)

    def _rows(self, node_names: Iterable[str]) -> Mask:
        row_of = self._snapshot.row_of
        mask = np.zeros(self._snapshot.node_count, bool)
        mask[[row_of[node_name] for node_name in node_names if node_name in row_of]] = True
        return mask

    def _judge_provisioning(self, claim: Object) -> Codes:
        storage_class = storage_class_of(self._listers, claim) or {}
        provisioner = storage_class.get("provisioner")
        if not provisioner or provisioner == NO_PROVISIONER:
            return np.full(self._snapshot.node_count, BIND_CONFLICT, np.int32)
        allowed = self._topology.allowed(storage_class.get("allowedTopologies"))
        flags = np.where(allowed, 0, BIND_CONFLICT).astype(np.int32)
        wanted = requested_storage(claim)
        driver = self._listers.get("CSIDriver", provisioner) or {}
        if wanted is not None and _counts_capacity(driver):
            class_name = name(storage_class)
            bytes_wanted = ceil_value(wanted)
            enough = np.zeros(self._snapshot.node_count, bool)
            for segment in self._listers.list("CSIStorageCapacity"):
                limit = _volume_limit(segment)
                is_of_class = segment.get("storageClassName") == class_name
                if is_of_class and limit is not None and limit >= bytes_wanted:
                    with suppress(SelectorError):
                        selector = label_selector(segment.get("nodeTopology"))
                        enough |= self._topology.selected(selector)
            flags[allowed & ~enough] = NOT_ENOUGH_SPACE
        return flags


def _fault(pod: PodInfo, use: ClaimUse, claim: Object | None) -> str:
    if claim is None:
        return (
            "waiting for ephemeral volume controller to create the persistentvolumeclaim "
            f'"{use.claim_name}"'
            if use.is_ephemeral
            else not_found("PersistentVolumeClaim", use.claim_name)
        )
    if phase_of(claim) == "Lost":
        return (
            f'persistentvolumeclaim "{name(claim)}" bound to non-existent persistentvolume '
            f'"{volume_name(claim)}"'
        )
    if is_terminating(claim):
        return f'persistentvolumeclaim "{name(claim)}" is being deleted'
    return ownership_fault(claim, pod) if use.is_ephemeral else ""


def _binding_fault(fault: str) -> Status:
    return Status(Code.ERROR, (f"binding volumes: {fault}",))


def _out_of_reach(volume: Object, node_name: str) -> Status:
    fault = f'pv "{name(volume)}" node affinity doesn\'t match node "{node_name}"'
    return _binding_fault(f"{fault}: no matching NodeSelectorTerms")


def _is_older(stored: Object, written: Object) -> bool:
    """Return whether the stored version of an object is older than the written one."""
    versions = (parse_count(o["metadata"].get("resourceVersion")) for o in (stored, written))
    old, new = versions
    return old is not None and new is not None and old < new


def _by_selection(claims: Iterable[Object]) -> tuple[list[Object], list[Object]]:
    listed = list(claims)
    selected = [claim for claim in listed if SELECTED_NODE in annotations(claim)]
    return selected, by_size([claim for claim in listed if SELECTED_NODE not in annotations(claim)])


def _counts_capacity(driver: Object) -> bool:
    return bool(spec_of(driver).get("storageCapacity"))


def _volume_limit(segment: Object) -> int | None:
    limit = segment.get("maximumVolumeSize", segment.get("capacity"))
    return None if limit is None else value(limit)


def _counts_no_more(pod: PodInfo, old: Object | None, new: Object) -> bool:
    """Return whether the driver of an inline volume no longer counts storage capacity.

    As in v1.36, drivers of claims aren't considered, although their capacity is what counts.
    """
    inline = [part(volume, "csi").get("driver") for volume in volumes_of(spec_of(pod.obj))]
    counted = old is not None and _counts_capacity(old)
    return name(new) in inline and counted and not _counts_capacity(new)


def _has_more(pod: PodInfo, old: Object | None, new: Object) -> bool:
    if old is None:
        return True
    before, after = _volume_limit(old), _volume_limit(new)
    return after is not None and (before is None or after > before)
