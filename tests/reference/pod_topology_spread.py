"""PodTopologySpread, one node at a time, with the counts that upstream keeps in its cycle state."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import floor, log

from podium.api.nodes import tolerates
from podium.api.objects import Object
from podium.api.selectors.labels import Selector, equality_selector, label_selector
from podium.api.selectors.node_selector import required_node_affinity
from tests.reference.verdict import UNRESOLVABLE, UNSCHEDULABLE, Verdict
from tests.reference.volume_world import World, labels_of

HOSTNAME = "kubernetes.io/hostname"
ZONE = "topology.kubernetes.io/zone"
HARD, SOFT = "DoNotSchedule", "ScheduleAnyway"
SYSTEM_DEFAULTS: Sequence[Object] = (
    {"maxSkew": 3, "topologyKey": HOSTNAME, "whenUnsatisfiable": SOFT},
    {"maxSkew": 5, "topologyKey": ZONE, "whenUnsatisfiable": SOFT},
)
TOO_FULL = "node(s) didn't match pod topology spread constraints"


@dataclass
class Constraint:
    """A constraint, with the selectors that a pod must all meet to count."""

    raw: Object
    selectors: list[Selector]

    @property
    def key(self) -> str:
        return str(self.raw["topologyKey"])

    @property
    def max_skew(self) -> int:
        return int(self.raw["maxSkew"])

    def selects(self, pod: Object) -> bool:
        return all(selector.matches(labels_of(pod)) for selector in self.selectors)

    def count(self, pods: Sequence[Object], namespace: str) -> int:
        if all(selector.is_empty for selector in self.selectors):
            return 0
        counted = 0
        for pod in pods:
            if "deletionTimestamp" in pod["metadata"]:
                continue
            counted += pod["metadata"]["namespace"] == namespace and self.selects(pod)
        return counted

    def includes(self, pod: Object, node: Object) -> bool:
        if self.raw.get("nodeAffinityPolicy", "Honor") == "Honor":
            name = node["metadata"]["name"]
            if not required_node_affinity(pod).matches(labels_of(node), name):
                return False
        if self.raw.get("nodeTaintsPolicy", "Ignore") == "Honor":
            for taint in node["spec"].get("taints", []):
                if taint["effect"] == "PreferNoSchedule":
                    continue
                if not any(tolerates(t, taint) for t in pod["spec"].get("tolerations", [])):
                    return False
        return True


def constraints_of(
    world: World, pod: Object, action: str, defaults: Sequence[Object] = SYSTEM_DEFAULTS
) -> list[Constraint]:
    own = pod["spec"].get("topologySpreadConstraints", [])
    if own:
        return [
            Constraint(raw, _own_selectors(raw, pod))
            for raw in own
            if raw["whenUnsatisfiable"] == action
        ]
    owners = owners_selectors(world, pod)
    if all(selector.is_empty for selector in owners):
        return []
    return [Constraint(raw, owners) for raw in defaults if raw["whenUnsatisfiable"] == action]


def _own_selectors(raw: Object, pod: Object) -> list[Selector]:
    own = labels_of(pod)
    keys = [key for key in raw.get("matchLabelKeys", []) if key in own]
    return [
        label_selector(raw.get("labelSelector")),
        *(equality_selector({key: own[key]}) for key in keys),
    ]


def owners_selectors(world: World, pod: Object) -> list[Selector]:
    """What the services and the controller of a pod select."""
    namespace = pod["metadata"]["namespace"]
    selected: dict[str, str] = {}
    for service in world.of_kind("Service"):
        if service["metadata"]["namespace"] == namespace and "selector" in service["spec"]:
            wanted = service["spec"]["selector"]
            if all(labels_of(pod).get(key) == value for key, value in wanted.items()):
                selected.update(wanted)
    selectors = []
    for reference in pod["metadata"].get("ownerReferences", []):
        if not reference.get("controller"):
            continue
        owner = _find(world, reference, namespace)
        if owner is not None and owner["kind"] == "ReplicationController":
            selected.update(owner["spec"].get("selector", {}))
        elif owner is not None:
            selectors.append(label_selector(owner["spec"]["selector"]))
    return [equality_selector(selected), *selectors]


def _find(world: World, reference: Object, namespace: str) -> Object | None:
    kinds = {"ReplicationController": "v1", "ReplicaSet": "apps/v1", "StatefulSet": "apps/v1"}
    if kinds.get(reference["kind"]) != reference["apiVersion"]:
        return None
    for found in world.of_kind(reference["kind"]):
        metadata = found["metadata"]
        if (metadata["namespace"], metadata["name"]) == (namespace, reference["name"]):
            return found
    return None


@dataclass
class State:
    """How many pods each constraint counts in each domain, as PreFilter leaves it."""

    pod: Object
    constraints: list[Constraint]
    counts: list[dict[str, int]]

    def copy(self) -> "State":
        return State(self.pod, self.constraints, [dict(counts) for counts in self.counts])

    def change(self, other: Object, node: Object, sign: int) -> None:
        """A pod comes to a node or leaves it; unlike in PreFilter, even one that terminates."""
        if other["metadata"]["namespace"] != self.pod["metadata"]["namespace"]:
            return
        if not _has_all_labels(node, self.constraints):
            return
        for constraint, counts in zip(self.constraints, self.counts, strict=True):
            if constraint.selects(other) and constraint.includes(self.pod, node):
                counts[labels_of(node)[constraint.key]] += sign


def prepare(world: World, pod: Object, constraints: list[Constraint]) -> State:
    state = State(pod, constraints, [{} for _ in constraints])
    for node in world.nodes:
        if not _has_all_labels(node, constraints):
            continue
        pods = world.pods.get(node["metadata"]["name"], ())
        for constraint, counts in zip(constraints, state.counts, strict=True):
            if constraint.includes(pod, node):
                domain = labels_of(node)[constraint.key]
                counted = constraint.count(pods, pod["metadata"]["namespace"])
                counts[domain] = counts.get(domain, 0) + counted
    return state


def _has_all_labels(node: Object, constraints: Sequence[Constraint]) -> bool:
    return all(constraint.key in labels_of(node) for constraint in constraints)


def filter_node(state: State, node: Object) -> Verdict:
    for constraint, counts in zip(state.constraints, state.counts, strict=True):
        if constraint.key not in labels_of(node):
            return UNRESOLVABLE, (f"{TOO_FULL} (missing required label)",)
        least = min(counts.values(), default=2**31 - 1)
        if len(counts) < constraint.raw.get("minDomains", 1):
            least = 0
        here = counts.get(labels_of(node)[constraint.key], 0)
        if here + constraint.selects(state.pod) - least > constraint.max_skew:
            return UNSCHEDULABLE, (TOO_FULL,)
    return None


def scores(
    world: World,
    pod: Object,
    feasible: Sequence[Object],
    constraints: Sequence[Constraint],
    *,
    needs_labels: bool,
) -> list[int]:
    """Normalised scores of the feasible nodes.

    `needs_labels`: nodes without the label of some constraint take no part.
    """
    takes_part = [not needs_labels or _has_all_labels(node, constraints) for node in feasible]
    nodes = [node for node, scored in zip(feasible, takes_part, strict=True) if scored]
    terms = [_terms(world, pod, nodes, c, constraints, needs_labels) for c in constraints]
    raw = []
    for index in range(len(nodes)):
        total = 0.0
        for of_node in terms:
            total += of_node[index]
        raw.append(_rounded(total))
    normalised = iter(_normalised(raw))
    return [next(normalised) if scored else 0 for scored in takes_part]


def _terms(
    world: World,
    pod: Object,
    nodes: Sequence[Object],
    constraint: Constraint,
    constraints: Sequence[Constraint],
    needs_labels: bool,
) -> list[float]:
    """What one constraint adds to the raw score of each node."""
    namespace, key = pod["metadata"]["namespace"], constraint.key
    domains = {labels_of(node).get(key, ""): 0 for node in nodes}
    for node in world.nodes:
        if needs_labels and not _has_all_labels(node, constraints):
            continue
        domain = labels_of(node).get(key, "")
        if domain in domains and constraint.includes(pod, node):
            pods = world.pods.get(node["metadata"]["name"], ())
            domains[domain] += constraint.count(pods, namespace)
    weight = log((len(nodes) if key == HOSTNAME else len(domains)) + 2)
    terms = []
    for node in nodes:
        if key not in labels_of(node):
            terms.append(0.0)
            continue
        count = domains[labels_of(node)[key]]
        if key == HOSTNAME:
            count = constraint.count(world.pods.get(node["metadata"]["name"], ()), namespace)
        terms.append(float(count) * weight + float(constraint.max_skew - 1))
    return terms


def _rounded(number: float) -> int:
    """To the nearest whole number, halves upwards, as Go rounds what isn't negative."""
    whole = floor(number)
    return whole + 1 if number - whole >= 0.5 else whole


def _normalised(raw: list[int]) -> list[int]:
    if not raw or max(raw) == 0:
        return [100] * len(raw)
    return [100 * (max(raw) + min(raw) - score) // max(raw) for score in raw]
