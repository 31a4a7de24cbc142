"""Plans on a large cluster that is full: reading its state, the first plan, and further ones.

    python benchmarks/large_plan.py [--replicas 500] [--plans 3] [--profile FILE]

5,000 nodes of 16 CPUs with ten pods of 2 KB each, and a Deployment whose replicas all preempt one.
What is printed is processor time, to which other work on the machine adds little.
"""

import argparse
import cProfile
import json
import resource
import tempfile
import time
from multiprocessing import get_context
from pathlib import Path
from typing import Any

from loading import node, pod

from podium.api.process.python_garbage_collection import collect_rarely
from podium.cluster.manifests.manifest_sources import read_sources
from podium.whatif.plan.changes import Apply
from podium.whatif.plan.planner import Planner
from podium.whatif.plan.request import LoadedState, PlanRequest

NODES, PODS_PER_NODE = 5_000, 10
_CPU = "1600m"
_CLASS = "urgent"


def main() -> None:
    """Write the state, read it, plan, and print what each took."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--nodes", type=int, default=NODES)
    parser.add_argument("--replicas", type=int, default=500)
    parser.add_argument("--plans", type=int, default=3, help="how many on the same state")
    parser.add_argument("--profile", help="write cProfile's figures to a file of this name")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "state.json")
        # In a process of its own: its memory doesn't count.
        writing = get_context("spawn").Process(target=write_state, args=(path, arguments.nodes))
        writing.start()
        writing.join()
        size_mib = path.stat().st_size / 2**20
        profile = cProfile.Profile(time.process_time)
        if arguments.profile:
            profile.enable()
        began_s = _used_s()
        state = LoadedState([loaded.obj for loaded in read_sources([str(path)]).objects])
        collect_rarely()
        _tell(f"reading {size_mib:.0f} MiB", began_s)
    _plan(state, arguments.replicas, arguments.plans)
    if arguments.profile:
        profile.disable()
        profile.dump_stats(arguments.profile)


def _plan(state: LoadedState, replicas: int, plans: int) -> None:
    began_s = _used_s()
    all_plans = Planner(PlanRequest(state=state, alternatives_max=0))
    for number in range(1, plans + 1):
        outcome = all_plans.plan([Apply(_applied(replicas))])
        _tell(f"plan {number}", began_s)
        began_s = _used_s()
        preempted = sum(len(one.taken) for one in outcome.preemptions)
        if preempted != replicas:
            raise SystemExit(f"{preempted} preempted instead of {replicas}")


def _used_s() -> float:
    """Processor time of this process and of those that it has forked."""
    used = (resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    return sum(one.ru_utime + one.ru_stime for one in used)


def _tell(what: str, began_s: float) -> None:
    peak_mib = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    took_s = _used_s() - began_s
    print(f"{what:20} {took_s:6.2f} s, peak {peak_mib:6.0f} MiB", flush=True)


def write_state(path: Path, nodes: int) -> None:
    """Write nodes, and the pods that fill them, as `kubectl get -o json` prints them."""
    pods = [_full(pod(number, nodes)) for number in range(nodes * PODS_PER_NODE)]
    items = [*map(node, range(nodes)), *pods]
    with path.open("w") as file:
        json.dump({"apiVersion": "v1", "kind": "List", "items": items}, file)


def _full(one: dict[str, Any]) -> dict[str, Any]:
    for container in one["spec"]["containers"]:
        container["resources"]["requests"]["cpu"] = _CPU
    return one


def _applied(replicas: int) -> list[dict[str, Any]]:
    labels = {"app": "new"}
    container = {"name": "c", "image": "i", "resources": {"requests": {"cpu": _CPU}}}
    template = {
        "metadata": {"labels": labels},
        "spec": {"priorityClassName": _CLASS, "containers": [container]},
    }
    spec = {"replicas": replicas, "selector": {"matchLabels": labels}, "template": template}
    return [
        {
            "apiVersion": "scheduling.k8s.io/v1",
            "kind": "PriorityClass",
            "metadata": {"name": _CLASS},
            "value": 1_000_000,
        },
        {
            "apiVersion": "apps/v1",
            "kind": "Deployment",
            "metadata": {"name": "new", "namespace": "default"},
            "spec": spec,
        },
    ]


if __name__ == "__main__":
    main()
