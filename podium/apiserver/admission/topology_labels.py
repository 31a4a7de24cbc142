"""PodTopologyLabels: a pod on a node carries the labels of the node's zone and region.

Bindings are given the labels here, and pass them on to their pods; labels that are there already
stay.
"""

from typing import ClassVar

from podium.api.objects import Object, metadata_of, part
from podium.api.pods import node_name_of
from podium.apiserver.admission.plugin import CREATE, Plugin
from podium.apiserver.attributes import Attributes

TOPOLOGY_LABELS = ("topology.kubernetes.io/zone", "topology.kubernetes.io/region")


class PodTopologyLabels(Plugin):
    """Copies the labels from nodes to bindings, and to pods that are created on a node."""

    handles: ClassVar = {"Pod": CREATE, "Pod/binding": CREATE}

    def admit(self, request: Attributes, obj: Object) -> Object:
        node_name, target = node_name_of(obj), part(obj, "target")
        if request.subresource:
            node_name = target.get("name") or "" if target.get("kind") == "Node" else ""
        node = self.view.get("Node", "", node_name) if node_name else None
        carried = node and metadata_of(node).get("labels")
        if not carried:
            return obj
        topology = {label: carried[label] for label in TOPOLOGY_LABELS if label in carried}
        if not topology:
            return obj
        metadata = metadata_of(obj)
        labels = {**topology, **part(metadata, "labels")}
        return {**obj, "metadata": {**metadata, "labels": labels}}
