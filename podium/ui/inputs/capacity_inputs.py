"""The pods and nodes that a question about capacity names: templates and shapes."""

from collections.abc import Sequence

from podium.api.kinds.decisive_kinds import decisive
from podium.api.objects import name
from podium.ui.inputs.inputs import Asked
from podium.whatif.capacity.capacity_templates import PodTemplate, read_pod_template
from podium.whatif.capacity.cheapest_nodes import NodesRequest
from podium.whatif.capacity.node_shapes import read_node_shape


def read_templates(read: Asked, pods: Sequence[str], namespace: str) -> list[PodTemplate]:
    """Read the templates that `--pod` names."""
    state = decisive([*read.request.state.objects, *read.request.applied])
    return [read_pod_template(one, namespace, state) for one in pods]


def nodes_request(
    read: Asked, templates: Sequence[PodTemplate], shapes: Sequence[str], tries: int
) -> NodesRequest:
    """Read the shapes that `--node-shape` names."""
    nodes = {name(one): one for one in read.request.state.objects if one["kind"] == "Node"}
    named = [read_node_shape(one, nodes) for one in shapes]
    return NodesRequest(read.request, templates, named, tries)
