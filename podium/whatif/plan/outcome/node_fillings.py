"""Nodes whose pods a play changes: what their pods have of CPU, memory and devices."""

from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping

from podium.api.devices.node_devices import NodeDevices
from podium.api.devices.resource_claims import allocated_pools
from podium.api.nodes import allocatable_of
from podium.api.objects import Object, is_terminating, key, name, part, spec_of, uid
from podium.api.pods import is_finished, node_name_of
from podium.api.priority import pod_priority
from podium.api.resources import pod_requests
from podium.api.values.quantity import nanos
from podium.whatif.plan.plan_report import NodeFilling, PodShare
from podium.whatif.plan.play import Play

_MEASURED = ("cpu", "memory")


def node_fillings(play: Play) -> Iterator[NodeFilling]:
    """Yield the nodes whose pods have changed in a play, with their pods before and after."""
    store, state = play.cluster.store, defaultdict[str, list[Object]](list)
    for obj in play.state.by_identity.values():
        state[obj["kind"]].append(obj)
    before = _Moment(play.before.by_uid.values(), state.__getitem__)
    after = _Moment(store.list("Pod").items, lambda kind: store.list(kind).items)
    nodes = {name(node): node for node in (*before.known("Node"), *after.known("Node"))}
    changed = [one for one in sorted(nodes) if before.on(one).keys() != after.on(one).keys()]
    had, have = before.devices_on(changed), after.devices_on(changed)
    for node in changed:
        allocatable, pods = allocatable_of(nodes[node]), (before.on(node), after.on(node))
        capacity = {of: nanos(allocatable[of]) for of in _MEASURED if of in allocatable}
        requested = [{one: _share(pod, capacity) for one, pod in side.items()} for side in pods]
        yield _filling(node, pods, requested)
        for driver, total in {**had.of_node(node), **have.of_node(node)}.items():
            held = [
                {one: amount / total for one in side if (amount := of.of_pod(one).get(driver))}
                for side, of in zip(pods, (had, have), strict=True)
            ]
            yield _filling(node, pods, held, driver)


class _Moment:
    """The pods of nodes, and all other objects, before or after a play."""

    def __init__(self, pods: Iterable[Object], known: Callable[[str], Collection[Object]]) -> None:
        self.known = known
        self._on: dict[str, dict[str, Object]] = defaultdict(dict)
        for pod in pods:
            if node_name_of(pod) and not is_finished(pod):
                self._on[node_name_of(pod)][uid(pod)] = pod

    def on(self, node: str) -> Mapping[str, Object]:
        """Return the pods on a node by uid."""
        return self._on.get(node, {})

    def devices_on(self, nodes: Iterable[str]) -> NodeDevices:
        """Return the devices of some nodes, and what pods have of them."""
        devices, wanted, pools = NodeDevices(), {*nodes}, set()
        for one in self.known("ResourceSlice"):
            spec = spec_of(one)
            if spec.get("nodeName") in wanted or spec.get("perDeviceNodeSelection"):
                devices.put("ResourceSlice", one)
                pools.add((spec["driver"], part(spec, "pool")["name"]))
        for claim in self.known("ResourceClaim") if pools else ():
            if pools & allocated_pools(claim):
                devices.put("ResourceClaim", claim)
        return devices


def _filling(
    node: str,
    pods: tuple[Mapping[str, Object], Mapping[str, Object]],
    shares: Iterable[Mapping[str, float]],
    driver: str = "",
) -> NodeFilling:
    stays = pods[0].keys() & pods[1].keys()
    before, after = (
        tuple(
            PodShare(
                key(pod),
                pod_priority(pod),
                round(share[one], 4),
                is_terminating(pod),
                one not in stays,
            )
            for one, pod in sorted(
                side.items(), key=lambda kept: (-pod_priority(kept[1]), key(kept[1]))
            )
            if one in share
        )
        for side, share in zip(pods, shares, strict=True)
    )
    return NodeFilling(node, before, after, driver)


def _share(pod: Object, capacity: Mapping[str, int]) -> float:
    requests = pod_requests(pod)
    parts = (requests.get(of, 0) / capacity[of] for of in _MEASURED if capacity.get(of))
    return max(parts, default=0.0)
