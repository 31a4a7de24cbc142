"""InterPodAffinity, one node at a time, with the counts that upstream keeps in its cycle state."""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from podium.api.objects import Object
from podium.api.selectors.labels import label_selector
from tests.reference.verdict import UNRESOLVABLE, UNSCHEDULABLE, Verdict
from tests.reference.volume_world import World, labels_of

NEAR, APART = "podAffinity", "podAntiAffinity"
Pair = tuple[str, str]


@dataclass
class Term:
    """A term of a pod's affinity to pods.

    Which namespaces the selector of an incoming pod's term means is looked up among those that
    there are; of an existing pod's term, by the labels of the incoming pod's namespace, which has
    none if it isn't known.
    """

    raw: Object
    owner: Object
    weight: int
    existing: bool

    @property
    def key(self) -> str:
        return str(self.raw["topologyKey"])

    def matches(self, world: World, pod: Object) -> bool:
        selector = label_selector(self.raw.get("labelSelector"))
        in_namespace = self._means(world, pod["metadata"]["namespace"])
        return in_namespace and selector.matches(labels_of(pod))

    def _means(self, world: World, namespace: str) -> bool:
        named = self.raw.get("namespaces", [])
        if "namespaceSelector" not in self.raw:
            return namespace in (named or [self.owner["metadata"]["namespace"]])
        selector = label_selector(self.raw["namespaceSelector"])
        if namespace in named or selector.is_empty:
            return True
        known = world.find("Namespace", namespace)
        if known is None:
            return self.existing and selector.matches({})
        return selector.matches(labels_of(known))


def required(pod: Object, kind: str, *, existing: bool = False) -> list[Term]:
    affinity = pod["spec"].get("affinity", {}).get(kind, {})
    listed = affinity.get("requiredDuringSchedulingIgnoredDuringExecution", [])
    return [Term(raw, pod, 0, existing) for raw in listed]


def preferred(pod: Object, kind: str, *, existing: bool = False) -> list[Term]:
    affinity = pod["spec"].get("affinity", {}).get(kind, {})
    listed = affinity.get("preferredDuringSchedulingIgnoredDuringExecution", [])
    return [Term(raw["podAffinityTerm"], pod, raw["weight"], existing) for raw in listed]


@dataclass
class State:
    """How many terms are met in each domain, a pair of label and value; zeros aren't kept."""

    world: World
    pod: Object
    near: Counter[Pair] = field(default_factory=Counter)
    apart: Counter[Pair] = field(default_factory=Counter)
    existing: Counter[Pair] = field(default_factory=Counter)
    skipped: bool = False

    def copy(self) -> "State":
        counts = [Counter(counted) for counted in (self.near, self.apart, self.existing)]
        return State(self.world, self.pod, *counts, skipped=self.skipped)

    def change(self, other: Object, node: Object, sign: int) -> None:
        """A pod comes to a node or leaves it."""
        if self.attracts(other):
            self._count(self.near, required(self.pod, NEAR), node, sign)
        repelled = [t for t in required(self.pod, APART) if t.matches(self.world, other)]
        self._count(self.apart, repelled, node, sign)
        repelling = [
            t for t in required(other, APART, existing=True) if t.matches(self.world, self.pod)
        ]
        self._count(self.existing, repelling, node, sign)

    def attracts(self, other: Object) -> bool:
        """Whether a pod meets all terms of required affinity, of which there is one at least."""
        terms = required(self.pod, NEAR)
        return bool(terms) and all(term.matches(self.world, other) for term in terms)

    def _count(self, counts: Counter[Pair], terms: list[Term], node: Object, sign: int) -> None:
        for term in terms:
            if term.key in labels_of(node):
                pair = (term.key, labels_of(node)[term.key])
                counts[pair] += sign
                if counts[pair] == 0:
                    del counts[pair]


def prepare(world: World, pod: Object) -> State:
    state = State(world, pod)
    for node in world.nodes:
        for other in world.pods.get(node["metadata"]["name"], ()):
            state.change(other, node, 1)
    has_terms = bool(required(pod, NEAR) or required(pod, APART))
    state.skipped = not has_terms and not state.existing
    return state


def filter_node(state: State, node: Object) -> Verdict:
    if state.skipped:
        return None
    if not _near(state, node):
        return UNRESOLVABLE, ("node(s) didn't match pod affinity rules",)
    for term in required(state.pod, APART):
        here = labels_of(node)
        if term.key in here and state.apart[term.key, here[term.key]] > 0:
            return UNSCHEDULABLE, ("node(s) didn't match pod anti-affinity rules",)
    for pair in labels_of(node).items():
        if state.existing[pair] > 0:
            return UNSCHEDULABLE, ("node(s) didn't satisfy existing pods anti-affinity rules",)
    return None


def _near(state: State, node: Object) -> bool:
    pods_exist = True
    for term in required(state.pod, NEAR):
        if term.key not in labels_of(node):
            return False
        if state.near[term.key, labels_of(node)[term.key]] <= 0:
            pods_exist = False
    return pods_exist or (not state.near and state.attracts(state.pod))


def scores(
    world: World,
    pod: Object,
    feasible: Sequence[Object],
    *,
    hard_weight: int = 1,
    ignores_existing: bool = False,
) -> list[int]:
    """Normalised scores of the feasible nodes."""
    if ignores_existing and not preferred(pod, NEAR) and not preferred(pod, APART):
        return [0] * len(feasible)
    weights: Counter[Pair] = Counter()
    for node in world.nodes:
        for other in world.pods.get(node["metadata"]["name"], ()):
            for key, weight in _weights(world, pod, other, hard_weight):
                if key in labels_of(node):
                    weights[key, labels_of(node)[key]] += weight
    raw = [sum(weights[pair] for pair in labels_of(node).items()) for node in feasible]
    least, most = min(raw), max(raw)
    if least == most:
        return [0] * len(feasible)
    return [int(100 * (float(score - least) / float(most - least))) for score in raw]


def _weights(
    world: World, pod: Object, other: Object, hard_weight: int
) -> Iterator[tuple[str, int]]:
    """What another pod adds to its domains, by label."""
    for sign, kind in ((1, NEAR), (-1, APART)):
        for term in preferred(pod, kind):
            if term.matches(world, other):
                yield term.key, sign * term.weight
        for term in preferred(other, kind, existing=True):
            if term.matches(world, pod):
                yield term.key, sign * term.weight
    for term in required(other, NEAR, existing=True):
        if term.matches(world, pod):
            yield term.key, hard_weight
