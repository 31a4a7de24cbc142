"""The option `--fail-on`: conditions on which a plan fails, and the findings that meet them.

A gate is a condition with optional restrictions: `preemption`, `preemption:priority>=1000`,
`pending:namespace=shop:workload=Deployment*`. The condition `ready<80%` has a bound in its name. A
gate with `=allow` at its end excepts findings that it matches: `preemption:workload=batch/*=allow`.
"""

import operator
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING, Any

import msgspec

from podium.api.errors import PodiumError
from podium.whatif.plan.presentation.next_pod_words import keeping, next_pod_clauses

# Completion reads the conditions at each TAB, and reports take time to import.
if TYPE_CHECKING:
    from podium.whatif.plan.plan_report import Plan


class GateError(PodiumError):
    """A gate can't be parsed."""


class Finding(msgspec.Struct, frozen=True, kw_only=True):
    """A pod or another object that meets a condition."""

    condition: str
    object: str
    """The pod, `namespace/name`, or another object with its kind."""
    namespace: str = ""
    workload: str = ""
    priority: int = 0
    priority_class: str = ""
    by: str = ""
    """The pod that caused the finding, such as the preemptor; empty if there is none."""
    message: str
    count: int = 1
    """How many pods or objects the finding is about."""
    extent: float = 0.0
    """A measure of the harm where the condition has one: the pods that a budget lacks, the
    percentage of pods that aren't ready, or the seconds without a ready pod."""


Check = Callable[["Plan"], Iterator[Finding]]

CONDITIONS: dict[str, Check] = {}
"""The check of each condition, by name, in the order of reports."""

MEANINGS: dict[str, str] = {}
"""When a plan meets each condition, in a few words, by the condition's name."""

READY_SHARE = "ready<N%"
"""The condition that has a bound in its name."""

_Test = Callable[[Finding], bool]
_RESTRICTION = re.compile(r"(\w+)(>=|<=|>|<|=)(.+)")
_COMPARISONS: Mapping[str, Callable[[int, int], bool]] = {
    ">=": operator.ge,
    "<=": operator.le,
    ">": operator.gt,
    "<": operator.lt,
    "=": operator.eq,
}
_SHARE = re.compile(r"ready<(\d+(?:\.\d+)?)%")
_ALLOW = "=allow"
_FACTS = ("namespace", "workload", "priority", "priority_class", "by")
_FIELDS = ("priority", "namespace", "workload", "class")


class Gate(msgspec.Struct, frozen=True):
    """A condition, restricted by tests; if `allows`, it excepts the findings that it matches."""

    text: str
    condition: str
    tests: tuple[_Test, ...] = ()
    allows: bool = False

    def matches(self, finding: Finding) -> bool:
        """True if a finding is of the condition and meets all tests."""
        return finding.condition == self.condition and all(test(finding) for test in self.tests)


def parse_gates(texts: Iterable[str], file: str | None, lines: Iterable[str] = ()) -> list[Gate]:
    """Parse comma-separated gates of options and of a file with # comments; raises GateError."""
    places = [("--fail-on", text) for text in texts]
    places += [(f"{file}:{n}", line.partition("#")[0]) for n, line in enumerate(lines, 1)]
    gates, faults = [], []
    for place, text in places:
        for word in filter(None, map(str.strip, text.split(","))):
            try:
                gates.append(_gate(word))
            except GateError as error:
                faults.append(f"{place}: {error}")
    if faults:
        raise GateError("\n".join(faults))
    return gates


def findings(plan: "Plan", gates: Sequence[Gate]) -> list[Finding]:
    """Return the findings on which a plan fails, in the order of `CONDITIONS`."""
    return stopped(_met(plan), gates)


def stopped(found: Iterable[Finding], gates: Sequence[Gate]) -> list[Finding]:
    """Return the findings that meet a gate and aren't excepted by another."""
    return [finding for finding, allowing in _matched(found, gates) if allowing is None]


def let_through(plan: "Plan", gates: Sequence[Gate]) -> list[tuple[Finding, Gate]]:
    """Return the findings that meet a gate but are excepted, each with the excepting gate."""
    return [(finding, gate) for finding, gate in _matched(_met(plan), gates) if gate is not None]


def _met(plan: "Plan") -> Iterator[Finding]:
    for condition, check in CONDITIONS.items():
        for finding in check(plan):
            yield msgspec.structs.replace(finding, condition=condition)


