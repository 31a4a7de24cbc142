"""`podium rollout`: a safe order in which to introduce priority classes."""

import sys
from typing import TYPE_CHECKING, Any

from podium.api.values.message_words import count
from podium.ui.commands.question import ClusterAsker, Question
from podium.ui.inputs.input_error import InputError
from podium.ui.inputs.option import Texts, local_option, option, texts
from podium.ui.inputs.request_options import Changes

if TYPE_CHECKING:
    from podium.ui.answers.whatif_answers import RolloutAnswer
    from podium.whatif.rollout_order.rollout_steps import FinalPriorities


class RolloutQuestion(Changes, Question["RolloutAnswer"]):
    """Find an order in which to introduce PriorityClasses without preempting important pods.

    Each step is simulated with the rollout of the pods that it changes. Where no order is safe,
    prints the reason and how many more nodes would make one safe, and exits with code 2.
    """

    classes: Texts = local_option("FILE|DIR").help("""
        Manifests of the PriorityClasses to introduce, and of workloads with their
        priorityClassName. May be repeated.""")
    assign: Texts = option("KIND/NAME=CLASS").help("""
        Workload of the state that gets a PriorityClass, such as deploy/web=high. May be
        repeated.""")
    important: str | int | None = option("CLASS|PRIORITY").help("""
        Lowest final priority, or PriorityClass, of pods that must not be preempted at all; all
        other pods may be. A pod's final priority is that of its class when all steps are done.
        [default: no pod may be preempted by a pod whose final priority isn't higher than its
        own]""")
    tries: int = option(default=1000, min=1).help("""
        Largest number of steps to simulate in one search.""")
    more_nodes: int = option(default=3, min=0).help("""
        Largest number of additional nodes to try where no order is safe.""")

    def is_found_wanting(self, answer: Any) -> bool:
        return answer.verdict in ("Impossible", "Unknown")

    def answer(self, ask: ClusterAsker) -> "RolloutAnswer":
        # Imported when it is asked, so that help, completion and the library start at once.
        from podium.api.codec.field_validation import FieldValidation
        from podium.api.kinds.snapshot_kinds import decisive
        from podium.api.process.concurrency import core_count
        from podium.cluster.manifests.manifest_sources import read_sources
        from podium.ui.answers.whatif_answers import RolloutAnswer
        from podium.whatif.rollout_order.rollout import RolloutRequest, rollout
        from podium.whatif.rollout_order.rollout_steps import assigned, introduction

        asked = ask.read(self)
        files, assignments = texts(self.classes), texts(self.assign)
        if not (files or assignments):
            raise InputError(
                "no classes are given: name manifests with --classes, or workloads with --assign"
            )
        state = [*asked.request.state.objects, *asked.request.applied]
        sources = read_sources(
            files,
            sys.stdin.buffer,
            namespace=self.namespace,
            validation=FieldValidation(self.validate),
            is_applied=True,
        )
        by_identity = decisive(state)
        workloads = [assigned(one, self.namespace, by_identity) for one in assignments]
        introduced = introduction(state, [*(obj.obj for obj in sources.objects), *workloads])
        request = RolloutRequest(
            asked.request,
            introduced,
            self._important_priority(introduced.priorities),
            self.tries,
            self.more_nodes,
        )
        ask.progress.show("playing")

        def tell(steps: int) -> None:
            ask.progress.tell(lambda: f"playing: {count(steps, 'step')}")

        return RolloutAnswer.of(asked.noted_in(rollout(request, tell, core_count())))

    def _important_priority(self, priorities: "FinalPriorities") -> int | None:
        """Return the least priority of important pods, given as a number or a PriorityClass."""
        from podium.api.values.message_words import likely_meant

        if self.important is None:
            return None
        named = str(self.important)
        value = priorities.values.get(named)
        if value is not None:
            return value
        try:
            return int(named)
        except ValueError:
            hint = likely_meant(named, priorities.values)
            raise InputError(f"--important {named}: there is no such class{hint}") from None
