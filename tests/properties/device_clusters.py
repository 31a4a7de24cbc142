"""Random small clusters with devices of all sorts, drawn from a seed, and what happens to them."""

from collections.abc import Iterator
from dataclasses import dataclass, field

from podium.scheduler.devices.allocated_devices import AllocatedDevices
from podium.scheduler.devices.device_manager import DeviceManager
from podium.scheduler.snapshot.listers import Listers
from podium.scheduler.snapshot.snapshot import Snapshot
from tests.device_objects import DRIVER, Obj, claim, device, device_class, exactly, first_available
from tests.device_objects import resource_slice as slice_of
from tests.properties.volume_clusters import Dice
from tests.scheduler.plugins.small_cluster import node

MODEL = f'device.attributes["{DRIVER}"].model'
SELECTORS = {
    f'{MODEL} == "a"': lambda one: one["attributes"]["model"]["string"] == "a",
    f'{MODEL} in ["a", "b"]': lambda one: one["attributes"]["model"]["string"] in "ab",
    f'device.capacity["{DRIVER}"].memory.compareTo(quantity("2Gi")) >= 0': (
        lambda one: one["capacity"]["memory"]["value"] != "1Gi"
    ),
}
"""Expressions, and what they say of a device."""

CLASSES = (device_class("gpu"), device_class("big", next(reversed(SELECTORS))))
CLAIMS = tuple(f"c{index}" for index in range(6))
_NODES = tuple(f"n{index}" for index in range(4))
_SICK = {"key": "sick", "effect": "NoSchedule"}
_COUNTERS = [{"name": "set", "counters": {"parts": {"value": "3"}}}]
_POLICY = {"default": "1Gi", "validRange": {"min": "1Gi", "step": "512Mi"}}


@dataclass
class DeviceScene:
    """A cluster, and a manager of its devices that follows it.

    Attributes:
        plain: without what makes devices depend on each other, and claims on their order.
    """

    dice: Dice
    plain: bool
    snapshot: Snapshot = field(default_factory=Snapshot)
    listers: Listers = field(default_factory=lambda: Listers(CLASSES))

    def __post_init__(self) -> None:
        self.manager = DeviceManager(self.snapshot, AllocatedDevices(self.listers))
        self.snapshot.set_nodes(self._node(name) for name in _NODES)
        for name in (*_NODES, "wide"):
            self._publish(name)
        for name in CLAIMS:
            self.listers.set(self._claim(name))

    def rows(self) -> range:
        return range(self.snapshot.node_count)

    def step(self) -> None:
        """Change something; allocations are made by who asks for them."""
        kind = self.dice.one("claim", "claim", "claim", "slice", "node", "gone")
        name = self.dice.one(*_NODES)
        if kind == "slice":
            self._publish(self.dice.one(*_NODES, "wide"))
        elif kind == "node":
            self.snapshot.set_node(self._node(name))
        elif kind == "gone" and self.snapshot.node_count > 1:
            self.snapshot.remove_node(name) if name in self.snapshot.names else None
        else:
            self.listers.set(self._claim(self.dice.one(*CLAIMS)))

    def _node(self, name: str) -> Obj:
        return node(name, {"zone": self.dice.one("z1", "z2")}, pods="10")

    def _publish(self, name: str) -> None:
        where: Obj = {"nodeName": name}
        if name == "wide":
            term = {"matchExpressions": [{"key": "zone", "operator": "In", "values": ["z1"]}]}
            where = self.dice.one(
                {"allNodes": True}, {"nodeSelector": {"nodeSelectorTerms": [term]}}
            )
        devices = [self._device(f"d{index}") for index in range(self.dice.one(1, 2, 3, 4))]
        partitioned = any("consumesCounters" in one for one in devices)
        count = self.dice.one(1, 1, 1, 1, 2)
        self.listers.set(slice_of(name, devices, pool=name, count=count + partitioned, **where))
        if partitioned:
            self.listers.set(
                slice_of(
                    f"{name}-sets",
                    [],
                    pool=name,
                    count=count + 1,
                    **where,
                    sharedCounters=_COUNTERS,
                )
            )
        elif self.listers.get("ResourceSlice", f"{name}-sets"):
            gone = self.listers.get("ResourceSlice", f"{name}-sets")
            assert gone is not None
            self.listers.remove(gone)

    def _device(self, name: str) -> Obj:
        dice = self.dice
        memory = dice.one("1Gi", "2Gi", "4Gi")
        made = device(name, {"memory": memory}, model=dice.one("a", "b", "c"), numa=dice.one(0, 1))
        if dice.chance(15):
            made["taints"] = [_SICK]
        if self.plain:
            return made
        if dice.chance(30):
            parts = {"parts": {"value": dice.one("1", "2")}}
            made["consumesCounters"] = [{"counterSet": "set", "counters": parts}]
        if dice.chance(30):
            made["allowMultipleAllocations"] = True
            made["capacity"]["memory"] |= dice.fields(50, requestPolicy=_POLICY)
        return made

    def _request(self, name: str) -> Obj:
        dice = self.dice
        more = dice.fields(40, tolerations=[{"key": "sick", "operator": "Exists"}])
        more |= dice.fields(30, deviceClassName="big")
        if not self.plain:
            more |= dice.fields(15, allocationMode="All")
            more |= dice.fields(20, capacity={"requests": {"memory": dice.one("1Gi", "1536Mi")}})
            more |= dice.fields(8, adminAccess=True)
        made = exactly(name, *dice.some(list(SELECTORS), 2), count=dice.one(1, 1, 2), **more)
        if made["exactly"].get("allocationMode") == "All":
            del made["exactly"]["count"]
        return made

    def _claim(self, name: str) -> Obj:
        dice = self.dice
        requests = [self._request(f"r{index}") for index in range(dice.one(1, 1, 2))]
        if not self.plain and dice.chance(25):
            requests.append(first_available("f", self._request("a"), self._request("b")))
        kind = "matchAttribute" if self.plain else dice.one("matchAttribute", "distinctAttribute")
        constraints = [{kind: f"{DRIVER}/numa"}] if dice.chance(40) else None
        return claim(name, *requests, constraints=constraints)


def device_scenes(seed: int, *, plain: bool = False) -> Iterator[DeviceScene]:
    for number in range(6):
        yield DeviceScene(Dice(seed * 7 + number), plain)
