"""Scores of extended resources that devices stand for, held against counting them node by node."""

from random import Random
from typing import Any

import numpy as np
import pytest

from podium.scheduler.config import args as plugin_args
from podium.scheduler.framework.handle import Handle
from podium.scheduler.plugins.node_resources_balanced_allocation import (
    NodeResourcesBalancedAllocation,
)
from podium.scheduler.plugins.node_resources_fit import NodeResourcesFit
from podium.scheduler.snapshot.listers import Listers
from podium.scheduler.snapshot.pod_info import placed_pod
from podium.scheduler.snapshot.snapshot import Snapshot
from tests import device_objects
from tests.reference import node_resources_balanced_allocation, node_resources_fit
from tests.scheduler.plugins.small_cluster import node, pending, requesting

GPU = "example.com/gpu"
CLASS = device_objects.device_class(
    "gpu", f'device.attributes["{device_objects.DRIVER}"].good', extendedResourceName=GPU
)
SPECS = tuple(
    plugin_args.ResourceSpec(name=name, weight=weight) for name, weight in (("cpu", 1), (GPU, 3))
)
EQUAL = tuple(plugin_args.ResourceSpec(name=spec.name, weight=1) for spec in SPECS)
SHAPE = (
    plugin_args.UtilizationShapePoint(utilization=0, score=2),
    plugin_args.UtilizationShapePoint(utilization=100, score=9),
)
NODES = ("a", "b", "c", "d")


def strategy(kind: plugin_args.ScoringStrategyType) -> plugin_args.NodeResourcesFitArgs:
    needs_shape = kind is plugin_args.ScoringStrategyType.REQUESTED_TO_CAPACITY_RATIO
    given = plugin_args.RequestedToCapacityRatio(shape=SHAPE) if needs_shape else None
    return plugin_args.NodeResourcesFitArgs(
        scoring_strategy=plugin_args.ScoringStrategy(
            type=kind, resources=SPECS, requested_to_capacity_ratio=given
        )
    )


class Scene:
    """A few nodes with devices; some provide the resource themselves."""

    def __init__(self, seed: int) -> None:
        self.rng = rng = Random(seed)
        own = {name: rng.choice(("", "", "", "4")) for name in NODES}
        self.nodes = {
            name: node(name, cpu="8", pods="9", memory="8Gi", **({GPU: n} if n else {}))
            for name, n in own.items()
        }
        self.slices = [self._slice(name, pool) for name in NODES for pool in self._pools(name)]
        self.slices.append(self._slice("wide", "wide"))
        snapshot = Snapshot()
        snapshot.set_nodes(self.nodes.values())
        self.handle = Handle(snapshot, Listers([CLASS, *self.slices]))
        self.held: dict[str, tuple[str, str]] = {}

    def _pools(self, name: str) -> list[str]:
        return self.rng.choice(([], [name], [name], [name, f"{name}-more"]))

    def _slice(self, name: str, pool: str) -> device_objects.Obj:
        where: device_objects.Obj = {"allNodes": True} if name == "wide" else {"nodeName": name}
        devices = [
            device_objects.device(f"d{number}", good=self.rng.random() < 0.7)
            for number in range(self.rng.randint(1, 3))
        ]
        if name != "wide" and self.rng.random() < 0.1:
            # The selector fails for a device without the attribute.
            devices.append(device_objects.device("odd"))
        devices[0]["taints"] = [{"key": "k", "effect": "NoSchedule"}]
        count = self.rng.choice((1, 1, 2))
        return device_objects.resource_slice(pool, devices, count=count, **where)

    def step(self) -> None:
        """A pod comes, or a device is allocated or given back."""
        name = self.rng.choice(NODES)
        if self.rng.random() < 0.3:
            gpu = {GPU: "1"} if GPU in self.nodes[name]["status"]["allocatable"] else {}
            obj = requesting(f"p-{self.rng.random()}", cpu="1", memory="1", **gpu)
            snapshot = self.handle.snapshot
            snapshot.add_pod(placed_pod(obj, snapshot.classes), name)
            return
        owner = self.rng.choice(("x", "y", "z"))
        chosen = self.rng.choice(self.slices)
        spot = chosen["metadata"]["name"], self.rng.choice(chosen["spec"]["devices"])["name"]
        if owner in self.held:
            del self.held[owner]
            self.handle.listers.set(device_objects.claim(owner, device_objects.exactly()))
        elif spot not in self.held.values():
            self.held[owner] = spot
            allocated = device_objects.allocation("/".join(spot))
            self.handle.listers.set(
                device_objects.claim(owner, device_objects.exactly(), allocation=allocated)
            )

    def as_counted(self, name: str) -> tuple[device_objects.Obj, list[device_objects.Obj]]:
        """The node as if it provided what is counted, and its pods with one that holds devices."""
        snapshot, found = self.handle.snapshot, self.nodes[name]
        pods = [dict(pod.obj) for pod in snapshot.pods_on[snapshot.row_of[name]]]
        if GPU in found["status"]["allocatable"]:
            return found, pods
        reached = [s for s in self.slices if s["spec"].get("nodeName", name) == name]
        devices = [(s["metadata"]["name"], d) for s in reached for d in s["spec"]["devices"]]
        if any("good" not in one["attributes"] for _, one in devices):
            return found, pods
        good = [(pool, one["name"]) for pool, one in devices if one["attributes"]["good"]["bool"]]
        taken = len({*good} & {*self.held.values()})
        holder = requesting("holder", cpu="0", memory="0", **{GPU: str(taken)})
        allocatable = {**found["status"]["allocatable"], GPU: str(len(good))}
        return {**found, "status": {"allocatable": allocatable}}, [*pods, holder]


@pytest.mark.seeds(20, 1_000)
def test_devices_count_where_nodes_do_not_provide_the_resource(seed: int) -> None:
    scene = Scene(seed)
    wanted = requesting("wanted", cpu="1", memory="1", **{GPU: str(scene.rng.randint(1, 2))})
    info, rows = pending(scene.handle, wanted), np.arange(len(NODES))
    kinds = [*plugin_args.ScoringStrategyType]
    fits = [NodeResourcesFit(scene.handle, strategy(kind)) for kind in kinds]
    balanced = NodeResourcesBalancedAllocation(
        scene.handle, plugin_args.NodeResourcesBalancedAllocationArgs(resources=EQUAL)
    )
    states: list[Any] = [plugin.score(info) for plugin in (*fits, balanced)]
    for _ in range(12):
        scene.step()
        expected: list[list[int | None]] = [[] for _ in states]
        for name in scene.handle.snapshot.names:
            counted, pods = scene.as_counted(name)
            for kind, scores in zip(kinds, expected, strict=False):
                args = strategy(kind)
                scores.append(node_resources_fit.score_node(wanted, counted, pods, args))
            twin = node_resources_balanced_allocation.score_node
            expected[-1].append(twin(wanted, counted, pods, EQUAL))
        singly = scene.rng.random() < 0.5
        for state, scores in zip(states, expected, strict=True):
            found = [state.score(row) for row in rows] if singly else [*state.scores(rows)]
            assert found == scores
