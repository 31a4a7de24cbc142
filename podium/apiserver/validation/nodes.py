"""Nodes, and what CSI drivers say about them."""

from typing import Any

from podium.apiserver.validation.checks import (
    boolean,
    count,
    each,
    fields,
    integer,
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


node = fields(
    metadata=object_meta(),
    spec=fields(unschedulable=boolean, taints=remembered(taints), providerID=text),
    status=fields(
        capacity=remembered(amounts),
        allocatable=remembered(amounts),
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
