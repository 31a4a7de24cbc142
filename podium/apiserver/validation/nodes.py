"""Nodes, and what CSI drivers say about them."""

from dataclasses import replace
from typing import Any

from podium.apiserver.validation.checks import (
    Faults,
    a_dict,
    boolean,
    count,
    each,
    fields,
    integer,
    join,
    kept,
    needed,
    one_of,
    quantity,
    text,
    time,
)
from podium.apiserver.validation.metadata import object_meta
from podium.apiserver.validation.names import label_key, subdomain
from podium.apiserver.validation.remembered import remembered
from podium.apiserver.validation.resources import amounts
from podium.apiserver.validation.selectors import label_selector
from podium.apiserver.validation.tolerations import taints

_condition = fields(
    type=needed(text),
    status=needed(one_of("True", "False", "Unknown")),
    lastTransitionTime=time,
)


def _conditions_part(conditions: Any) -> Any:
    if not isinstance(conditions, list):
        return conditions
    return [kept(condition, ("type", "status", "lastTransitionTime")) for condition in conditions]


def _resources(value: object, path: str) -> Faults:
    """Amounts by resource name; the names stand in paths without brackets, for nodes alone."""
    for fault in amounts(value, ""):
        name = fault.field.removeprefix("[").removesuffix("]")
        yield replace(fault, field=join(path, name) if name else path)


def node_taints(node: Any, path: str) -> Faults:
    """The taints of a node, which kube-apiserver takes for metadata where it complains of them."""
    found = a_dict(node.get("spec")).get("taints")
    if found:
        yield from _taints(found, join(path, "metadata.taints"))


_taints = remembered(taints)
node_resources = fields(
    status=fields(capacity=remembered(_resources), allocatable=remembered(_resources))
)
"""What a node says that it has."""

node = fields(
    node_taints,
    node_resources,
    metadata=object_meta(),
    spec=fields(unschedulable=boolean, providerID=text),
    status=fields(
        conditions=remembered(each(_condition), _conditions_part),
        images=remembered(each(fields(names=each(text), sizeBytes=integer(0)))),
        declaredFeatures=each(text),
    ),
)
"""A node."""

csi_node = fields(
    metadata=object_meta(),
    spec=fields(
        drivers=each(
            fields(
                name=needed(subdomain),
                nodeID=needed(text),
                topologyKeys=each(label_key),
                allocatable=fields(count=count),
            )
        )
    ),
)
"""A CSINode: a node's drivers and how many volumes each can attach."""

csi_driver = fields(
    metadata=object_meta(),
    spec=fields(attachRequired=boolean, storageCapacity=boolean),
)
"""A CSIDriver."""

csi_storage_capacity = fields(
    metadata=object_meta(),
    storageClassName=needed(subdomain),
    nodeTopology=label_selector,
    capacity=quantity,
    maximumVolumeSize=quantity,
)
"""A CSIStorageCapacity: how much of a storage class a segment of the cluster has left."""
