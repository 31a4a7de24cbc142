"""What a scenario asserts: pods, nodes, budgets, events and other objects, and how they are."""

from collections.abc import Collection, Iterator
from typing import Annotated, Self

from pydantic import AfterValidator, Field, model_validator

from podium.api.errors import FieldError, unsupported
from podium.api.label_text import parse_selector
from podium.api.labels import SelectorError
from podium.api.objects import DEFAULT_NAMESPACE
from podium.documents import Document, Range, fault, refuse
from podium.simulation.actions import Check, Target
from podium.simulation.check_evaluator import DRAIN_STATES, GONE, NODE_STATES, POD_STATES
from podium.simulation.scenario_file.fields import TargetText

SUBJECTS = ("pod", "pods", "node", "budget", "event", "drain", "object", "no_pod_pending")
_STATES: dict[str, tuple[str, Collection[str]]] = {
    "pod": ("there", (*POD_STATES, GONE)),
    "pods": ("there", (*POD_STATES, GONE)),
    "node": ("ready", (*NODE_STATES, GONE)),
    "drain": ("done", DRAIN_STATES),
    "object": ("there", ("there", GONE)),
}


def _selector(text: str) -> str:
    try:
        parse_selector(text)
    except SelectorError as error:
        raise fault(str(error)) from None
    return text


Count = Annotated[int, Range(0)]


class CheckDocument(Document):
    """One check: exactly one subject, and how it should be.

    Attributes:
        pod: a pod by name.
        pods: pods by their labels.
        node: a node by name.
        budget: a PodDisruptionBudget by name.
        event: events by their reason.
        drain: the drain of a node.
        object: any object by kind and name.
        no_pod_pending: whether every pod has a node.
        is_: the state; see the docs for those of each subject.
        on_node: where pods should be.
        count: exactly so many.
        at_least: at least so many.
        at_most: at most so many.
        namespace: of pods and budgets.
        allows: how many disruptions a budget should allow.
        of: the name of what events are about.
    """

    pod: str | None = None
    pods: Annotated[str, AfterValidator(_selector)] | None = None
    node: str | None = None
    budget: str | None = None
    event: str | None = None
    drain: str | None = None
    object: TargetText | None = None
    no_pod_pending: bool | None = None
    is_: Annotated[str, Field(alias="is")] = ""
    on_node: str = ""
    count: Count | None = None
    at_least: Count | None = None
    at_most: Count | None = None
    namespace: str = DEFAULT_NAMESPACE
    allows: Count = 0
    of: str = ""

    @property
    def subject(self) -> str:
        """The name of the field that says what the check is about."""
        return next(name for name in SUBJECTS if self.gives(name))

    @property
    def state(self) -> str:
        """How the subject should be."""
        return self.is_ or _STATES[self.subject][0]

    @model_validator(mode="after")
    def _one_subject_in_a_state(self) -> Self:
        refuse(self._faults())
        return self

    def _faults(self) -> Iterator[FieldError]:
        given = [name for name in SUBJECTS if self.gives(name)]
        if len(given) != 1:
            aliases = [CheckDocument.model_fields[name].alias for name in SUBJECTS]
            why = f"must have exactly one of {', '.join(map(str, aliases))}"
            yield FieldError("", given, why)
        elif self.is_ and given[0] in _STATES and self.is_ not in _STATES[given[0]][1]:
            yield unsupported("is", self.is_, _STATES[given[0]][1])

    def check(self) -> Check:
        """The check as it is made, with the words for it."""
        match self.subject:
            case "pod" | "pods":
                return self._of_pods()
            case "no_pod_pending":
                everywhere = Target("Pod", "", "")
                words = "no pod is pending"
                return Check(words=words, target=everywhere, state="pending", least=0, most=0)
            case "node":
                words = f"node {self.node} is {self.state}"
                return Check(words=words, target=_node(self.node), state=self.state)
            case "drain":
                words = f"the drain of node {self.drain} is {self.state}"
                return Check(words=words, target=_node(self.drain), state=self.state)
            case "budget":
                words = f"budget {self.budget} allows {self.allows}"
                budget = Target("PodDisruptionBudget", self.namespace, self.budget or "")
                return Check(words=words, target=budget, allowed=self.allows)
            case "event":
                return self._of_events()
        assert self.object is not None
        words = f"{self.object} is {self.state}"
        return Check(words=words, target=self.object, state=self.state)

    def _of_pods(self) -> Check:
        least, most = self._range()
        who = f"pod {self.pod} is" if self.pod else self._pods_in_words(least, most)
        return Check(
            words=f"{who} {self.state}" + (f" on {self.on_node}" if self.on_node else ""),
            target=Target("Pod", self.namespace, self.pod or ""),
            selector=self.pods or "",
            state=self.state,
            on=self.on_node,
            least=least,
            most=most,
        )

    def _pods_in_words(self, least: int, most: int | None) -> str:
        if self.state == GONE:
            return f"all pods with {self.pods} are"
        verb = "pod with {} is" if least == most == 1 else "pods with {} are"
        return f"{_amount(least, most)} {verb.format(self.pods)}"

    def _of_events(self) -> Check:
        least, most = self._range()
        words = f"there are {_amount(least, most)} events {self.event}"
        return Check(
            words=words + (f" of {self.of}" if self.of else ""),
            target=Target("Event", "", self.of),
            reason=self.event or "",
            least=least,
            most=most,
        )

    def _range(self) -> tuple[int, int | None]:
        """The smallest and the greatest number that will do."""
        if self.count is not None:
            return self.count, self.count
        default = 1 if self.at_most is None else 0
        return (default if self.at_least is None else self.at_least), self.at_most


def _node(name: str | None) -> Target:
    return Target("Node", "", name or "")


def _amount(least: int, most: int | None) -> str:
    if most is None:
        return f"at least {least}"
    return str(least) if least == most else f"{least} to {most}"
