"""Explanations of pods and plans of manifests, from the current state of a cluster."""

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import Any

import msgspec

from podium.api.objects import DEFAULT_NAMESPACE
from podium.cluster.manifests.manifest_sources import File
from podium.ui.commands.arguments import arguments_of, errors_name_arguments, question_from
from podium.ui.commands.moment import Moment
from podium.ui.commands.plan import PlanQuestion
from podium.ui.dashboard.applier import NAME
from podium.ui.dashboard.views import PlanPage, presented
from podium.ui.inputs.option import Reach, Texts
from podium.whatif.explain.explanation_presentation import explanation_presentation
from podium.whatif.explain.pod_explanations import explain_pod
from podium.whatif.plan.request import PlanRequest


class WhatIf:
    """Explains pods and plans changes, each time from the current state of the cluster."""

    def __init__(self, request: Callable[[], PlanRequest]) -> None:
        self._request = request

    def explain(self, pod: str) -> Any:
        """Explain the decision about a pod, named `namespace/name`, as plain values."""
        return presented(explanation_presentation(explain_pod(self._request(), pod)))

    def attempt(self, manifests: bytes, texts: Mapping[str, Sequence[str]]) -> PlanPage:
        """Plan manifests and other changes; raises PodiumError.

        Args:
            texts: values of each option as text.
        """
        known = arguments_of(PlanQuestion, Reach.EVERYWHERE)
        arguments: dict[str, Any] = {}
        for name, values in texts.items():
            kind = known[name][0].type if name in known else str
            arguments[name] = [*values] if kind is Texts else values[-1]
            # The question says what a value of a wrong type must be.
            with suppress(msgspec.ValidationError):
                if kind is not Texts:
                    arguments[name] = msgspec.convert(values[-1], kind, strict=False)
        with errors_name_arguments(PlanQuestion):
            asked = question_from(PlanQuestion, arguments, Reach.EVERYWHERE)
            # Other changes need no manifests.
            if manifests.strip() or not arguments:
                sources: Any = [File(NAME, manifests)]
                asked = replace(asked, apply=sources, order=("apply", *asked.order))
            asked = replace(asked, namespace=asked.namespace or DEFAULT_NAMESPACE)
            answer = asked.answer(Moment(self._request()))
        return PlanPage(presentation=presented(answer.presentation()))
