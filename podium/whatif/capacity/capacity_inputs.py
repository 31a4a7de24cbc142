"""Pod templates and node shapes, parsed from arguments of the command line."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from decimal import Decimal, InvalidOperation
from typing import Any

import msgspec

from podium.api.errors import InvalidValueError, PodiumError
from podium.api.kinds.snapshot_kinds import Identity
from podium.api.objects import Object, annotations, labels, name, namespace, spec_of, without
from podium.api.pods import volumes_of
from podium.api.values.quantity import nanos
from podium.cluster.manifests.manifest_sources import read_sources
from podium.cluster.manifests.problems import describe
from podium.scheduler.explain.extra_nodes import node_like
from podium.whatif.plan.changes import Apply, parse_workload
from podium.whatif.plan.request import PlanRequest

_SHARE_MAX = 10_000
# Of the other kinds, nodes or schedules say how many pods there are.
_TEMPLATED = frozenset(
    {"Deployment", "ReplicaSet", "ReplicationController", "StatefulSet", "Job", "PodTemplate"}
)
_RULE = f"must be one of {', '.join(sorted(_TEMPLATED | {'Pod'}))}"
# Set by admission and by schedulers.
_NOT_ASKED_FOR = ("nodeName", "priority", "preemptionPolicy")

_SHAPE_RULE = (
    "must be NAME=RESOURCES:COST, NAME=FILE:COST or NAME=NODE:COST, such as "
    "m5=cpu=8,memory=32Gi:0.4"
)
_INSTANCE_TYPE = "node.kubernetes.io/instance-type"


class PodTemplate(msgspec.Struct, frozen=True):
    """A pod to be created `share` times in each round."""

    source: str
    share: int
    pod: Object
    """The pod; the names of new pods begin with its name."""
    needs: tuple[Object, ...] = ()
    """Other objects of the template's file, such as its PriorityClass; created first."""


def read_pod_template(text: str, place: str, state: Mapping[Identity, Object]) -> PodTemplate:
    """Read a template from `FILE` or `KIND/NAME`, which `*SHARE` may follow; raises PodiumError."""
    source, star, number = text.rpartition("*")
    source, count = (source, number) if star else (text, "1")
    if not count.isascii() or not count.isdigit() or not 1 <= int(count[:6]) <= _SHARE_MAX:
        rule = f"must be FILE or KIND/NAME, with *COUNT from 1 to {_SHARE_MAX}"
        raise PodiumError(f"--pod {text}: {rule}")
    target = parse_workload(source, place)
    owner = None if target is None else state.get(target)
    if owner is not None and owner["kind"] not in _TEMPLATED:
        raise PodiumError(f"--pod {text}: {_RULE}, not {describe(owner)}")
    needs: tuple[Object, ...] = ()
    if owner is None:
        sources = read_sources([source], namespace=place, is_applied=True)
        objects = [obj.obj for obj in sources.objects]
        owners = [obj for obj in objects if obj["kind"] == "Pod" or obj["kind"] in _TEMPLATED]
        if len(owners) != 1:
            listed = ", ".join(map(describe, owners or objects)) or "nothing"
            raise PodiumError(f"--pod {text}: {_RULE}, not {listed}")
        (owner,) = owners
        needs = tuple(obj for obj in objects if obj is not owner)
    template = owner.get("template") or spec_of(owner).get("template") or {}
    template = owner if owner["kind"] == "Pod" else template
    spec = without(spec_of(template), *_NOT_ASKED_FOR)
    # A StatefulSet makes claims together with the pod, as ephemeral volumes are made.
    volumes = [
        {"name": name(claim), "ephemeral": {"volumeClaimTemplate": {"spec": spec_of(claim)}}}
        for claim in spec_of(owner).get("volumeClaimTemplates") or ()
    ]
    if volumes:
        spec = {**spec, "volumes": [*volumes_of(spec), *volumes]}
    marks = {"labels": labels(template), "annotations": annotations(template)}
    metadata: dict[str, Any] = {"name": name(owner), "namespace": namespace(owner)}
    metadata |= {field: value for field, value in marks.items() if value}
    pod = {"apiVersion": "v1", "kind": "Pod", "metadata": metadata, "spec": spec}
    return PodTemplate(source, int(count), pod, needs)


