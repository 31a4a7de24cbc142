"""Changes of claims and pods with which a pod would get its devices, each tried by deciding."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

from podium.api.devices.resource_claims import allocation_of, reserved_for
from podium.api.devices.resource_slices import DeviceTaint
from podium.api.objects import Object, entries, key, part, spec_of, status_of, uid
from podium.scheduler.explain.device_details import (
    DeviceReader,
    Wanted,
    device_taint_text,
    unmet_of,
)
from podium.scheduler.framework.cycle.decision import Decision
from podium.scheduler.plugins.dynamic_resources import DynamicResources
from podium.scheduler.scheduler import Scheduler
from podium.scheduler.snapshot.listers import Listers, TrialVersions
from podium.scheduler.snapshot.pod_info import PodInfo

Found = tuple[str, str]
"""A change in words, and the node that the pod then gets."""

_NODES_MAX = 20
_TRIALS_MAX = 40
_LOWEST = -(1 << 31)


class DeviceTrials:
    """Trials of a decision about a pod that only DynamicResources keeps off some nodes.

    `decide` decides about the pod again, and returns its node; empty for none.
    """

    def __init__(
        self,
        scheduler: Scheduler,
        reader: DeviceReader,
        decision: Decision,
        decide: Callable[[], str],
    ) -> None:
        self._scheduler = scheduler
        self._reader = reader
        self._pod = decision.pod
        self._decide = decide
        evaluation = decision.evaluation
        self._rows: list[int] = []
        for _, row in sorted(scheduler.snapshot.row_of.items()):
            objections = evaluation.filtering.objections(row) if evaluation is not None else ()
            if objections and all(status.plugin == DynamicResources.name for status in objections):
                self._rows.append(row)

    def removals(self) -> Iterator[Found]:
        """Try deletions of pods that hold devices: the fewest claims, of the lowest priority."""
        sets: dict[tuple[str, ...], list[Object]] = {}
        for row in self._rows[:_NODES_MAX]:
            holders = sorted(self._holders(row), key=self._rank)
            least = [holders[:number] for number in range(2, len(holders) + 1)]
            for some in (*([holder] for holder in holders), *least):
                sets.setdefault(tuple(map(key, some)), some)
        ranked = sorted(sets.values(), key=lambda some: (len(some), [*map(self._rank, some)]))
        for claims in ranked[:_TRIALS_MAX]:
            pods = [*{pod.uid: pod for one in claims for pod in self._reader.users(one)}.values()]
            with self._without(claims, pods):
                node_name = self._decide()
            if node_name:
                unused = [f"claim {key(claim)}" for claim in claims if not reserved_for(claim)]
                named = " and ".join([*(pod.key for pod in pods), *unused])
                yield f"delete {named}, and so free its devices", node_name

    def tolerations(self) -> Iterator[Found]:
        """Try to tolerate the taints of devices that claims can't have for these alone."""
        sets: dict[tuple[DeviceTaint, ...], None] = {}
        for row in self._rows[:_NODES_MAX]:
            for one in self._unmet(row):
                for device, reasons in one.out:
                    kept = tuple(t for t in device.taints if not one.request.tolerates((t,)))
                    if kept and len(kept) == len(reasons):
                        sets[kept] = None
        claims = [claim for claim, _ in self._reader.plugin.needs(self._pod).waiting]
        for taints in [*sets][:_TRIALS_MAX]:
            with _replaced(self._scheduler.listers, [_tolerating(one, taints) for one in claims]):
                node_name = self._decide()
            if node_name:
                named = " and ".join(map(device_taint_text, taints))
                yield f"tolerate {named} of devices in its claims", node_name

    def _unmet(self, row: int) -> list[Wanted]:
        """Return the requests that can't be met, or all if they can't be met together."""
        wanted = [*self._reader.wanted(self._reader.plugin.claims_on(self._pod, row), row)]
        return unmet_of(wanted) or wanted

    def _holders(self, row: int) -> list[Object]:
        """Return the claims that hold devices, or use up counters, that are lacking on a node."""
        plugin, holders = self._reader.plugin, self._reader.holders
        claims = {uid(one.claim): one.claim for one in plugin.needs(self._pod).restrictions}
        of_pool = {
            view.key: [device.key for device in (*view.devices, *view.elsewhere)]
            for view in plugin.devices.pools(row)
        }
        for one in self._unmet(row):
            for device, _ in one.out:
                pool = of_pool[device.key[:2]] if device.amounts.counters else ()
                for known in (device.key, *pool):
                    claims |= {uid(claim): claim for claim in holders.get(known, ())}
        return [*claims.values()]

    def _rank(self, claim: Object) -> tuple[int, int, str]:
        users = self._reader.users(claim)
        return max((pod.priority for pod in users), default=_LOWEST), len(users), key(claim)

    @contextmanager
    def _without(self, claims: Sequence[Object], pods: Sequence[PodInfo]) -> Iterator[None]:
        snapshot = self._scheduler.snapshot
        freed = [
            {**claim, "status": {k: v for k, v in status_of(claim).items() if k != "allocation"}}
            for claim in claims
            if allocation_of(claim) is not None
        ]
        places = [(pod, snapshot.names[pod.row]) for pod in pods]
        with _replaced(self._scheduler.listers, freed):
            for pod, _ in places:
                snapshot.remove_pod(pod)
            try:
                yield
            finally:
                for pod, node_name in places:
                    snapshot.add_pod(pod, node_name)


@contextmanager
def _replaced(listers: Listers, claims: Sequence[Object]) -> Iterator[None]:
    versions = TrialVersions(listers)
    for claim in claims:
        versions.show(claim)
    try:
        yield
    finally:
        versions.undo()


def _tolerating(claim: Object, taints: Sequence[DeviceTaint]) -> Object:
    """Return a claim whose requests tolerate some more taints."""
    added = [
        {"key": taint.key, "operator": "Equal", "value": taint.value, "effect": taint.effect}
        for taint in taints
    ]

    def tolerant(request: Object) -> Mapping[str, Any]:
        return {**request, "tolerations": [*entries(request, "tolerations"), *added]}

    devices = part(spec_of(claim), "devices")
    requests = []
    for entry in entries(devices, "requests"):
        changed = {**entry}
        if entry.get("exactly"):
            changed["exactly"] = tolerant(entry["exactly"])
        if entry.get("firstAvailable"):
            changed["firstAvailable"] = [*map(tolerant, entry["firstAvailable"])]
        requests.append(changed)
    spec = {**spec_of(claim), "devices": {**devices, "requests": requests}}
    return {**claim, "spec": spec}
