"""Explanations of pods, and plans of manifests, on a state as it is at the moment."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import msgspec

from podium.api.objects import DEFAULT_NAMESPACE
from podium.cluster.manifests import File
from podium.ui.commands.moment import Moment
from podium.ui.commands.plan import PlanQuestion
from podium.ui.commands.words import made, spelt_as_words, words_of
from podium.ui.dashboard.applier import NAME
from podium.ui.dashboard.pages import PlanPage, presented
from podium.ui.inputs.option import Reach, Texts
from podium.whatif.explain.explanation_presentation import explanation_presentation
from podium.whatif.explain.pod_explanations import explain_pod
from podium.whatif.plan.request import PlanRequest


class WhatIf:
    """Explains and plans, each time from the state of the moment."""

    def __init__(self, request: Callable[[], PlanRequest]) -> None:
        self._request = request

    def explain(self, pod: str) -> Any:
        """The decision about a pod, named `namespace/name`, as `presented`."""
        return presented(explanation_presentation(explain_pod(self._request(), pod)))

    def attempt(self, manifests: bytes, texts: Mapping[str, Sequence[str]]) -> PlanPage:
        """What applying manifests would do; raises PodiumError.

        Args:
            texts: the options that a page may give, each with its values as they are written.
        """
        known = words_of(PlanQuestion, Reach.EVERYWHERE)
        words = {
            name: _value(known[name][0].type if name in known else str, values)
            for name, values in texts.items()
        }
        with spelt_as_words(PlanQuestion):
            asked = made(PlanQuestion, words, Reach.EVERYWHERE)
            # Something else may be changed alone, without manifests.
            if manifests.strip() or not words:
                sources: Any = [File(NAME, manifests)]
                asked = replace(asked, apply=sources, order=("apply", *asked.order))
            asked = replace(asked, namespace=asked.namespace or DEFAULT_NAMESPACE)
            answer = asked.answer(Moment(self._request()))
        presentation = answer.presentation()
        return PlanPage(
            presentation=presented(presentation),
            summary=presentation.headline,
            warnings=answer.warnings,
        )


def _value(kind: Any, values: Sequence[str]) -> Any:
    if kind is Texts:
        return [*values]
    try:
        return msgspec.convert(values[-1], kind, strict=False)
    except msgspec.ValidationError:
        # The question says what it must be.
        return values[-1]