def _matched(
    found: Iterable[Finding], gates: Sequence[Gate]
) -> Iterator[tuple[Finding, Gate | None]]:
    stopping = [gate for gate in gates if not gate.allows]
    # Of a condition that is only named with =allow, the rest stops.
    named = {gate.condition for gate in stopping}
    stopping += [Gate("", gate.condition) for gate in gates if gate.condition not in named]
    allowing = [gate for gate in gates if gate.allows]
    for finding in found:
        if any(gate.matches(finding) for gate in stopping):
            yield finding, next((gate for gate in allowing if gate.matches(finding)), None)


def caused(found: Sequence[Finding], anyway: Iterable[Finding]) -> list[Finding]:
    """Return the findings that don't occur without the changes, or are worse with them.

    As names of pods may differ, pods are also matched by their number for each workload.
    """
    before = {_about(finding): finding.extent for finding in anyway}
    new = [finding for finding in found if finding.extent > before.get(_about(finding), -1.0)]
    known = {*map(_about, found)}
    spare = Counter((one.condition, one.workload) for one in anyway if _about(one) not in known)
    left = []
    for one in new:
        if spare[one.condition, one.workload]:
            spare[one.condition, one.workload] -= 1
        else:
            left.append(one)
    return left


def _about(finding: Finding) -> tuple[str, str, str]:
    return finding.condition, finding.object, finding.workload


def _gate(text: str) -> Gate:
    allows = text.endswith(_ALLOW)
    name, *restrictions = text.removesuffix(_ALLOW).split(":")
    tests = [_test(text, restriction) for restriction in restrictions]
    if share := _SHARE.fullmatch(name):
        lacking = 100 - float(share[1])
        tests.append(lambda finding: finding.extent > lacking)
        return Gate(text, READY_SHARE, tuple(tests), allows)
    if name not in CONDITIONS or name == READY_SHARE:
        raise GateError(f"unknown condition {name}; known are {', '.join(CONDITIONS)}")
    return Gate(text, name, tuple(tests), allows)


def _test(gate: str, text: str) -> _Test:
    restriction = _RESTRICTION.fullmatch(text)
    if restriction is None or restriction[1] not in _FIELDS:
        fields = ", ".join(_FIELDS)
        raise GateError(f"{gate}: {text} must be FIELD=VALUE, with a field of {fields}")
    field, sign, value = restriction.groups()
    if field == "priority":
        if not re.fullmatch(r"-?\d+", value):
            raise GateError(f"{gate}: {value} must be a whole number")
        compare, bound = _COMPARISONS[sign], int(value)
        return lambda finding: compare(finding.priority, bound)
    if sign != "=":
        raise GateError(f"{gate}: {field} can only be compared by =")
    if field == "workload":
        # A pattern may mean a workload without its kind.
        return lambda finding: (
            fnmatchcase(finding.workload, value)
            or fnmatchcase(finding.workload.partition(" ")[2], value)
        )
    attribute = "priority_class" if field == "class" else field
    return lambda finding: fnmatchcase(getattr(finding, attribute), value)


def _finding(row: Any, message: str, **more: Any) -> Finding:
    facts = {field: getattr(row, field) for field in _FACTS if hasattr(row, field)}
    return Finding(condition="", message=message, **{**facts, **more})


def _condition(name: str, meaning: str) -> Callable[[Check], Check]:
    MEANINGS[name] = meaning
    return lambda check: CONDITIONS.setdefault(name, check)


@_condition("preemption", "a pod is preempted")
def _preemptions(plan: "Plan") -> Iterator[Finding]:
    for one in plan.disruptions:
        if one.by:
            yield _finding(one, f"is preempted on {one.node} by {one.by}", object=one.pod)


@_condition("eviction", "a pod loses its place for any reason but a change of its own")
def _evictions(plan: "Plan") -> Iterator[Finding]:
    for one in plan.disruptions:
        yield _finding(one, f"loses its place on {one.node}{one.times}", object=one.pod)
    for removed in plan.removed:
        if removed.is_evicted:
            yield _finding(removed, removed.reason, object=removed.pod)


@_condition("lost-work", "a Job fails, whole or in an index")
def _lost_work(plan: "Plan") -> Iterator[Finding]:
    for failed_job in plan.failed_jobs:
        message = f"loses its work: {failed_job.message} ({failed_job.reason})"
        yield _finding(failed_job, message, object=failed_job.job)


@_condition("pdb-violation", "a preemption violates a disruption budget")
def _violations(plan: "Plan") -> Iterator[Finding]:
    rows = {disruption.pod: disruption for disruption in plan.disruptions}
    for preemption in plan.preemptions:
        for victim in preemption.taken:
            for budget in victim.broken:
                message = f"is preempted, which violates the budget {budget}"
                row = rows.get(victim.pod) or victim
                yield _finding(row, message, object=victim.pod, by=preemption.preemptor)


