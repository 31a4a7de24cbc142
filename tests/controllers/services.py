"""A service `web`, and pods that may stand behind it."""

from typing import Any

from tests import objects
from tests.controllers.builders import Obj

PORTS = [{"name": "http", "port": 80, "targetPort": "web"}]


def service(**spec: Any) -> Obj:
    return {
        "apiVersion": "v1",
        "kind": "Service",
        "metadata": {"name": "web", "namespace": "default", "labels": {"team": "blue"}},
        "spec": {"selector": {"app": "web"}, "ports": PORTS, **spec},
    }


def pod(name: str, app: str = "web", port: int = 8080, **annotations: str) -> Obj:
    ports = [{"name": "web", "containerPort": port}]
    scripted = {f"podium.dev/{key.replace('_', '-')}": v for key, v in annotations.items()}
    containers = [objects.container("1m", ports=ports)]
    return objects.pod(name, app=app, annotations=scripted, containers=containers)
