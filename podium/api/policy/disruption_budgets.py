"""The arithmetic of PodDisruptionBudgets: allowed disruptions, and victims that would exceed them.

Two components of Kubernetes evaluate budgets differently:

- The disruption controller computes the status (`allowed_disruptions`). As in policy/v1, an empty
  selector selects all pods of the namespace, an absent one none (`selects`).
- The scheduler decrements allowed disruptions (`spend`), in DefaultPreemption's
  filterPodsWithPDBViolation. There an empty selector selects nothing either, and a pod without
  labels is selected by no budget (`Budget.selects`).
"""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from typing import Any

import msgspec
from msgspec.structs import replace

from podium.api.conditions import with_condition
from podium.api.kinds.builtin_kinds import kind_of
from podium.api.objects import (
    Object,
    annotations,
    condition_of,
    controller_of,
    generation_of,
    is_terminating,
    labels,
    name,
    namespace,
    part,
    spec_of,
    status_of,
    uid_of,
)
from podium.api.pods import is_ready
from podium.api.selectors.labels import NOTHING, Selector, SelectorError
from podium.api.values.integers import scaled
from podium.api.values.times import NANOS_PER_SECOND, parse_time, timestamp
from podium.api.workloads import SCALED, replicas_of, selector_of

# How long the controller waits for a pod to go whose eviction has been granted.
DELETION_TIMEOUT_NANOS = 2 * 60 * NANOS_PER_SECOND

POLICY_ANNOTATION = "podium.dev/disruption-budgets"
"""Annotation of a PodDisruptionBudget; with `Respect`, preemption never violates it."""

DISRUPTION_ALLOWED = "DisruptionAllowed"
SYNC_FAILED = "SyncFailed"
"""The condition's reason if the disruption controller can't compute the status."""

_NOTHING: Mapping[str, Any] = {}
BOUNDS = ("minAvailable", "maxUnavailable")
_PERCENT_STEPS = 100


class OwnerScale(msgspec.Struct, frozen=True):
    """The wanted size of a pod's controller; for a Deployment's ReplicaSet, its Deployment's."""

    uid: str
    replicas: int
    controller: str = ""
    """Kind and name of the controller with the number of replicas; empty if unknown."""
    is_ordered: bool = False
    """Whether the controller creates no further pod while one isn't ready."""


ScaleOf = Callable[[Object, str], OwnerScale | None]
"""Finds a controller's scale by its owner reference and namespace; None if it isn't known."""


class BudgetStatus(msgspec.Struct, frozen=True, rename="camel"):
    """The counts that the disruption controller writes to a budget's status."""

    expected_pods: int
    desired_healthy: int
    current_healthy: int
    disruptions_allowed: int

    @classmethod
    def of(cls, status: Object) -> "BudgetStatus":
        """Read the counts in a budget's status; those that are absent are 0."""
        return cls(*(int(status.get(field) or 0) for field in cls.__struct_encode_fields__))


def budget_selector(pdb: Object) -> Selector:
    """Return the budget's selector; an invalid one selects no pods."""
    try:
        return selector_of(pdb)
    except SelectorError:
        return NOTHING


def selects(pdb: Object, pod: Object) -> bool:
    """Return whether the budget selects the pod, by the disruption controller's rules."""
    return namespace(pdb) == namespace(pod) and budget_selector(pdb).matches(labels(pod))


def needs_scale(pdb: Object) -> bool:
    """Return whether the budget depends on the replicas of controllers, not on existing pods."""
    spec = pdb.get("spec") or _NOTHING
    return spec.get("maxUnavailable") is not None or isinstance(spec.get("minAvailable"), str)


def expected_count(pods: Iterable[Object], scale_of: ScaleOf) -> int | None:
    """Sum up the wanted replicas of the pods' controllers, each controller once.

    Pods without a controller don't count. Return None if a controller doesn't exist or has no
    scale, as a DaemonSet or Job; the disruption controller then reports a failure.
    """
    wanted: dict[str, int] = {}
    seen: set[tuple[str, str]] = set()
    for pod in pods:
        owner = controller_of(pod)
        if owner is None or (identity := (str(owner.get("uid")), namespace(pod))) in seen:
            continue
        seen.add(identity)
        scale = scale_of(owner, namespace(pod))
        if scale is None:
            return None
        wanted[scale.uid] = scale.replicas
    return sum(wanted.values())


