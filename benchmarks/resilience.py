"""`podium resilience` of a large cluster: each node fails once, and is drained once.

    python benchmarks/resilience.py [--nodes 1000] [--workers 2] [--tried N] [--no-drains] [--full]

Nodes of 16 CPUs with ten pods of 2 KB each in Deployments of fifty, a third of them important and a
fifth with a budget. Every node has room for one more pod; with --full only one in 200, so that
important pods preempt others, which stay pending. What is printed is time by the clock and
processor time of all processes.
"""

import argparse
import cProfile
import resource
import time
from typing import Any

from loading import PODS_PER_REPLICA_SET, TEAMS, node, pod

from podium.api.process.python_garbage_collection import collect_rarely
from podium.whatif.plan.request import LoadedState, PlanRequest
from podium.whatif.resilience.resilience import ResilienceRequest, resilience

PODS_PER_NODE = 10
_CLASS = {
    "apiVersion": "scheduling.k8s.io/v1",
    "kind": "PriorityClass",
    "metadata": {"name": "important", "uid": "important"},
    "value": 1000,
}


def main() -> None:
    """Make the state, have everything fail, and print what that took."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--nodes", type=int, default=1_000)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--tried", type=int, help="only so many of the nodes")
    parser.add_argument("--no-drains", action="store_true", help="failures of nodes alone")
    parser.add_argument("--full", action="store_true", help="hardly any room is left")
    parser.add_argument("--profile", help="write cProfile's figures of this process to a file")
    arguments = parser.parse_args()
    state = LoadedState(_state(arguments.nodes, arguments.full))
    collect_rarely()
    names = tuple(f"node-{number}" for number in range(arguments.tried or arguments.nodes))
    asked = ResilienceRequest(
        PlanRequest(state=state),
        nodes=names,
        drains=not arguments.no_drains,
        spare_room=False,
    )
    profile = cProfile.Profile(time.process_time)
    if arguments.profile:
        profile.enable()
    began_s = time.perf_counter()
    found, _ = resilience(asked, arguments.workers)
    took_s = time.perf_counter() - began_s
    if arguments.profile:
        profile.disable()
        profile.dump_stats(arguments.profile)
    own, others = (
        resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)
    )
    cpu_s = sum(one.ru_utime + one.ru_stime for one in (own, others))
    plays = sum(found.tried.values())
    print(f"{plays} plays, {took_s:.0f} s by the clock, {cpu_s:.0f} s of processors")
    print(f"{1000 * took_s / plays:.0f} ms a play, peak {own.ru_maxrss / 1024:.0f} MiB")
    lost = sum(one.lost for one in found.ranking)
    preempted = sum(one.preempted for one in found.ranking)
    print(f"{lost} pods lost a place, {preempted} of them preempted; {found.harmless} harmless")


def _state(nodes: int, is_full: bool) -> list[dict[str, Any]]:
    pods = [_running(number, nodes, is_full) for number in range(nodes * PODS_PER_NODE)]
    budgets = [_budget(number) for number in range(0, len(pods) // PODS_PER_REPLICA_SET, 5)]
    return [_CLASS, *map(node, range(nodes)), *pods, *budgets]


def _running(number: int, nodes: int, is_full: bool) -> dict[str, Any]:
    one = pod(number, nodes)
    cpu = "1600m" if is_full and number % nodes % 200 else "1450m"
    one["spec"]["containers"][0]["resources"]["requests"]["cpu"] = cpu
    if number // PODS_PER_REPLICA_SET % 3 == 0:
        one["spec"] |= {"priority": 1000, "priorityClassName": "important"}
    return one


def _budget(number: int) -> dict[str, Any]:
    metadata = {"name": f"app-{number}", "namespace": f"team-{number % TEAMS}"}
    selector = {"matchLabels": {"app": f"app-{number}"}}
    return {
        "apiVersion": "policy/v1",
        "kind": "PodDisruptionBudget",
        "metadata": {**metadata, "uid": f"budget-{number}"},
        "spec": {"maxUnavailable": 1, "selector": selector},
    }


if __name__ == "__main__":
    main()
