"""A simulated hour of churn: how long it takes, what memory, and where the time goes.

    python benchmarks/churn_hour.py [--minutes 60] [--profile]

With --profile it also counts who calls the API for what.

1,000 nodes and 10,000 pods; a thousand pods a minute come and as many go; ten nodes fail and come
back; priorities are mixed, and the cluster is nearly full, so that some preempt others. The goal:
an hour in a minute, in 1.5 GiB.
"""

import argparse
import cProfile
import pstats
import resource
import time
from collections import Counter, deque
from collections.abc import Callable
from random import Random
from typing import Any

from podium.api.errors import RefusedError
from podium.api.kinds.builtin_kinds import KINDS
from podium.api.process.python_garbage_collection import collect_rarely
from podium.apiserver.attributes import Attributes
from podium.apiserver.server import PatchRequest
from podium.cluster.drivers.driver_events import Called, DriverEvent
from podium.cluster.virtual import Cluster, ClusterOptions

NODES = 1_000
PODS = 10_000
PODS_PER_MINUTE = 1_000
FAILURES = 10
OUTAGE_S = 420.0
CLASSES = {"batch": 10, "web": 1_000, "urgent": 100_000}
SHARES = (6, 3, 1)
SEED = 1
_MERGE = "application/merge-patch+json"


class Churn:
    """The users: they create and delete pods, and some nodes fail.

    Attributes:
        created: how many pods were created so far.
    """

    def __init__(self, cluster: Cluster, rng: Random) -> None:
        self.created = 0
        self._cluster = cluster
        self._driver = cluster.driver
        self._rng = rng
        self._names: deque[str] = deque()

    def load(self) -> None:
        """Put nodes, classes and the first pods there."""
        self._cluster.load([*map(_priority_class, CLASSES), *map(_node, range(NODES))])
        pods = [self._pod() for _ in range(PODS)]
        for index, pod in enumerate(pods):
            pod["spec"]["nodeName"] = f"node-{index % NODES}"
        self._cluster.load(pods)

    def plan(self, minutes: float) -> None:
        """Have everything happen at its time."""
        start_s = self._driver.now_s
        for number in range(int(minutes * PODS_PER_MINUTE)):
            self._driver.at(start_s + number * 60 / PODS_PER_MINUTE, self._turn_over)
        for number in range(FAILURES):
            at_s = start_s + (number + 0.5) * minutes * 60 / FAILURES
            name = f"node-{self._rng.randrange(NODES)}"
            self._driver.at(at_s, self._turns(name, down=True))
            self._driver.at(at_s + OUTAGE_S, self._turns(name, down=False))

    def _turn_over(self) -> None:
        """One pod comes, one goes."""
        now_s = self._driver.now_s
        self._cluster.server.create(Attributes(KINDS["Pod"], "default", "", now_s), self._pod())
        try:
            self._cluster.server.delete(
                Attributes(KINDS["Pod"], "default", self._names.popleft(), now_s)
            )
        except RefusedError:
            return  # preempted, or evicted from a node that failed

    def _turns(self, node: str, *, down: bool) -> Callable[[], None]:
        body = {"metadata": {"annotations": {"podium.dev/down": "true" if down else None}}}
        patch = PatchRequest(_MERGE, body)

        def turn() -> None:
            self._cluster.server.patch(
                Attributes(KINDS["Node"], "", node, self._driver.now_s), patch
            )

        return turn

    def _pod(self) -> dict[str, Any]:
        self.created += 1
        name = f"pod-{self.created}"
        self._names.append(name)
        (kind,) = self._rng.choices(tuple(CLASSES), SHARES)
        cpu = self._rng.choice(("100m", "250m", "500m"))
        container = {"name": "c", "image": "i", "resources": {"requests": {"cpu": cpu}}}
        return {
            "apiVersion": "v1",
            "kind": "Pod",
            "metadata": {"name": name, "namespace": "default", "labels": {"app": kind}},
            "spec": {
                "priorityClassName": kind,
                "terminationGracePeriodSeconds": 10,
                "containers": [container],
            },
        }


def _priority_class(name: str) -> dict[str, Any]:
    api_version = "scheduling.k8s.io/v1"
    metadata = {"name": name}
    value = CLASSES[name]
    return {
        "apiVersion": api_version,
        "kind": "PriorityClass",
        "metadata": metadata,
        "value": value,
    }


def _node(index: int) -> dict[str, Any]:
    metadata = {
        "name": f"node-{index}",
        "labels": {"topology.kubernetes.io/zone": "abc"[index % 3]},
    }
    status = {"allocatable": {"cpu": "3200m", "memory": "16Gi", "pods": "110"}}
    return {"apiVersion": "v1", "kind": "Node", "metadata": metadata, "status": status}


def _counting(calls: Counter[str]) -> Callable[[DriverEvent], None]:
    def note(happening: DriverEvent) -> None:
        if isinstance(happening, Called):
            kind = getattr(happening.effect, "kind", "Pod")
            error = f" {happening.error.reason}" if happening.error else ""
            calls[f"{happening.who}: {type(happening.effect).__name__} {kind}{error}"] += 1

    return note


def main() -> None:
    """Run it, and print what it took."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--minutes", type=float, default=60.0, help="of simulated time")
    parser.add_argument("--profile", action="store_true", help="print where the time goes")
    arguments = parser.parse_args()
    began_s = time.perf_counter()
    cluster = Cluster(ClusterOptions(seed=SEED))
    churn = Churn(cluster, Random(SEED))
    churn.load()
    collect_rarely()
    calls: Counter[str] = Counter()
    if arguments.profile:
        cluster.driver.hooks.append(_counting(calls))
    cluster.start()
    cluster.driver.advance(0)
    churn.plan(arguments.minutes)
    loaded_s = time.perf_counter()
    profile = cProfile.Profile()
    if arguments.profile:
        profile.enable()
    processor_s = time.process_time()
    cluster.driver.advance(arguments.minutes * 60)
    processor_s = time.process_time() - processor_s
    if arguments.profile:
        profile.disable()
        pstats.Stats(profile).sort_stats("tottime").print_stats(45)
    took_s = time.perf_counter() - loaded_s
    peak_mib = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(f"loading:    {loaded_s - began_s:8.1f} s")
    print(f"simulating: {took_s:8.1f} s ({processor_s:.1f} s of processor time)")
    print(f"writes:     {cluster.store.revision:8}")
    print(f"pods:       {len(cluster.store.list('Pod').items):8}")
    print(f"peak:       {peak_mib:8.0f} MiB")
    for call, count in calls.most_common():
        print(f"{count:8} {call}")


if __name__ == "__main__":
    main()
