"""What pages ask about one object, or what would be if; and what they are told."""

import asyncio
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING

from podium.api.codec.yaml_writer import write_yaml
from podium.api.kinds.builtin_kinds import KINDS
from podium.api.refused import RefusedError
from podium.apiserver.authentication.users import User
from podium.apiserver.refusals import not_found
from podium.ui.dashboard.applier import Applier
from podium.ui.dashboard.feeds.event_stream import Feed
from podium.ui.dashboard.forked_work import ForkedWork, WorkError
from podium.ui.dashboard.pages import Applied, NodePage, PlanPage, PodPage, presented
from podium.ui.dashboard.past_preemptions import past_preemption
from podium.ui.dashboard.views import Entry

if TYPE_CHECKING:
    from podium.ui.dashboard.feeds.finished_runs import FinishedRun
    from podium.ui.dashboard.feeds.informer_source import InformerSource
    from podium.ui.dashboard.feeds.store_source import StoreObjects
    from podium.ui.dashboard.what_if import WhatIf


class Questions:
    """Answers what pages ask about a cluster; what can't be answered is refused.

    Args:
        source: where the objects are.
        playing: makes what explains pods, and tries manifests out, in a fork; called at the first
            question.
        applier: applies them; None where that can't be done.
    """

    def __init__(
        self,
        source: "StoreObjects | InformerSource",
        feed: Feed,
        playing: "Callable[[], WhatIf | FinishedRun]",
        applier: Applier | None = None,
    ) -> None:
        self._source = source
        self._feed = feed
        self._make_playing = playing
        self._playing: WhatIf | FinishedRun | None = None
        self._applier = applier
        self._forked = ForkedWork()

    async def pod_page(self, namespace: str, name: str) -> PodPage:
        """All about a pod."""
        manifest, history = self._known("Pod", namespace, name)
        explanation, problem = None, ""
        # A run that is over is explained by playing it again.
        machines = () if self._feed.is_over else self._source.machines()
        preemption = past_preemption(machines, namespace, name)
        playing = await self._played()
        try:
            explanation = await self._forked(lambda: playing.explain(f"{namespace}/{name}"))
        except WorkError as error:
            problem = str(error)
        return PodPage(
            manifest=manifest,
            history=history,
            preemption=preemption and presented(preemption),
            explanation=explanation,
            problem=problem,
        )

    async def node_page(self, name: str) -> NodePage:
        """All about a node."""
        manifest, history = self._known("Node", "", name)
        signals = () if self._feed.is_over else self._source.signals(name)
        return NodePage(manifest=manifest, history=history, signals=signals)

    async def plan(self, manifests: bytes, texts: Mapping[str, Sequence[str]]) -> PlanPage:
        """What applying manifests would do, with options as they are written."""
        playing = await self._played()
        try:
            return await self._forked(lambda: playing.attempt(manifests, texts))
        except WorkError as error:
            raise RefusedError(400, "BadRequest", str(error)) from None

    async def apply(self, manifests: bytes, user: User) -> list[Applied]:
        """Apply manifests, as a user."""
        applier = self._applier
        if applier is None:
            raise RefusedError(405, "MethodNotAllowed", "nothing can be applied here")
        try:
            objects = await self._forked(lambda: applier.read(manifests))
        except WorkError as error:
            raise RefusedError(400, "BadRequest", str(error)) from None
        return await applier.apply(objects, user)

    async def _played(self) -> "WhatIf | FinishedRun":
        if self._playing is None:
            self._playing = await asyncio.to_thread(self._make_playing)
        return self._playing

    def _known(self, kind: str, namespace: str, name: str) -> tuple[str, list[Entry]]:
        history = self._feed.history(kind, namespace, name)
        found = self._source.find(kind, namespace, name)
        if found is None and not history:
            raise not_found(KINDS[kind], name)
        return "" if found is None else write_yaml(found), history
