"""Nodes, and what CSI drivers say about them."""

import re
from dataclasses import replace
from typing import Any

from podium.api.errors import FieldError
from podium.apiserver.validation.checks import (
    Faults,
    a_dict,
    anything,
    boolean,
    count,
    duplicate,
    each,
    fields,
    integer,
    join,
    kept,
    needed,
    quantity,
    text,
    time,
)
from podium.apiserver.validation.metadata import object_meta
from podium.apiserver.validation.names import label_key, subdomain
from podium.apiserver.validation.remembered import remembered
from podium.apiserver.validation.resources import resource_list
from podium.apiserver.validation.selectors import label_selector
from podium.apiserver.validation.tolerations import taints

# Upstream judges neither their types nor their statuses, so that any may be stored already.
_condition = fields(type=text, status=text, lastTransitionTime=time)


def _conditions_part(conditions: Any) -> Any:
    if not isinstance(conditions, list):
        return conditions
    return [kept(condition, ("type", "status", "lastTransitionTime")) for condition in conditions]


_amounts = resource_list(anything)
_FEATURE = re.compile("[A-Z][A-Za-z0-9]*(/[A-Za-z0-9]+)*", re.ASCII)
_FEATURE_RULE = (
    "must start with an UpperCamelCase segment, with subsequent segments separated by '/' "
    "(e.g., MyFeature or MyFeature/mySubFeature), and contain only alphanumeric characters and "
    "slashes"
)


def _features(value: object, path: str) -> Faults:
    """What a node says that it can do: names in order, each once."""
    yield from each(text)(value, path)
    before = ""
    for index, name in enumerate(value if isinstance(value, list) else ()):
        if not isinstance(name, str):
            continue
        where = f"{path}[{index}]"
        if not _FEATURE.fullmatch(name):
            yield FieldError(where, name, f'invalid feature name "{name}": {_FEATURE_RULE}')
        elif name == before:
            yield duplicate(where, name)
        elif name < before:
            yield FieldError(where, name, "list must be sorted alphabetically")
        before = max(before, name)


def _resources(value: object, path: str) -> Faults:
    """Amounts by resource name; the names stand in paths without brackets, for nodes alone."""
    for fault in _amounts(value, ""):
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

node_features = fields(status=fields(declaredFeatures=_features))
"""What a node says that it can do."""

node = fields(
    node_taints,
    node_resources,
    metadata=object_meta(),
    spec=fields(unschedulable=boolean, providerID=text),
    status=fields(
        conditions=remembered(each(_condition), _conditions_part),
        images=remembered(each(fields(names=each(text), sizeBytes=integer()))),
        declaredFeatures=_features,
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
