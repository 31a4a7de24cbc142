"""Nodes, pods and what else tests put into a real cluster, and what they look for there."""

import time
from collections.abc import Callable
from typing import Any

import httpx

from tests.cluster.real.server import PATIENCE_S, Json, Server

PODS = "/api/v1/namespaces/default/pods"
_CLEARED = (
    "/api/v1/persistentvolumes",
    "/apis/scheduling.k8s.io/v1/priorityclasses",
    "/apis/storage.k8s.io/v1/storageclasses",
    "/api/v1/nodes",
)
_CLEARED_IN_DEFAULT = (
    "/api/v1/namespaces/default/persistentvolumeclaims",
    "/apis/policy/v1/namespaces/default/poddisruptionbudgets",
    "/apis/events.k8s.io/v1/namespaces/default/events",
)
_NOW = {"apiVersion": "v1", "kind": "DeleteOptions", "gracePeriodSeconds": 0}


def until(look: Callable[[], Any], patience_s: float = PATIENCE_S) -> Any:
    """Look until there is something, and tell what."""
    until_s = time.monotonic() + patience_s
    while not (found := look()):
        if time.monotonic() > until_s:
            raise AssertionError("it hasn't come about")
        time.sleep(0.02)
    return found


def pod(name: str, cpu: str = "1", **spec: Any) -> Json:
    container = {"name": "c", "image": "i", "resources": {"requests": {"cpu": cpu}}}
    metadata = {"name": name, "labels": {"app": name.rpartition("-")[0] or name}}
    body = {"containers": [container], "terminationGracePeriodSeconds": 0, **spec}
    return {"apiVersion": "v1", "kind": "Pod", "metadata": metadata, "spec": body}


class World:
    """What is in the cluster; the namespace is `default`."""

    def __init__(self, plane: Server) -> None:
        self.plane = plane

    def clear(self) -> None:
        """Remove everything that tests have put there."""
        for one in self.pods():
            self.delete(one["metadata"]["name"], 0)
        for path in (*_CLEARED_IN_DEFAULT, *_CLEARED):
            for one in self.plane.ask("GET", path)["items"]:
                name = one["metadata"]["name"]
                if not name.startswith("system-"):
                    if one["metadata"].get("finalizers"):
                        # The controllers that look after these don't always run.
                        self.plane.merge(f"{path}/{name}", {"metadata": {"finalizers": None}})
                    self._remove(f"{path}/{name}")
        leases = "/apis/coordination.k8s.io/v1/namespaces/kube-system/leases"
        self._remove(f"{leases}/kube-scheduler")
        until(lambda: not self.pods())

    def node(self, name: str, cpu: str = "4", pods: str = "110", **labels: str) -> None:
        amounts = {"cpu": cpu, "memory": "16Gi", "pods": pods}
        status = {
            "capacity": amounts,
            "allocatable": amounts,
            "conditions": [{"type": "Ready", "status": "True"}],
        }
        metadata = {"name": name, "labels": {"kubernetes.io/hostname": name, **labels}}
        node = {"apiVersion": "v1", "kind": "Node", "metadata": metadata, "status": status}
        self.plane.ask("POST", "/api/v1/nodes", node)
        # Some servers give new nodes a taint, which nobody would take away here.
        self.plane.merge(f"/api/v1/nodes/{name}", {"spec": {"taints": None}})

    def priority(self, name: str, value: int) -> None:
        body = {"metadata": {"name": name}, "value": value}
        self.plane.ask("POST", "/apis/scheduling.k8s.io/v1/priorityclasses", body)

    def create(self, *pods: Json) -> None:
        for one in pods:
            self.plane.ask("POST", PODS, one)

    def budget(self, app: str, allowed: int, healthy: int = 1) -> None:
        """A budget as the disruption controller would have counted it."""
        path = "/apis/policy/v1/namespaces/default/poddisruptionbudgets"
        selector = {"matchLabels": {"app": app}}
        body = {"metadata": {"name": app}, "spec": {"minAvailable": 1, "selector": selector}}
        self.plane.ask("POST", path, body)
        status = {
            "observedGeneration": 1,
            "disruptionsAllowed": allowed,
            "currentHealthy": healthy,
            "desiredHealthy": 1,
            "expectedPods": healthy,
        }
        self.plane.merge(f"{path}/{app}/status", {"status": status})

    def pods(self) -> list[Json]:
        return list(self.plane.ask("GET", PODS)["items"])

    def pod(self, name: str) -> Json | None:
        """A pod; None if it is gone."""
        return next((one for one in self.pods() if one["metadata"]["name"] == name), None)

    def message(self, name: str) -> str:
        """Why a pod isn't scheduled."""
        conditions = (self.pod(name) or {}).get("status", {}).get("conditions") or [{}]
        return str(conditions[0].get("message") or "")

    def places(self) -> dict[str, str]:
        """The node of each pod; empty for pods that are on none."""
        return {one["metadata"]["name"]: one["spec"].get("nodeName", "") for one in self.pods()}

    def wait_bound(self, *names: str) -> dict[str, str]:
        """Wait until pods, or all that there are, are on nodes; which ones."""

        def bound() -> dict[str, str] | None:
            places = self.places()
            wanted = {name: places.get(name, "") for name in names} if names else places
            return wanted if wanted and all(wanted.values()) else None

        return dict(until(bound))

    def delete(self, name: str, grace_s: int | None = None) -> None:
        body = _NOW if grace_s == 0 else {**_NOW, "gracePeriodSeconds": grace_s}
        self._remove(f"{PODS}/{name}", body)

    def events(self, reason: str) -> list[Json]:
        path = "/apis/events.k8s.io/v1/namespaces/default/events"
        return [one for one in self.plane.ask("GET", path)["items"] if one["reason"] == reason]

    def _remove(self, path: str, body: Json = _NOW) -> None:
        response = self.plane.request("DELETE", path, body)
        if response.status_code != httpx.codes.NOT_FOUND:
            response.raise_for_status()
