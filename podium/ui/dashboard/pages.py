"""Details of objects, plans, and applying of manifests for the dashboard's page."""

import asyncio
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING

from podium.api.codec.yaml_text import write_yaml
from podium.api.errors import RefusedError
from podium.api.kinds.builtin_kinds import KINDS
from podium.api.objects import uid
from podium.api.policy.disruption_budgets import selects
from podium.api.presentation import Cell, Presentation, Section, Table, Tone, Toned
from podium.api.values.message_words import count
from podium.apiserver.authentication.users import User
from podium.apiserver.refusals import not_found
from podium.scheduler.preemption.record import WrittenRecord, loss_text
from podium.ui.dashboard.applier import Applier
from podium.ui.dashboard.device_rows import NodeDeviceRows, claim_rows
from podium.ui.dashboard.feeds.feed import RecordedFeed
from podium.ui.dashboard.forked_work import ForkedWork, WorkError
from podium.ui.dashboard.views import (
    Applied,
    BudgetPage,
    Entry,
    NodePage,
    NodeUsage,
    PlanPage,
    PodPage,
    WorkloadPage,
    compressed,
    presented,
)

if TYPE_CHECKING:
    from podium.ui.dashboard.feeds.finished_runs import FinishedRun
    from podium.ui.dashboard.feeds.informer_source import InformerSource
    from podium.ui.dashboard.feeds.store_source import StoreObjects
    from podium.ui.dashboard.what_if import WhatIf


class Pages:
    """Handles requests of the dashboard's page; raises RefusedError for impossible ones.

    Args:
        source: returns the objects of the cluster.
        make_explainer: makes the object that explains and plans; called at the first request.
        applier: applies manifests; None if that isn't possible.
    """

    def __init__(
        self,
        source: "StoreObjects | InformerSource",
        feed: RecordedFeed,
        make_explainer: "Callable[[], WhatIf | FinishedRun]",
        applier: Applier | None = None,
    ) -> None:
        self._source = source
        self._feed = feed
        self._make_explainer = make_explainer
        self._explainer: WhatIf | FinishedRun | None = None
        self._applier = applier
        self._forked = ForkedWork()

    async def pod_page(self, namespace: str, name: str) -> PodPage:
        """Return the details of a pod, with the scheduling decision about it."""
        manifest, history = self._manifest_and_history("Pod", namespace, name)
        explanation, problem = None, ""
        decision = self._source.disruptions.decision(f"{namespace}/{name}")
        # A run that is over is explained by playing it again, also about pods that are gone.
        if manifest or self._feed.is_over:
            explainer = await self._started_explainer()
            try:
                explanation = await self._forked(lambda: explainer.explain(f"{namespace}/{name}"))
            except WorkError as error:
                problem = str(error)
        pod = self._source.find("Pod", namespace, name)
        return PodPage(
            manifest=manifest,
            history=history,
            claims=[] if pod is None else [*claim_rows(pod, self._source.find)],
            preemption=decision and presented(preemption_presentation(decision)),
            explanation=explanation,
            problem=problem,
        )

    async def disruptions(self, number: int) -> bytes:
        """Return the last disruptions before a number, in order, as gzipped JSON."""
        page = self._source.disruptions.before(number)
        return await asyncio.to_thread(compressed, page)

    async def node_page(self, name: str) -> NodePage:
        """Return the details of a node."""
        manifest, history = self._manifest_and_history("Node", "", name)
        node, is_over = self._source.find("Node", "", name), self._feed.is_over
        devices = None if node is None else NodeDeviceRows(node, self._source.known)
        return NodePage(
            manifest=manifest,
            history=history,
            devices=[] if devices is None else [*devices.rows()],
            pool_faults=[] if devices is None else devices.pool_faults,
            signals=() if is_over else self._source.signals(name),
            usage={} if is_over else await self._source.usage(name),
        )

    async def usage(self) -> bytes:
        """Return what nodes use now, as gzipped JSON."""
        used = {} if self._feed.is_over else await self._source.node_usage()
        columns = NodeUsage(
            nodes=[*used],
            cpu=[amounts["cpu"] for amounts in used.values()],
            memory=[amounts["memory"] for amounts in used.values()],
        )
        return await asyncio.to_thread(compressed, columns)

    async def budget_page(self, namespace: str, name: str) -> BudgetPage:
        """Return the details of a PodDisruptionBudget."""
        kind = "PodDisruptionBudget"
        manifest, history = self._manifest_and_history(kind, namespace, name)
        budget = self._source.find(kind, namespace, name)
        pods = (
            ()
            if budget is None
            else [one for one in self._source.known("Pod") if selects(budget, one)]
        )
        return BudgetPage(manifest=manifest, pods=[*map(uid, pods)], history=history)

    async def workload_page(self, kind: str, namespace: str, name: str) -> WorkloadPage:
        """Return the details of a workload, as far as it has an object here."""
        obj = self._source.find(kind, namespace, name) if kind in KINDS else None
        history = self._feed.history(kind, namespace, name)
        return WorkloadPage(manifest="" if obj is None else write_yaml(obj), history=history)

    async def plan(self, manifests: bytes, texts: Mapping[str, Sequence[str]]) -> PlanPage:
        """Plan manifests and other changes.

        Args:
            texts: values of each option of `podium plan`, as texts.
        """
        explainer = await self._started_explainer()
        try:
            return await self._forked(lambda: explainer.attempt(manifests, texts))
        except WorkError as error:
            raise RefusedError(400, "BadRequest", str(error)) from None

    async def apply(self, manifests: bytes, user: User) -> list[Applied]:
        """Apply manifests as a user."""
        applier = self._applier
        if applier is None:
            raise RefusedError(405, "MethodNotAllowed", "nothing can be applied here")
        try:
            objects = await self._forked(lambda: applier.read(manifests))
        except WorkError as error:
            raise RefusedError(400, "BadRequest", str(error)) from None
        return await applier.apply(objects, user)

    async def _started_explainer(self) -> "WhatIf | FinishedRun":
        if self._explainer is None:
            self._explainer = await asyncio.to_thread(self._make_explainer)
        return self._explainer

    def _manifest_and_history(
        self, kind: str, namespace: str, name: str
    ) -> tuple[str, list[Entry]]:
        history = self._feed.history(kind, namespace, name)
        obj = self._source.find(kind, namespace, name)
        is_known = kind == "Pod" and self._source.disruptions.knows(f"{namespace}/{name}")
        if obj is None and not history and not is_known:
            raise not_found(KINDS[kind], name)
        return "" if obj is None else write_yaml(obj), history


def preemption_presentation(record: WrittenRecord) -> Presentation:
    """Present a preemption with the candidates between which it chose."""
    victims = ", ".join(f"{victim.namespace}/{victim.name}" for victim in record.victims)
    chosen = Toned(record.node_name, Tone.GOOD), victims, str(record.pdb_violations), "chosen"
    rows: list[Sequence[Cell]] = [chosen]
    for other in record.alternatives:
        why = loss_text(other.lost_at)
        rows.append((other.node_name, str(other.victims), str(other.pdb_violations), why))
    hidden = record.candidates - len(rows)
    notes = [f"{count(hidden, 'more node')} not chosen."] if hidden > 0 else ()
    table = Table(("Node", "Victims", "PDB violations", "Result"), rows, notes=notes)
    candidates = record.candidates
    among = f" of {candidates} candidates" if candidates > 1 else ", the only candidate"
    headline = f"{record.preemptor.name} took {record.node_name}{among}"
    if record.devices:
        headline += f", for {count(record.devices, 'device')}"
    return Presentation("", f"{headline}.", [Section("", [table])])
