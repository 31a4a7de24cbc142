"""How long it takes to load a large cluster from JSON, and how much memory.

A file like the output of `kubectl get nodes,pods -A -o json` is written to a temporary directory.
A fresh process then reads it as `podium plan -f` does and puts everything into a scheduler.
"""

import argparse
import gc
import json
import resource
import sys
import tempfile
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path
from time import perf_counter
from typing import Any

from podium.cluster.manifests.manifest_sources import read_sources
from podium.scheduler.scheduler import Scheduler

Object = dict[str, Any]

PODS_PER_REPLICA_SET = 50
TEAMS = 20
ZONES = ("a", "b", "c")
SECONDS_MAX, MIB_MAX = 10, 1024
_STARTED = "2026-01-01T00:00:00Z"
_MAXRSS_PER_MIB = 2**20 if sys.platform == "darwin" else 2**10


def node(number: int) -> Object:
    """A node with a few images and the usual conditions."""
    called = f"node-{number}"
    amounts = {"cpu": "16", "memory": "64Gi", "ephemeral-storage": "100Gi", "pods": "110"}
    conditions = [
        _condition("Ready", "True", "KubeletReady"),
        _condition("MemoryPressure", "False", "KubeletHasSufficientMemory"),
        _condition("DiskPressure", "False", "KubeletHasNoDiskPressure"),
        _condition("PIDPressure", "False", "KubeletHasSufficientPID"),
    ]
    labels = {
        "kubernetes.io/hostname": called,
        "kubernetes.io/os": "linux",
        "kubernetes.io/arch": "amd64",
        "topology.kubernetes.io/zone": ZONES[number % len(ZONES)],
    }
    return {
        "apiVersion": "v1",
        "kind": "Node",
        "metadata": {"name": called, "uid": f"{number:08x}-node", "labels": labels},
        "spec": {"podCIDR": f"10.{number >> 8 & 255}.{number & 255}.0/24"},
        "status": {
            "allocatable": amounts,
            "capacity": amounts,
            "conditions": conditions,
            "images": [
                {"names": [f"registry.example/app-{i}:1"], "sizeBytes": 10**8} for i in range(5)
            ],
        },
    }


def pod(number: int, nodes: int) -> Object:
    """A running pod of a Deployment, about 2 KB of JSON."""
    replica_set = number // PODS_PER_REPLICA_SET
    app = f"app-{replica_set}"
    owner = {"apiVersion": "apps/v1", "kind": "ReplicaSet", "name": f"{app}-7d4b9c", "uid": app}
    conditions = ("PodReadyToStartContainers", "Initialized", "Ready", "ContainersReady")
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {
            "name": f"{app}-7d4b9c-{number}",
            "namespace": f"team-{replica_set % TEAMS}",
            "uid": f"{number:08x}-0000-4000-8000-000000000000",
            "creationTimestamp": _STARTED,
            "labels": {"app": app, "pod-template-hash": "7d4b9c"},
            "annotations": {"example/config-checksum": f"{number:064x}"},
            "ownerReferences": [{**owner, "controller": True, "blockOwnerDeletion": True}],
        },
        "spec": _spec(app, f"node-{number % nodes}"),
        "status": {
            "phase": "Running",
            "startTime": _STARTED,
            "qosClass": "Burstable",
            "podIP": f"10.0.{number >> 8 & 255}.{number & 255}",
            "conditions": [_condition(kind, "True", "") for kind in conditions],
            "containerStatuses": [
                {
                    "name": "app",
                    "ready": True,
                    "restartCount": 0,
                    "image": f"registry.example/{app}:1",
                    "state": {"running": {"startedAt": _STARTED}},
                }
            ],
        },
    }


def _spec(app: str, node_name: str) -> Object:
    unhealthy = ("not-ready", "unreachable")
    return {
        "nodeName": node_name,
        "serviceAccountName": "default",
        "schedulerName": "default-scheduler",
        "restartPolicy": "Always",
        "priority": 0,
        "containers": [
            {
                "name": "app",
                "image": f"registry.example/{app}:1",
                "ports": [{"containerPort": 8080, "protocol": "TCP"}],
                "env": [{"name": f"SETTING_{i}", "value": f"value-{i}"} for i in range(4)],
                "resources": {
                    "requests": {"cpu": "250m", "memory": "512Mi"},
                    "limits": {"memory": "1Gi"},
                },
                "volumeMounts": [{"name": "api-access", "mountPath": "/var/run/secrets"}],
            }
        ],
        "tolerations": [
            {
                "key": f"node.kubernetes.io/{key}",
                "operator": "Exists",
                "effect": "NoExecute",
                "tolerationSeconds": 300,
            }
            for key in unhealthy
        ],
        "volumes": [
            {"name": "api-access", "projected": {"sources": [{"serviceAccountToken": {}}]}}
        ],
    }


def _condition(kind: str, status: str, reason: str) -> Object:
    return {
        "type": kind,
        "status": status,
        "reason": reason,
        "lastTransitionTime": _STARTED,
    }


def write_state(path: Path, nodes: int, pods: int) -> None:
    """Object by object, so that this process stays smaller than the one to be measured."""
    with path.open("w") as file:
        file.write('{"apiVersion": "v1", "kind": "List", "items": [\n')
        file.writelines(_with_commas(_objects(nodes, pods)))
        file.write("]}\n")


def _objects(nodes: int, pods: int) -> Iterator[Object]:
    yield from (node(number) for number in range(nodes))
    yield from (pod(number, nodes) for number in range(pods))


def _with_commas(objects: Iterator[Object]) -> Iterator[str]:
    for index, obj in enumerate(objects):
        yield f"{',' if index else ''}{json.dumps(obj)}\n"


def load(path: str) -> tuple[float, float, float]:
    """Seconds for reading, seconds for putting into a scheduler, and the peak of memory in MiB."""
    began_s = perf_counter()
    objects = [loaded.obj for loaded in read_sources([path]).objects]
    # As the commands do: what was read stays, and the collector needn't look at it again.
    gc.freeze()
    read_s = perf_counter()
    nodes = [obj for obj in objects if obj["kind"] == "Node"]
    pods = [obj for obj in objects if obj["kind"] == "Pod"]
    Scheduler().load(nodes, pods)
    loaded_s = perf_counter()
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / _MAXRSS_PER_MIB
    return read_s - began_s, loaded_s - read_s, peak


def main() -> int:
    """Write, load, print; 1 if the limits of time or memory are exceeded."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--nodes", type=int, default=5_000)
    parser.add_argument("--pods", type=int, default=50_000)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "state.json")
        write_state(path, options.nodes, options.pods)
        with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as pool:
            reading_s, loading_s, peak_mib = pool.submit(load, str(path)).result()
        size_mib = path.stat().st_size / 2**20
    print(f"{options.nodes:,} nodes and {options.pods:,} pods, {size_mib:,.0f} MiB of JSON")
    print(f"read     {reading_s:8.2f} s")
    print(f"loaded   {loading_s:8.2f} s")
    print(f"peak     {peak_mib:8,.0f} MiB")
    return 0 if reading_s + loading_s < SECONDS_MAX and peak_mib < MIB_MAX else 1


if __name__ == "__main__":
    sys.exit(main())
