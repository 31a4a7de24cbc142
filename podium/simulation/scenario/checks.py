"""The assertions of a scenario: states of pods, nodes, budgets, events and other objects."""

from collections.abc import Callable, Collection, Iterator, Mapping
from typing import Annotated

from pydantic import AfterValidator, Field
from pydantic.alias_generators import to_camel

from podium.api.documents.document import Choice, Document, Range, fault
from podium.api.errors import FieldError, unsupported
from podium.api.objects import DEFAULT_NAMESPACE, Object, holds, is_terminating, status_of
from podium.api.pods import is_ready, node_name_of, phase_of
from podium.api.selectors.labels import SelectorError, parse_selector
from podium.simulation.scenario.fields import ActionTarget, TargetText


def _phase(wanted: str) -> Callable[[Object], bool]:
    return lambda pod: phase_of(pod) == wanted


POD_STATES: Mapping[str, Callable[[Object], bool]] = {
    "there": lambda pod: True,
    "pending": lambda pod: not node_name_of(pod) and phase_of(pod) == "Pending",
    "bound": lambda pod: bool(node_name_of(pod)),
    "running": _phase("Running"),
    "ready": lambda pod: is_ready(pod) and not is_terminating(pod),
    "not-ready": lambda pod: not is_ready(pod),
    "terminating": is_terminating,
    "succeeded": _phase("Succeeded"),
    "failed": _phase("Failed"),
    "nominated": lambda pod: bool(status_of(pod).get("nominatedNodeName")),
}
"""States of pods that may be asserted, besides `gone`."""

NODE_STATES: Mapping[str, Callable[[Object], bool]] = {
    "there": lambda node: True,
    "ready": lambda node: holds(node, "Ready"),
    "not-ready": lambda node: not holds(node, "Ready"),
    "cordoned": lambda node: bool(node["spec"].get("unschedulable")),
    "schedulable": lambda node: not node["spec"].get("unschedulable"),
}
"""States of nodes that may be asserted, besides `gone`."""

GONE = "gone"
PHASES = ("Pending", "Running", "Succeeded", "Failed", "Unknown")
_ALLOWED = "disruptionsAllowed"
_BUDGET_NUMBERS = ("disruptions_allowed", "current_healthy", "desired_healthy", "expected_pods")

SUBJECTS = ("pod", "pods", "node", "budget", "event", "drain", "object", "no_pod_pending")
_STATES: dict[str, tuple[str, Collection[str]]] = {
    "pod": ("there", (*POD_STATES, GONE)),
    "no_pod_pending": ("pending", ("pending",)),
    "pods": ("there", (*POD_STATES, GONE)),
    "node": ("ready", (*NODE_STATES, GONE)),
    "drain": ("done", ("running", "done", "failed")),
    "object": ("there", ("there", GONE)),
}


def _selector(text: str) -> str:
    try:
        parse_selector(text)
    except SelectorError as error:
        raise fault(str(error)) from None
    return text


Count = Annotated[int, Range(0)]


_OF_SUBJECTS: Mapping[str, Collection[str]] = {
    **dict.fromkeys(("phase", "reason"), ("pod", "pods")),
    **dict.fromkeys(_BUDGET_NUMBERS, ("budget",)),
}


def numbers_in_words(numbers: Mapping[str, int]) -> str:
    """Describe the status of a budget, such as `allows 1, has currentHealthy 3`."""
    texts = (
        f"allows {number}" if field == _ALLOWED else f"has {field} {number}"
        for field, number in numbers.items()
    )
    return ", ".join(texts)


