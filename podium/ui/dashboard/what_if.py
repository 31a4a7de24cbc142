"""Explanations of pods, and plans of manifests, on a state as it is at the moment."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from podium.api.errors import PodiumError
from podium.api.pod_limit import PodLimit
from podium.cluster.manifests import File, ManifestError, Problem, read_sources
from podium.cluster.manifests.problems import describe
from podium.ui.dashboard.applier import NAME
from podium.ui.dashboard.pages import PlanPage, presented
from podium.whatif.explain.explanation_presentation import explanation_presentation
from podium.whatif.explain.pod_explanations import explain_pod
from podium.whatif.plan.changes import Apply
from podium.whatif.plan.planning import plan
from podium.whatif.plan.presentation.plan_presentation import plan_presentation
from podium.whatif.plan.request import NEXT_PODS_MAX, PlanRequest


class NothingToApplyError(PodiumError):
    """There is no object in a text."""


class WhatIf:
    """Explains and plans, each time from the state of the moment."""

    def __init__(self, request: Callable[[], PlanRequest]) -> None:
        self._request = request

    def explain(self, pod: str) -> Any:
        """The decision about a pod, named `namespace/name`, as `presented`."""
        return presented(explanation_presentation(explain_pod(self._request(), pod)))

    def attempt(self, manifests: bytes) -> PlanPage:
        """What applying manifests would do.

        Raises:
            ManifestError: something is wrong with them, or they ask for too many pods.
        """
        read = read_sources([File(NAME, manifests)], is_applied=True)
        limit = PodLimit()
        faults = [
            Problem(loaded.source, describe(loaded.obj), str(fault))
            for loaded in read.objects
            if (fault := limit.add(loaded.obj))
        ]
        if faults:
            raise ManifestError(faults)
        if not read.objects:
            raise NothingToApplyError(f"{NAME}: nothing to apply is in it")
        changes = (Apply(tuple(loaded.obj for loaded in read.objects)),)
        found = plan(
            replace(self._request(), changes=changes, draws=True, next_pods_max=NEXT_PODS_MAX)
        )
        found = replace(
            found,
            warnings=(*read.warnings, *found.warnings),
            notes=(*read.notes, *found.notes),
        )
        presentation = plan_presentation(found)
        return PlanPage(
            presentation=presented(presentation),
            summary=presentation.headline,
            warnings=found.warnings,
        )
