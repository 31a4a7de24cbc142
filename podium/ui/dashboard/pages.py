"""What the dashboard tells of one object, and of manifests, when somebody asks."""

from collections.abc import Sequence
from typing import Any

import msgspec

from podium.api.presentation import Presentation
from podium.ui.dashboard.views import Entry, Shape


class PodPage(Shape, frozen=True, kw_only=True):
    """What the page of a pod shows.

    Attributes:
        manifest: in YAML, as it is now; empty if it is gone.
        preemption: the last one by it, as it was decided, as `presented`; None if there is none.
        explanation: the decision about it, as `presented`; None if there is none.
    """

    manifest: str
    history: Sequence[Entry]
    preemption: Any = None
    explanation: Any
    problem: str


class SignalRow(Shape, frozen=True, kw_only=True):
    """An eviction signal of a node.

    Attributes:
        available: what is left; empty if nothing of it is measured.
        threshold: below which the node evicts pods.
        kind: `hard`, or `soft` with how long that has to last.
    """

    signal: str
    available: str
    threshold: str
    kind: str


class NodePage(Shape, frozen=True, kw_only=True):
    """What the page of a node shows; the fields are as a pod's page has them."""

    manifest: str
    signals: Sequence[SignalRow]
    history: Sequence[Entry]


class PlanPage(Shape, frozen=True, kw_only=True):
    """What applying manifests would do.

    Attributes:
        presentation: of the plan, as `presented`.
    """

    presentation: Any
    summary: str
    warnings: Sequence[str]


class Applied(Shape, frozen=True, kw_only=True):
    """What became of one manifest.

    Attributes:
        object: such as `Pod default/web`.
        result: `created`, `configured` or `unchanged`; empty if it was refused.
    """

    object: str
    result: str
    problem: str


def presented(presentation: Presentation) -> dict[str, Any]:
    """A presentation for JSON: sections, in which each kind of block is known by its fields."""
    sections = [
        {"title": one.title, "blocks": one.blocks, "isDetail": one.is_detail}
        for one in presentation.filled_sections()
    ]
    told = {"title": presentation.title, "headline": presentation.headline, "sections": sections}
    found: dict[str, Any] = msgspec.to_builtins(told)
    return found
