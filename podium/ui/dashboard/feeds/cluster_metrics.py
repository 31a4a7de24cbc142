"""The usage of nodes and pods, as a real cluster's metrics.k8s.io has it."""

import asyncio
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from podium.api.objects import Object, entries, key, name
from podium.api.values.quantity import QuantityError, ceil_milli, nanos, value
from podium.apiserver.schema.struct_types import METRICS
from podium.cluster.client.http_api import CallFailedError, HttpApi, collection_path, object_path

FRESH_S = 15.0
"""How long a reading is good enough; metrics-server measures as often."""

RETRY_S = 60.0
"""When an API is asked again that is missing, forbids the reading, or fails."""

Amounts = Mapping[str, int]
"""Amounts of `cpu` in millicores, and of `memory` in bytes."""


class ClusterMetrics:
    """Reads usage when it is asked for, so that a dashboard without a page costs nothing.

    What can't be read isn't known, which is no error: metrics are optional.
    """

    def __init__(self, api: HttpApi) -> None:
        self._api = api
        self._readings: dict[str, _Reading] = {}

    async def nodes(self) -> Mapping[str, Amounts]:
        """Return the usage of each node by name; empty if it can't be read."""
        answer = await self._read(collection_path(METRICS["NodeMetrics"]))
        found = {name(one): _amounts([one]) for one in entries(answer or {}, "items")}
        return {node: amounts for node, amounts in found.items() if amounts}

    async def pods(self, keys: Iterable[tuple[str, str]]) -> Mapping[str, Amounts]:
        """Return the usage of pods by `namespace/name`, of those that are measured."""
        paths = [object_path(METRICS["PodMetrics"], *place) for place in keys]
        answers = filter(None, await asyncio.gather(*map(self._read, paths)))
        found = {key(one): _amounts(entries(one, "containers")) for one in answers}
        return {pod: amounts for pod, amounts in found.items() if amounts}

    async def _read(self, path: str) -> Object | None:
        now_s = asyncio.get_running_loop().time()
        reading = self._readings.get(path)
        if reading is None or reading.until_s <= now_s:
            self._readings = {p: r for p, r in self._readings.items() if r.until_s > now_s}
            answer = asyncio.create_task(self._asked(path))
            reading = self._readings[path] = _Reading(answer, now_s)
        # Others may wait for the same answer.
        return await asyncio.shield(reading.answer)

    async def _asked(self, path: str) -> Object | None:
        try:
            return await self._api.read(path)
        except CallFailedError:
            return None


@dataclass
class _Reading:
    answer: asyncio.Task[Object | None]
    asked_s: float

    @property
    def until_s(self) -> float:
        has_failed = self.answer.done() and self.answer.result() is None
        return self.asked_s + (RETRY_S if has_failed else FRESH_S)


def _amounts(measured: Iterable[Object]) -> Amounts:
    try:
        usages = [one["usage"] for one in measured]
        return {
            "cpu": sum(ceil_milli(nanos(usage["cpu"])) for usage in usages),
            "memory": sum(value(usage["memory"]) for usage in usages),
        }
    except (KeyError, TypeError, QuantityError):
        # An adapter of other metrics may leave some out.
        return {}