def with_needs(request: PlanRequest, templates: Sequence[PodTemplate]) -> PlanRequest:
    """Add the objects that templates need to a request, and namespaces if the state has none."""
    needs = [obj for template in templates for obj in template.needs]
    if not request.state.facts.of("Namespace"):
        places = sorted({namespace(template.pod) for template in templates})
        made = [{"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": p}} for p in places]
        needs = [*made, *needs]
    return replace(request, changes=(*request.changes, Apply(needs))) if needs else request


def named_copies(template: PodTemplate) -> Iterator[Object]:
    """Yield as many named pods of a template as its share says."""
    for number in range(1, template.share + 1):
        metadata = {**template.pod["metadata"], "name": f"{name(template.pod)}-more-{number}"}
        yield {**template.pod, "metadata": metadata}


class NodeShape(msgspec.Struct, frozen=True):
    """A shape of node to add, with its cost."""

    name: str
    cost: Decimal
    node: Object

    def made(self, number: int) -> Object:
        """Make a node of this shape, with a number in its name."""
        return node_like(self.node, f"{self.name}-{number}")


def read_node_shape(text: str, nodes: Mapping[str, Object]) -> NodeShape:
    """Read a shape `NAME=RESOURCES:COST`; `RESOURCES` is a file or a node of the state."""
    shape, colon, price = text.rpartition(":")
    shape_name, equals, source = shape.partition("=")
    if not (colon and equals and shape_name and source):
        raise PodiumError(f"--node-shape {text}: {_SHAPE_RULE}")
    if any(node == shape_name or node.startswith(f"{shape_name}-") for node in nodes):
        raise PodiumError(f"--node-shape {text}: the state has nodes called {shape_name} already")
    try:
        cost = Decimal(price)
    except InvalidOperation:
        cost = Decimal("nan")
    if not cost.is_finite() or cost <= 0:
        raise PodiumError(f"--node-shape {text}: the cost must be a number above 0")
    if "=" in source:
        return NodeShape(shape_name, cost, _of_resources(text, shape_name, source))
    node = nodes.get(source.removeprefix("node/"))
    if node is None:
        objects = [obj.obj for obj in read_sources([source], is_applied=True).objects]
        if [obj["kind"] for obj in objects] != ["Node"]:
            kinds = ", ".join(f"{obj['kind']} {name(obj)}" for obj in objects) or "nothing"
            message = f"--node-shape {text}: the file must have one node, and has {kinds}"
            raise PodiumError(message)
        (node,) = objects
    return NodeShape(shape_name, cost, node)


def _of_resources(text: str, shape_name: str, resources: str) -> Object:
    amounts: dict[str, Any] = {"pods": "110"}
    for part in resources.split(","):
        resource, _, amount = part.partition("=")
        try:
            is_amount = bool(resource) and nanos(amount) >= 0
        except InvalidValueError:
            is_amount = False
        if not is_amount:
            raise PodiumError(f"--node-shape {text}: {part} isn't RESOURCE=AMOUNT")
        amounts[resource] = amount
    missing = [resource for resource in ("cpu", "memory") if resource not in amounts]
    if missing:
        raise PodiumError(f"--node-shape {text}: says nothing of {' and '.join(missing)}")
    return {
        "apiVersion": "v1",
        "kind": "Node",
        "metadata": {"name": shape_name, "labels": {_INSTANCE_TYPE: shape_name}},
        "spec": {},
        "status": {"allocatable": amounts, "capacity": amounts},
    }