def scale_finder(find: Callable[[str, str, str], Object | None]) -> ScaleOf:
    """Return a function that finds a controller's scale; `find` takes kind, namespace and name."""

    def referred(reference: Object, place: str) -> Object | None:
        kind = str(reference.get("kind"))
        controller = find(kind, place, str(reference.get("name"))) if kind in SCALED else None
        return (
            controller
            if controller is not None and uid_of(controller) == reference.get("uid")
            else None
        )

    def scale_of(reference: Object, place: str) -> OwnerScale | None:
        owner = referred(reference, place)
        is_replica_set = owner is not None and reference.get("kind") == "ReplicaSet"
        above = controller_of(owner) if owner is not None and is_replica_set else None
        if above is not None and above.get("kind") == "Deployment":
            owner, reference = referred(above, place), above
        if owner is None:
            return None
        is_parallel = spec_of(owner).get("podManagementPolicy") == "Parallel"
        is_ordered = reference["kind"] == "StatefulSet" and not is_parallel
        controller = f"{reference['kind']} {name(owner)}"
        return OwnerScale(uid_of(owner), replicas_of(owner), controller, is_ordered)

    return scale_of


def scale_error(pods: Iterable[Object], scale_of: ScaleOf) -> str:
    """Return the disruption controller's message if `expected_count` is None; otherwise empty."""
    for pod in pods:
        owner = controller_of(pod)
        if owner is None or scale_of(owner, namespace(pod)) is not None:
            continue
        kind = kind_of(owner)
        if kind is None:
            version = owner.get("apiVersion")
            return f'no matches for kind "{owner.get("kind")}" in version "{version}"'
        if "scale" not in kind.subresources:
            return f"{kind.resource} does not implement the scale subresource"
        return f'found no controllers for pod "{name(pod)}"'
    return ""


def allowed_disruptions(
    pdb: Object, pods: Collection[Object], expected: int | None, *, now: int | None = None
) -> BudgetStatus:
    """Return the budget's status as computed by the disruption controller.

    If `expected` is needed but None, return the stored counts with no allowed disruptions.

    Args:
        pods: the selected pods, including finished ones.
        expected: result of `expected_count`; needed if `needs_scale` is true.
        now: nanoseconds since the epoch. Pods whose eviction was granted in the last two minutes
            count as gone; if None, those whose eviction was granted at any time.
    """
    if expected is None and needs_scale(pdb):
        # The disruption controller fails safe.
        return replace(BudgetStatus.of(status_of(pdb)), disruptions_allowed=0)
    expected_pods, desired = _wanted(pdb, len(pods), expected or 0)
    granted = part(status_of(pdb), "disruptedPods")

    def is_going(pod: Object) -> bool:
        since = granted.get(name(pod))
        if since is None or now is None:
            return since is not None
        return parse_time(since) + DELETION_TIMEOUT_NANOS > now

    healthy = sum(is_ready(pod) and not is_terminating(pod) and not is_going(pod) for pod in pods)
    allowed = healthy - desired if expected_pods > 0 else 0
    return BudgetStatus(expected_pods, desired, healthy, max(allowed, 0))


class CountedBudget(msgspec.Struct, frozen=True):
    """A budget, its pods, their `expected_count`, and the time in nanoseconds since the epoch."""

    budget: Object
    pods: Sequence[Object]
    expected: int | None
    now: int

    @classmethod
    def of(
        cls, budget: Object, pods: Iterable[Object], scale_of: ScaleOf, now: int
    ) -> "CountedBudget":
        """Select a budget's pods out of those of a namespace, and compute their expected count."""
        chosen = [pod for pod in pods if selects(budget, pod)]
        return cls(budget, chosen, expected_count(chosen, scale_of), now)

    def status(self) -> BudgetStatus:
        """Return the status that the disruption controller would compute."""
        return allowed_disruptions(self.budget, self.pods, self.expected, now=self.now)

    def with_status(self) -> Object:
        """Return the budget with the status that the disruption controller would write."""
        counted = msgspec.to_builtins(self.status())
        status = {**counted, "observedGeneration": generation_of(self.budget)}
        return {**self.budget, "status": {**status_of(self.budget), **status}}

    def looser(self) -> Iterator["CountedBudget"]:
        """Yield copies of the budget with looser bounds, as in `looser_bounds`."""
        for spec in looser_bounds(self.budget, self.expected, len(self.pods)):
            yield replace(self, budget={**self.budget, "spec": spec})


def bound_text(spec: Object) -> str:
    """Format the bound of a budget, such as `minAvailable: 2`."""
    field = next((field for field in BOUNDS if spec.get(field) is not None), "")
    return f"{field}: {spec[field]}" if field else "neither minAvailable nor maxUnavailable"


def allowance(pdb: Object, count: int) -> int:
    """Return the allowed disruptions if exactly `count` pods are expected and all are healthy."""
    expected, desired = _wanted(pdb, count, count)
    return max(count - desired, 0) if expected > 0 else 0


