"""Random small clusters for whole decisions: tight, and full of relations between pods.

They come as scenarios of `podium decide`, since both Podium and the scalar cycle can read those.
Nodes start within what they have, so that whatever exceeds it later was decided so.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from hypothesis import note
from hypothesis import strategies as st

from tests.objects import HOST, ZONE, Obj
from tests.properties.volume_clusters import Dice

Scenes = Iterator[tuple[Obj, Dice]]

NAMESPACES = {"team-a": {"kind": "lab"}, "team-b": {"kind": "prod"}}
APPS = ("web", "db", "job")
EFFECTS = ("NoSchedule", "NoExecute", "PreferNoSchedule")
CPUS = (250, 500, 1000, 1500, 2000)
MEMORIES = (256, 512, 1024, 2048)
PRIORITIES = (-5, 0, 0, 10, 100)
TIMES = tuple(f"2026-01-01T00:00:0{second}Z" for second in range(3))
CLAIMS = ("data", "logs", "only")
DRIVER = "csi.example.com"
SCENES_PER_SEED = 4


@dataclass
class Room:
    """What a node has left."""

    cpu: int
    memory: int
    pods: int
    ports: set[int] = field(default_factory=set)

    def take(self, pod: Obj) -> bool:
        """Whether there was room for the pod, which is there now."""
        (container,) = pod["spec"]["containers"]
        requests = container["resources"]["requests"]
        cpu = int(requests.get("cpu", "0m").removesuffix("m"))
        memory = int(requests.get("memory", "0Mi").removesuffix("Mi"))
        ports = {port["hostPort"] for port in container.get("ports", [])}
        if cpu > self.cpu or memory > self.memory or not self.pods or ports & self.ports:
            return False
        self.cpu, self.memory, self.pods = self.cpu - cpu, self.memory - memory, self.pods - 1
        self.ports |= ports
        return True


def node(dice: Dice, name: str) -> Obj:
    labels = dice.fields(85, **{HOST: name, ZONE: dice.one("z1", "z2", "z3", "")})
    taint = {"key": "keep", "value": dice.one("a", "b"), "effect": dice.one(*EFFECTS)}
    return {
        "metadata": {"name": name, "labels": {**labels, **dice.fields(40, disk="ssd")}},
        "spec": dice.fields(12, taints=[taint], unschedulable=dice.chance(30)),
        "status": {
            "allocatable": {
                "cpu": dice.one("2", "3", "4"),
                "memory": dice.one("2Gi", "4Gi"),
                "pods": dice.one("3", "6", "110"),
            },
            **dice.fields(15, images=[{"names": ["web:v1"], "sizeBytes": 500 * 2**20}]),
        },
    }


def selector(dice: Dice) -> Obj:
    expression = {"key": "app", "operator": "In", "values": dice.some(APPS) or ["web"]}
    return dice.one(
        {"matchLabels": {"app": dice.one(*APPS)}},
        {"matchLabels": {"app": dice.one(*APPS)}},
        {"matchExpressions": [expression]},
        {"matchExpressions": [{"key": "tier", "operator": dice.one("Exists", "DoesNotExist")}]},
        {},
    )


def affinity_term(dice: Dice) -> Obj:
    spaces = dice.one({}, {"matchLabels": {"kind": "lab"}}, {"matchLabels": {"kind": "gone"}})
    return {
        "topologyKey": dice.one(HOST, ZONE, ZONE, "disk"),
        **dice.fields(95, labelSelector=selector(dice)),
        **dice.fields(10, namespaceSelector=spaces),
        **dice.fields(10, namespaces=["team-b"]),
    }


def pod_affinity(dice: Dice) -> Obj:
    def preferred() -> Obj:
        return {"weight": dice.one(1, 10, 100), "podAffinityTerm": affinity_term(dice)}

    terms = dice.fields(
        60, requiredDuringSchedulingIgnoredDuringExecution=dice.many(lambda: affinity_term(dice), 2)
    )
    weighted = dice.fields(
        60, preferredDuringSchedulingIgnoredDuringExecution=dice.many(preferred, 2)
    )
    return {**terms, **weighted}


def spread_constraint(dice: Dice) -> Obj:
    return {
        "maxSkew": dice.one(1, 1, 2),
        "topologyKey": dice.one(HOST, ZONE, ZONE, "disk"),
        "whenUnsatisfiable": dice.one("DoNotSchedule", "DoNotSchedule", "ScheduleAnyway"),
        **dice.fields(95, labelSelector=selector(dice)),
        **dice.fields(20, minDomains=dice.one(1, 2, 4), matchLabelKeys=["tier", "none"]),
        **dice.fields(20, nodeAffinityPolicy="Ignore"),
        **dice.fields(30, nodeTaintsPolicy="Honor"),
    }


def node_affinity(dice: Dice) -> Obj:
    expression = {"key": "disk", "operator": dice.one("Exists", "DoesNotExist")}
    term = {"matchExpressions": [expression]}
    named = {"matchFields": [{"key": "metadata.name", "operator": "In", "values": ["n0"]}]}
    required = {"nodeSelectorTerms": [dice.one(term, term, named)]}
    preferred = [{"weight": dice.one(3, 50), "preference": term}]
    return {
        **dice.fields(40, requiredDuringSchedulingIgnoredDuringExecution=required),
        **dice.fields(60, preferredDuringSchedulingIgnoredDuringExecution=preferred),
    }


def container(dice: Dice) -> Obj:
    requests = dice.fields(90, cpu=f"{dice.one(*CPUS)}m", memory=f"{dice.one(*MEMORIES)}Mi")
    return {
        "name": "c",
        "image": dice.one("web:v1", "db"),
        "resources": {"requests": requests},
        **dice.fields(6, ports=[{"hostPort": dice.one(80, 81)}]),
    }


def pod(dice: Dice, name: str, **spec: Any) -> Obj:
    affinity = {
        **dice.fields(20, podAffinity=pod_affinity(dice), podAntiAffinity=pod_affinity(dice)),
        **dice.fields(15, nodeAffinity=node_affinity(dice)),
    }
    claim = {"name": "v", "persistentVolumeClaim": {"claimName": dice.one(*CLAIMS)}}
    toleration = {"key": "keep", "operator": "Exists", **dice.fields(50, effect="NoSchedule")}
    reference = {"apiVersion": "apps/v1", "kind": "ReplicaSet", "name": "rs", "controller": True}
    return {
        "metadata": {
            "name": name,
            "namespace": dice.one("team-a", "team-a", "team-b"),
            "labels": dice.fields(80, app=dice.one(*APPS), tier=dice.one("x", "y")),
            **dice.fields(10, ownerReferences=[reference]),
        },
        "spec": {
            "priority": dice.one(*PRIORITIES),
            "containers": [container(dice)],
            "affinity": affinity,
            **dice.fields(
                35, topologySpreadConstraints=dice.many(lambda: spread_constraint(dice), 2)
            ),
            **dice.fields(20, tolerations=[toleration]),
            **dice.fields(12, volumes=[claim]),
            **spec,
        },
        "status": {},
    }


def related_pod(dice: Dice, name: str) -> Obj:
    """One that looks at others, more often than not, and may preempt most of them."""
    drawn = pod(dice, name)
    drawn["spec"]["priority"] = 100
    if dice.chance(80):
        drawn["spec"]["affinity"] |= dice.fields(
            60, podAffinity=pod_affinity(dice), podAntiAffinity=pod_affinity(dice)
        )
        constraints = [spread_constraint(dice) for _ in range(dice.one(1, 2))]
        drawn["spec"] |= dice.fields(70, topologySpreadConstraints=constraints)
    return drawn


def placed_pod(dice: Dice, name: str, node_name: str) -> Obj:
    drawn = pod(dice, name, nodeName=node_name)
    drawn["status"] = dice.fields(75, startTime=dice.one(*TIMES))
    if dice.chance(4):
        drawn["metadata"]["deletionTimestamp"] = TIMES[0]
        condition = {"type": "DisruptionTarget", "status": "True"}
        reason = dice.one("PreemptionByScheduler", "EvictionByEvictionAPI")
        drawn["status"]["conditions"] = [{**condition, "reason": reason}]
    return drawn


def pending_pod(dice: Dice, name: str, node_names: Sequence[str]) -> Obj:
    drawn = pod(dice, name, **dice.fields(8, preemptionPolicy="Never"))
    drawn["spec"]["priority"] = dice.one(0, 10, 100, 100, 1000)
    drawn["status"] = dice.fields(12, nominatedNodeName=dice.one(*node_names, "gone"))
    return drawn


def budget(dice: Dice, name: str) -> Obj:
    return {
        "metadata": {"name": name, "namespace": dice.one("team-a", "team-a", "team-b")},
        "spec": {"selector": selector(dice)},
        "status": {
            "disruptionsAllowed": dice.one(0, 0, 1, 2),
            **dice.fields(15, disruptedPods={"n0-0": TIMES[0]}),
        },
    }


def volumes(dice: Dice) -> Obj:
    """Bound claims, of which `only` is for one pod at a time, and limits of nodes."""

    def claim(namespace: str, name: str) -> Obj:
        return {
            "metadata": {
                "name": name,
                "namespace": namespace,
                "annotations": {"pv.kubernetes.io/bind-completed": "yes"},
            },
            "spec": {
                "volumeName": f"{namespace}-{name}",
                "accessModes": ["ReadWriteOncePod" if name == "only" else "ReadWriteOnce"],
            },
        }

    def limits(name: str) -> Obj:
        drivers = [{"name": DRIVER, "nodeID": name, "allocatable": {"count": dice.one(0, 1, 2)}}]
        return {"metadata": {"name": name}, "spec": {"drivers": drivers}}

    places = [(namespace, name) for namespace in NAMESPACES for name in CLAIMS]
    handles = [f"{namespace}-{name}" for namespace, name in places]
    return {
        "pvcs": [claim(*place) for place in places],
        "pvs": [
            {"metadata": {"name": h}, "spec": {"csi": {"driver": DRIVER, "volumeHandle": h}}}
            for h in handles
        ],
        "csiNodes": [limits(name) for name in ("n0", "n1") if dice.chance(70)],
    }


def owners(dice: Dice) -> Obj:
    def metadata(name: str) -> Obj:
        return {"name": name, "namespace": dice.one("team-a", "team-b")}

    service = {"metadata": metadata("s"), "spec": {"selector": {"app": dice.one(*APPS)}}}
    replica_set = {"metadata": metadata("rs"), "spec": {"selector": selector(dice)}}
    return {**dice.fields(50, services=[service]), **dice.fields(50, replicaSets=[replica_set])}


def scenario(dice: Dice, *, nodes_max: int = 7) -> Obj:
    """A cluster, and pods to decide."""
    names = [f"n{index}" for index in range(dice.one(*range(2, nodes_max + 1)))]
    nodes = [node(dice, name) for name in names]
    waiting = [pod(dice, f"w{index}") for index in range(dice.one(0, 0, 1, 2))]
    for drawn in waiting:
        drawn["status"] = {"nominatedNodeName": dice.one(*names, "gone")}
    pending = [f"p{index}" for index in range(dice.one(1, 2, 3))]
    return {
        "id": "drawn",
        "nodes": nodes,
        "pods": [*(pod for drawn in nodes for pod in _placed(dice, drawn)), *waiting],
        "pdbs": [budget(dice, f"b{index}") for index in range(dice.one(0, 1, 2, 3))],
        "namespaces": [
            {"metadata": {"name": name, "labels": labels}} for name, labels in NAMESPACES.items()
        ],
        "pending": alike(dice, pending, lambda name: pending_pod(dice, name, names)),
        "sequence": dice.chance(60),
        **volumes(dice),
        **owners(dice),
    }


def _placed(dice: Dice, drawn: Obj) -> list[Obj]:
    name, has = drawn["metadata"]["name"], drawn["status"]["allocatable"]
    room = Room(int(has["cpu"]) * 1000, int(has["memory"][:-2]) * 1024, int(has["pods"]))
    names = [f"{name}-{index}" for index in range(dice.one(0, 2, 3, 4, 5))]
    wanted = alike(dice, names, lambda pod_name: placed_pod(dice, pod_name, name))
    return [pod for pod in wanted if room.take(pod)]


def alike(dice: Dice, names: Sequence[str], make: Callable[[str], Obj]) -> list[Obj]:
    """Pods of these names, some of which differ in nothing else."""
    pods: list[Obj] = []
    for name in names:
        like = dice.one(*pods) if pods and dice.chance(30) else make(name)
        pods.append({**like, "metadata": {**like["metadata"], "name": name}})
    return pods


def scenes() -> st.SearchStrategy[Scenes]:
    """Scenarios of one seed, with dice for whatever else is to be drawn.

    Drawn from a seed they cost so little that each example of a property looks at several.
    """

    def of_seed(seed: int) -> Scenes:
        for number in range(SCENES_PER_SEED):
            note(f"scenario of seed {seed + number}")
            dice = Dice(seed + number)
            yield scenario(dice), dice

    return st.integers(0, 2**48).map(of_seed)
