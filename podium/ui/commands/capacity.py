"""`podium capacity`: how many more pods fit, and which nodes to add."""

from typing import TYPE_CHECKING, Any

from podium.api.values.message_words import count
from podium.ui.commands.question import ClusterAsker, Question
from podium.ui.inputs.input_error import InputError
from podium.ui.inputs.option import Reach, Texts, local_option, option, place, texts
from podium.ui.inputs.request_options import Changes

if TYPE_CHECKING:
    from podium.ui.answers.whatif_answers import CapacityAnswer
    from podium.ui.inputs.inputs import Asked
    from podium.whatif.capacity.capacity_inputs import PodTemplate


class CapacityQuestion(Changes, Question["CapacityAnswer"]):
    """Count how many more pods of a template fit."""

    pod: Texts = place(
        "Template of the pods: a file with a pod or workload, or a workload of the state such as "
        "deploy/web. May be repeated: pods are created in turns, COUNT of each template at a time. "
        "[default COUNT: 1]",
        metavar="FILE|KIND/NAME[*COUNT]",
        reach=Reach.LIBRARY,
        is_argument=False,
        default=(),
        kw_only=False,
    )
    preempt: bool = option(default=False).help("""
        Also count the pods that are scheduled by preempting others.""")
    limit: int = option(default=10_000, min=1).help("""
        Largest number of pods to create from the templates.""")
    at_least: int | None = option(min=1, reach=Reach.COMMAND).help("""
        Exit with code 2 if fewer than N more pods fit. [default: no minimum]""")

    def is_found_wanting(self, answer: Any) -> bool:
        fill = answer.with_preemption or answer.without_preemption
        return bool(fill and self.at_least and fill.pods < self.at_least)

    def answer(self, ask: ClusterAsker) -> "CapacityAnswer":
        # Imported when it is asked, so that help, completion and the library start at once.
        from podium.ui.answers.whatif_answers import CapacityAnswer
        from podium.whatif.capacity.capacity import CapacityRequest, capacity

        if not texts(self.pod):
            raise InputError(
                "no pods are given: name a template with --pod, or nodes with --node-shape"
            )
        asked = ask.read(self)
        templates = self.templates(asked)
        request = CapacityRequest(asked.request, templates, self.limit, self.preempt, self.at_least)
        ask.progress.show("playing")
        report = capacity(
            request,
            progress=lambda pods: ask.progress.tell(lambda: f"playing: {count(pods, 'pod')}"),
        )
        return CapacityAnswer.of(asked.noted_in(report))

    def templates(self, asked: "Asked") -> "list[PodTemplate]":
        """Read the pod templates; raises PodiumError."""
        from podium.api.kinds.snapshot_kinds import decisive
        from podium.whatif.capacity.capacity_inputs import read_pod_template

        state = decisive([*asked.request.state.objects, *asked.request.applied])
        return [read_pod_template(text, self.namespace, state) for text in texts(self.pod)]


class NodesQuestion(CapacityQuestion):
    """Count how many more pods of a template fit, on which nodes, and why the next one doesn't.

    Pods are created one after the other in a simulation of the cluster, after the changes of the
    other options, until the scheduler finds no node for one. With --node-shape, finds the cheapest
    nodes to add so that no pod stays pending.
    """

    node_shape: Texts = local_option("NAME=SHAPE:COST").help("""
        Shape of nodes that can be added, and the cost of one in any unit, such as
        m5=cpu=8,memory=32Gi:0.4; SHAPE may also be a file or a node of the state. Finds the
        cheapest nodes with which no pod stays pending, including COUNT new pods for each --pod. May
        be repeated.""")
    tries: int = option(default=200, min=1).help("""
        Largest number of combinations of nodes to simulate.""")

    def is_found_wanting(self, answer: Any) -> bool:
        return not answer.found if texts(self.node_shape) else super().is_found_wanting(answer)

    def answer(self, ask: ClusterAsker) -> Any:
        if not (shapes := texts(self.node_shape)):
            return super().answer(ask)
        from podium.api.objects import name
        from podium.ui.answers.whatif_answers import NodesAnswer
        from podium.whatif.capacity.capacity_inputs import read_node_shape
        from podium.whatif.capacity.cheapest_nodes import NodesRequest, cheapest_nodes

        asked = ask.read(self)
        templates = self.templates(asked)
        state = asked.request.state.objects
        nodes = {name(one): one for one in state if one["kind"] == "Node"}
        choices = [read_node_shape(shape, nodes) for shape in shapes]
        ask.progress.show("playing")
        report = cheapest_nodes(
            NodesRequest(asked.request, templates, choices, self.tries),
            lambda tried: ask.progress.tell(lambda: f"playing: {tried} choices"),
        )
        return NodesAnswer.of(asked.noted_in(report))
