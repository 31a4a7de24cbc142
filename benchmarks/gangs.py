"""What gangs cost: pods of PodGroups, against the same pods one by one.

    python benchmarks/gangs.py [--gangs 100] [--members 10] [--nodes 1000] [--preempt]

The clock of the processor runs while a cluster without controllers and kubelets, in virtual time,
schedules all pods; with --preempt every node is full of pods that have to go first. Each case is
run three times, in turns, and the fastest counts.
"""

import argparse
import time
from typing import Any

from podium.api.kinds.builtin_kinds import KINDS, POD_GROUP
from podium.apiserver.attributes import Attributes
from podium.cluster.virtual import Cluster, ClusterOptions, SchedulerSetup
from podium.scheduler.config.scheduler_options import Gangs, PodGroupApi, SchedulerOptions

RUNS = 3
OPTIONS = SchedulerOptions(gangs=Gangs(pod_groups=frozenset({PodGroupApi.KUBERNETES})))
CASES = {
    "no option": (None, False),
    "the option, and no gangs": (OPTIONS, False),
    "gangs": (OPTIONS, True),
}


def _object(api_version: str, kind: str, name: str, **fields: Any) -> dict[str, Any]:
    metadata = {"name": name, "namespace": "default"}
    return {"apiVersion": api_version, "kind": kind, "metadata": metadata, **fields}


def _pod(name: str, priority: int, **spec: Any) -> dict[str, Any]:
    requests = {"cpu": "1", "memory": "500Mi"}
    containers = [{"name": "c", "image": "i", "resources": {"requests": requests}}]
    spec = {"priority": priority, "containers": containers, **spec}
    return _object("v1", "Pod", name, spec=spec)


def _cluster(options: SchedulerOptions | None, nodes: int, *, is_full: bool) -> Cluster:
    setup = SchedulerSetup(options=options)
    cluster = Cluster(ClusterOptions(schedulers=(setup,), controllers=frozenset(), nodes=None))
    has = {"cpu": "4", "memory": "16Gi", "pods": "110"}
    names = [f"node-{number}" for number in range(nodes)]
    cluster.load(_object("v1", "Node", name, status={"allocatable": has}) for name in names)
    if is_full:
        spec = {"terminationGracePeriodSeconds": 0}
        cluster.load(
            _pod(f"low-{name}-{number}", 0, nodeName=name, **spec)
            for name in names
            for number in range(4)
        )
    return cluster


def measured(case: str, gangs: int, members: int, nodes: int, *, preempts: bool) -> float:
    """Seconds of the processor until all pods are bound."""
    options, is_grouped = CASES[case]
    cluster = _cluster(options, nodes, is_full=preempts)
    cluster.start()
    server, driver = cluster.server, cluster.driver
    driver.run_until(driver.now_s)
    important = {"priorityClassName": "system-cluster-critical"} if preempts else {}
    for gang in range(gangs):
        if is_grouped:
            policy = {"gang": {"minCount": members}}
            spec: dict[str, Any] = {"schedulingPolicy": policy, **important}
            group = _object(POD_GROUP.api_version, POD_GROUP.name, f"g{gang}", spec=spec)
            server.create(Attributes(POD_GROUP, "default", "", driver.now_s), group)
        for number in range(members):
            own = {"schedulingGroup": {"podGroupName": f"g{gang}"}} if is_grouped else {}
            priority = 2_000_000_000 if preempts else 0
            pod = _pod(f"g{gang}-{number}", priority, **important, **own)
            server.create(Attributes(KINDS["Pod"], "default", "", driver.now_s), pod)
    begun_s = time.process_time()
    driver.run_until(driver.now_s + 600)
    took_s = time.process_time() - begun_s
    bound = [pod for pod in cluster.store.list("Pod").items if pod["spec"].get("nodeName")]
    new = sum(pod["metadata"]["name"].startswith("g") for pod in bound)
    if new != gangs * members:
        raise SystemExit(f"{case}: only {new} of {gangs * members} pods are bound")
    return took_s


def main() -> None:
    """Measure all cases, and print them."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--gangs", type=int, default=100)
    parser.add_argument("--members", type=int, default=10)
    parser.add_argument("--nodes", type=int, default=1_000)
    parser.add_argument("--preempt", action="store_true")
    given = parser.parse_args()
    sizes = given.gangs, given.members, given.nodes
    best = dict.fromkeys(CASES, float("inf"))
    for _ in range(RUNS):
        for case in CASES:
            best[case] = min(best[case], measured(case, *sizes, preempts=given.preempt))
    for case, took_s in best.items():
        print(f"{case}: {took_s:.2f} s")


if __name__ == "__main__":
    main()