def fewest_pods(pdb: Object, count: int, *, unhealthy: int = 0, spare: int = 1) -> int | None:
    """Return the smallest number of pods, at least `count`, that allow `spare` disruptions.

    Return None if no number is large enough, as for `maxUnavailable: 0`.
    """
    available = spec_of(pdb).get("minAvailable")
    # Of a hundred pods every percentage below 100 leaves one out.
    most = count + _PERCENT_STEPS * (unhealthy + spare) + 1
    if isinstance(available, int):
        most += available
    for number in range(max(count, 1), most):
        expected, desired = _wanted(pdb, number, number)
        if expected > 0 and number - unhealthy - desired >= spare:
            return number
    return None


def looser_bounds(pdb: Object, expected: int | None, present: int) -> Iterator[Object]:
    """Yield specs of a budget with looser bounds, the strictest first.

    A `minAvailable` remains a number or a percentage; a `maxUnavailable` becomes a number. If the
    expected number of pods is unknown, all specs have a number as `minAvailable`.
    """
    spec = spec_of(pdb)
    unavailable, available = spec.get("maxUnavailable"), spec.get("minAvailable")
    rest = {field: value for field, value in spec.items() if field not in BOUNDS}
    if isinstance(available, int):
        bounds: Iterable[Object] = ({"minAvailable": n} for n in range(available - 1, -1, -1))
    elif not expected:
        bounds = ({"minAvailable": n} for n in range(present - 1, -1, -1))
    elif isinstance(available, str):
        percent = int(available.removesuffix("%"))
        bounds = ({"minAvailable": f"{n}%"} for n in range(percent - 1, -1, -1))
    else:
        missing = 0 if unavailable is None else scaled(unavailable, expected)
        bounds = ({"maxUnavailable": n} for n in range(missing + 1, expected + 1))
    for bound in bounds:
        yield {**rest, **bound}


def _wanted(pdb: Object, present: int, expected: int) -> tuple[int, int]:
    spec = pdb.get("spec") or _NOTHING
    unavailable, available = spec.get("maxUnavailable"), spec.get("minAvailable")
    if unavailable is not None:
        return expected, max(expected - scaled(unavailable, expected), 0)
    if available is None:
        return 0, 0
    if isinstance(available, str):
        return expected, scaled(available, expected)
    return present, int(available)


def with_disruption(budget: Object, pod_name: str, now_s: float) -> Object:
    """Return a budget whose status records the eviction of a pod: one allowed disruption fewer."""
    status = budget["status"]
    left = status["disruptionsAllowed"] - 1
    disrupted = {**part(status, "disruptedPods"), pod_name: timestamp(now_s)}
    status = {**status, "disruptionsAllowed": left, "disruptedPods": disrupted}
    if not left:
        condition = {
            "type": DISRUPTION_ALLOWED,
            "status": "False",
            "observedGeneration": status.get("observedGeneration") or 0,
            "reason": "InsufficientPods",
            "message": "",
        }
        status["conditions"] = with_condition(status.get("conditions"), condition, now_s)
    return {**budget, "status": status}


def sync_failure(budget: Object) -> str:
    """Return the disruption controller's error about a budget in its status; empty if none."""
    condition = condition_of(budget, DISRUPTION_ALLOWED) or {}
    is_failed = condition.get("reason") == SYNC_FAILED
    return str(condition.get("message") or SYNC_FAILED) if is_failed else ""


class Budget(msgspec.Struct, frozen=True):
    """A disruption budget as the scheduler evaluates it; an invalid selector selects nothing."""

    namespace: str
    name: str
    selector: Selector
    allowed: int
    disrupted: frozenset[str] = frozenset()
    """Names of pods whose granted eviction is already counted."""
    desired_healthy: int | None = None
    """`status.desiredHealthy`; None if absent."""
    is_respected: bool = False
    """Whether its annotation asks preemption never to violate the budget."""

    @classmethod
    def of(cls, pdb: Object) -> "Budget":
        """Convert a PodDisruptionBudget object."""
        status = pdb.get("status") or _NOTHING
        return cls(
            namespace(pdb),
            name(pdb),
            budget_selector(pdb),
            int(status.get("disruptionsAllowed") or 0),
            frozenset(part(status, "disruptedPods")),
            status.get("desiredHealthy"),
            annotations(pdb).get(POLICY_ANNOTATION) == "Respect",
        )

    def selects(self, place: str, carried: Mapping[str, str]) -> bool:
        """Return whether the budget selects pods with labels `carried` in namespace `place`."""
        return (
            bool(carried)
            and place == self.namespace
            and not self.selector.is_empty
            and self.selector.matches(carried)
        )


def spend(covering: Iterable[Collection[int]], allowed: Iterable[int]) -> list[bool]:
    """Decrement the budgets of each victim, in order; return for each whether it exceeds any.

    Args:
        covering: for each victim, the indices of its budgets.
        allowed: `disruptionsAllowed` of each budget, by index.
    """
    left = list(allowed)
    broken = []
    for numbers in covering:
        for number in numbers:
            left[number] -= 1
        broken.append(any(left[number] < 0 for number in numbers))
    return broken
