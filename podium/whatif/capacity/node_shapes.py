"""Shapes of nodes that could be added to a cluster, with what one of each costs."""

from collections.abc import Mapping
from decimal import Decimal, InvalidOperation
from typing import Any

import msgspec

from podium.api.errors import InvalidValueError, PodiumError
from podium.api.objects import Object, name
from podium.api.values.quantity import nanos
from podium.cluster.manifests import read_sources
from podium.scheduler.explain.extra_nodes import node_like

_RULE = (
    "must be NAME=RESOURCES:COST, NAME=FILE:COST or NAME=NODE:COST, such as "
    "m5=cpu=8,memory=32Gi:0.4"
)
_INSTANCE_TYPE = "node.kubernetes.io/instance-type"
_PODS = "110"
_LEAST = ("cpu", "memory")


class NodeShapeError(PodiumError):
    """The shape of a node can't be understood."""


class NodeShape(msgspec.Struct, frozen=True):
    """A kind of node, after which new nodes are named."""

    name: str
    cost: Decimal
    node: Object

    def made(self, number: int) -> Object:
        """One of these nodes, by its number."""
        return node_like(self.node, f"{self.name}-{number}")


def read_node_shape(text: str, nodes: Mapping[str, Object]) -> NodeShape:
    """The shape of `NAME=RESOURCES:COST`, of a file or of a node; raises PodiumError."""
    whole, colon, price = text.rpartition(":")
    called, equals, what = whole.partition("=")
    if not (colon and equals and called and what):
        raise NodeShapeError(f"--node-shape {text}: {_RULE}")
    if any(one == called or one.startswith(f"{called}-") for one in nodes):
        raise NodeShapeError(f"--node-shape {text}: the state has nodes called {called} already")
    try:
        cost = Decimal(price)
    except InvalidOperation:
        cost = Decimal("nan")
    if not cost.is_finite() or cost <= 0:
        raise NodeShapeError(f"--node-shape {text}: the cost must be a number above 0")
    if "=" in what:
        return NodeShape(called, cost, _of_resources(text, called, what))
    node = nodes.get(what.removeprefix("node/"))
    if node is None:
        objects = [one.obj for one in read_sources([what], is_applied=True).objects]
        if [one["kind"] for one in objects] != ["Node"]:
            found = ", ".join(f"{one['kind']} {name(one)}" for one in objects) or "nothing"
            message = f"--node-shape {text}: the file must have one node, and has {found}"
            raise NodeShapeError(message)
        (node,) = objects
    return NodeShape(called, cost, node)


def _of_resources(text: str, called: str, what: str) -> Object:
    amounts: dict[str, Any] = {"pods": _PODS}
    for part in what.split(","):
        resource, _, amount = part.partition("=")
        try:
            is_amount = bool(resource) and nanos(amount) >= 0
        except InvalidValueError:
            is_amount = False
        if not is_amount:
            raise NodeShapeError(f"--node-shape {text}: {part} isn't RESOURCE=AMOUNT")
        amounts[resource] = amount
    missing = [one for one in _LEAST if one not in amounts]
    if missing:
        raise NodeShapeError(f"--node-shape {text}: says nothing of {' and '.join(missing)}")
    return {
        "apiVersion": "v1",
        "kind": "Node",
        "metadata": {"name": called, "labels": {_INSTANCE_TYPE: called}},
        "spec": {},
        "status": {"allocatable": amounts, "capacity": amounts},
    }