@_condition("pending", "a pod has no place in the end")
def _pending(plan: "Plan") -> Iterator[Finding]:
    for pod in plan.pending:
        waits = "stays pending"
        if pod.room_at is not None:
            when = f"t+{pod.room_at:.12g}s, after the plan's end"
            waits = f"waits for pods to leave {pod.nominated_node} by {when}"
        yield _finding(pod, f"{waits}: {pod.message}", object=pod.pod)


@_condition("rejected", "the API refuses an object, or pods of a workload")
def _rejected(plan: "Plan") -> Iterator[Finding]:
    for one in plan.rejected:
        message = f"{'is' if one.count == 1 else 'are'} rejected: {one.message}"
        named = f"{one.object} of {one.workload}" if one.workload else one.object
        workload = one.workload or one.object
        yield _finding(one, message, object=named, workload=workload, count=one.count)


@_condition("refused", "a node refuses a pod")
def _refused(plan: "Plan") -> Iterator[Finding]:
    for one in plan.refusals:
        message = f"is refused by {one.node}{one.times}: {one.message or one.reason}"
        yield _finding(one, message, object=one.pod)


@_condition(
    "below-budget",
    "a disruption budget has fewer healthy pods than it asks for, and fewer than before",
)
def _below_budget(plan: "Plan") -> Iterator[Finding]:
    summaries = {one.workload: one for one in plan.workloads}
    losing = {one.workload for one in plan.workloads if one.ready_least < one.ready_before}
    for budget in plan.budgets:
        if not budget.is_below:
            continue
        message = (
            f"has only {budget.healthy_least} of the {budget.desired_healthy} healthy pods "
            f"that it asks for, and too few for {budget.below_for_seconds:g} s"
        )
        fallen = [one for one in budget.workloads if one in losing]
        for workload in fallen or budget.workloads or ("",):
            yield _finding(
                summaries.get(workload),
                message,
                object=f"PodDisruptionBudget {budget.budget}",
                namespace=budget.namespace,
                workload=workload,
                extent=budget.desired_healthy - budget.healthy_least,
            )


@_condition("unavailable", "no pod of a workload is ready for a while, though some were")
def _unavailable(plan: "Plan") -> Iterator[Finding]:
    for one in plan.workloads:
        if one.unavailable:
            message = f"has no ready pod for {one.ready_least_for_seconds:g} s"
            yield _finding(one, message, object=one.workload, extent=one.ready_least_for_seconds)


@_condition(READY_SHARE, "less than this share of a workload's pods is ready for a while")
def _ready_shares(plan: "Plan") -> Iterator[Finding]:
    for one in plan.workloads:
        if one.serves and one.ready_share < 1:
            message = (
                f"has only {one.ready_least} of {min(one.pods, one.wanted)} pods ready "
                f"({100 * one.ready_share:.3g} %) for {one.ready_least_for_seconds:g} s"
            )
            lacking = 100 * (1 - one.ready_share)
            yield _finding(one, message, object=one.workload, extent=lacking)


@_condition("stuck-rollout", "a rollout comes to no end")
def _stuck(plan: "Plan") -> Iterator[Finding]:
    for rollout in plan.rollouts:
        if rollout.is_stuck:
            yield _finding(rollout, f"is stuck: {rollout.text}", object=rollout.workload)


@_condition("unplayed", "an object with pods isn't simulated, or a rollout not to its end")
def _unplayed(plan: "Plan") -> Iterator[Finding]:
    for one in plan.unplayed:
        place = one.object.partition(" ")[2].rpartition("/")[0]
        message = f"isn't played: {one.reason}"
        yield _finding(one, message, object=one.object, workload=one.object, namespace=place)
    for rollout in plan.rollouts:
        if rollout.is_open:
            message = f"isn't played to its end: {rollout.text}"
            yield _finding(rollout, message, object=rollout.workload)


@_condition("undrained", "a drain fails, or comes to no end")
def _undrained(plan: "Plan") -> Iterator[Finding]:
    for drain in plan.drains:
        if drain.state != "Done":
            node = f"Node {drain.node}"
            yield _finding(drain, f"isn't drained: {drain.text}", object=node, workload=node)


@_condition("stale-priority", "running pods keep a priority that their successors don't get")
def _stale_priorities(plan: "Plan") -> Iterator[Finding]:
    for one in plan.stale_priorities:
        if one.is_harmful:
            message = ": ".join(filter(None, (keeping(one), "; ".join(next_pod_clauses(one)))))
            by = next((next_pod.pod for next_pod in one.next_pods if next_pod.is_harmful), "")
            yield _finding(one, message, object=one.workload, by=by)
