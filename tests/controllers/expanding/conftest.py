"""Small workloads and pods for all tests of controllers."""

from typing import Any

import pytest

Obj = dict[str, Any]


class Make:
    """Makes objects; tests say only what matters to them."""

    def workload(self, kind: str, called: str = "w", **spec: Any) -> Obj:
        version = {"Job": "batch/v1", "ReplicationController": "v1"}.get(kind, "apps/v1")
        template = {
            "metadata": {"labels": {"app": called}},
            "spec": {"containers": [{"name": "c"}]},
        }
        selector: Obj = {"matchLabels": {"app": called}}
        if kind == "ReplicationController":
            selector = {"app": called}
        return {
            "apiVersion": version,
            "kind": kind,
            "metadata": {"name": called, "namespace": "ns", "uid": f"uid-{called}"},
            "spec": {"selector": selector, "template": template, **spec},
        }

    def pod(self, called: str, owner: Obj | None = None, **fields: Any) -> Obj:
        metadata: Obj = {"name": called, "namespace": "ns", "uid": f"uid-{called}"}
        if owner:
            reference = {"kind": owner["kind"], **_named(owner), "controller": True}
            metadata["ownerReferences"] = [reference]
            metadata["labels"] = dict(owner["spec"]["template"]["metadata"]["labels"])
        metadata.update(fields.pop("metadata", {}))
        spec = {"nodeName": fields["node"]} if fields.get("node") else {}
        status = {"phase": fields.get("phase", "Running"), **fields.get("status", {})}
        return {
            "apiVersion": "v1",
            "kind": "Pod",
            "metadata": metadata,
            "spec": spec,
            "status": status,
        }

    def node(self, called: str, labels: Obj | None = None, *taints: Obj) -> Obj:
        metadata = {"name": called, "labels": labels or {}}
        return {"kind": "Node", "metadata": metadata, "spec": {"taints": list(taints)}}

    def names(self, objects: Any) -> list[str]:
        return [obj["metadata"]["name"] for obj in objects]


def _named(owner: Obj) -> Obj:
    return {field: owner["metadata"][field] for field in ("name", "uid")}


@pytest.fixture
def make() -> Make:
    return Make()