class Check(Document):
    """An assertion about exactly one subject and its expected state."""

    pod: str | None = None
    """A pod, `name` or `namespace/name`."""
    pods: Annotated[str, AfterValidator(_selector)] | None = None
    """Pods by a label selector."""
    node: str | None = None
    """A node by name."""
    budget: str | None = None
    """A PodDisruptionBudget, `name` or `namespace/name`."""
    event: str | None = None
    """Events by reason."""
    drain: str | None = None
    """The drain of a node, by the node's name."""
    object: TargetText | None = None
    """Any object by kind and name."""
    no_pod_pending: bool | None = None
    """That every pod has a node."""
    is_: Annotated[str, Field(alias="is")] = ""
    """Expected state; the documentation lists the states of each subject."""
    on_node: str = ""
    """Expected node of pods."""
    phase: Annotated[str, Choice(PHASES)] = ""
    """Expected phase of pods."""
    reason: str = ""
    """Expected reason in the status of pods, or in one of their conditions."""
    count: Count | None = None
    """Exact number of pods or events."""
    at_least: Count | None = None
    """Least number of pods or events."""
    at_most: Count | None = None
    """Greatest number of pods or events."""
    namespace: str = DEFAULT_NAMESPACE
    """Namespace of pods and budgets."""
    allows: Count = 0
    """Number of disruptions that a budget should allow."""
    disruptions_allowed: Count | None = None
    """The number of `allows`, by its name in the budget's status."""
    current_healthy: Count | None = None
    """Number of healthy pods that a budget should count."""
    desired_healthy: Count | None = None
    """Number of healthy pods that a budget should require."""
    expected_pods: Count | None = None
    """Number of pods that a budget should count."""
    of: str = ""
    """Name of the object that events are about."""

    @property
    def subject(self) -> str:
        return next(name for name in SUBJECTS if self.gives(name))

    @property
    def state(self) -> str:
        return self.is_ or _STATES[self.subject][0]

    def contradictions(self) -> Iterator[FieldError]:
        given = [name for name in SUBJECTS if self.gives(name)]
        if len(given) != 1:
            aliases = [Check.model_fields[name].alias for name in SUBJECTS]
            why = f"must have exactly one of {', '.join(map(str, aliases))}"
            yield FieldError("", given, why)
            return
        subject = given[0]
        for name, subjects in _OF_SUBJECTS.items():
            if self.gives(name) and subject not in subjects:
                alias = Check.model_fields[name].alias or name
                yield FieldError(alias, getattr(self, name), f"is for {' and '.join(subjects)}")
        if self.gives("namespace") and "/" in (self.pod or self.budget or ""):
            yield FieldError("namespace", self.namespace, f"stands before the name of {subject}")
        if self.is_ and given[0] in _STATES and self.is_ not in _STATES[given[0]][1]:
            yield unsupported("is", self.is_, _STATES[given[0]][1])

    @property
    def numbers(self) -> Mapping[str, int]:
        """The expected numbers in the status of a budget, by field."""
        given = ((to_camel(field), getattr(self, field)) for field in _BUDGET_NUMBERS)
        numbers = {field: number for field, number in given if number is not None}
        if self.gives("allows") or not numbers:
            numbers = {_ALLOWED: self.allows, **numbers}
        return numbers

    @property
    def target(self) -> ActionTarget:
        """The object of the check; if namespace or name is empty, all objects of the kind."""
        match self.subject:
            case "no_pod_pending":
                return ActionTarget("Pod", "", "")
            case "node" | "drain":
                return ActionTarget("Node", "", self.node or self.drain or "")
            case "budget":
                return self._named("PodDisruptionBudget", self.budget or "")
            case "event":
                return ActionTarget("Event", "", self.of)
        return self.object or self._named("Pod", self.pod or "")

    def _named(self, kind: str, text: str) -> ActionTarget:
        place, _, name = text.rpartition("/")
        return ActionTarget(kind, place or self.namespace, name)

    @property
    def least(self) -> int:
        if self.subject == "no_pod_pending":
            return 0
        if self.count is not None:
            return self.count
        return self.at_least if self.at_least is not None else int(self.at_most is None)

    @property
    def most(self) -> int | None:
        if self.subject == "no_pod_pending":
            return 0
        return self.at_most if self.count is None else self.count

    def allows_count(self, number: int) -> bool:
        return self.least <= number and (self.most is None or number <= self.most)

    @property
    def words(self) -> str:
        """The check as a sentence."""
        match self.subject:
            case "pod" | "pods":
                if self.pod:
                    who = f"pod {self.pod} is"
                elif self.state == GONE:
                    who = f"all pods with {self.pods} are"
                else:
                    is_single = self.least == self.most == 1
                    verb = f"pod with {self.pods} is" if is_single else f"pods with {self.pods} are"
                    who = f"{self._amount()} {verb}"
                where = f" on {self.on_node}" if self.on_node else ""
                phase = f" in phase {self.phase}" if self.phase else ""
                why = f" with reason {self.reason}" if self.reason else ""
                return f"{who} {self.state}{where}{phase}{why}"
            case "no_pod_pending":
                return "no pod is pending"
            case "drain":
                return f"the drain of node {self.drain} is {self.state}"
            case "budget":
                return f"budget {self.budget} {numbers_in_words(self.numbers)}"
            case "event":
                about = f" of {self.of}" if self.of else ""
                return f"there are {self._amount()} events {self.event}{about}"
        return f"{self.target} is {self.state}"

    def _amount(self) -> str:
        if self.most is None:
            return f"at least {self.least}"
        return str(self.least) if self.least == self.most else f"{self.least} to {self.most}"
