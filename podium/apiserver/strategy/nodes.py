"""Nodes: whoever creates one may say how it is."""

from podium.api.objects import Object, status_of
from podium.apiserver.strategy.strategy import Creation
from podium.apiserver.strategy.zeros import NODE_STATUS


def create(node: Object, _creation: Creation) -> Object:
    """A new Node, with the status that it is given."""
    return {**node, "spec": node.get("spec") or {}, "status": _complete(status_of(node))}


def _complete(status: Object) -> Object:
    info = {**NODE_STATUS["nodeInfo"], **(status.get("nodeInfo") or {})}
    return {**NODE_STATUS, **status, "nodeInfo": info}
