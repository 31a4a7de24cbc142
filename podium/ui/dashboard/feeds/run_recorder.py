"""Recording of a run in virtual time: a view of its beginning, and steps."""

from bisect import bisect_left
from collections.abc import Iterable
from typing import Any

from msgspec.structs import replace

from podium.cluster.drivers.driver_events import DriverEvent
from podium.cluster.virtual import Cluster
from podium.simulation.timeline.facts import TimelineEntry
from podium.ui.dashboard.descriptions import described_entries
from podium.ui.dashboard.feeds.feed import RecordedFeed
from podium.ui.dashboard.feeds.store_source import StoreObjects
from podium.ui.dashboard.scene import Scene, SceneChange
from podium.ui.dashboard.views import Abilities, Entry, Step

STEPS_PER_LEVEL = 5_000
"""After this number of steps, each step covers twice as much time, and so on."""

_FIRST_COALESCED_S = 0.1


class RunRecorder:
    """Records the changes of a cluster in virtual time from now on."""

    def __init__(self, cluster: Cluster) -> None:
        self.objects = StoreObjects(cluster)
        self._store = cluster.store
        self._scene = Scene()
        self._scene.add(self.objects.start())
        self._at_s = self.objects.passed_s()
        self._beginning = self._scene.view(Abilities(""), self._at_s, self.objects.start_s, ())
        self._seen = self._store.revision
        self._pending: list[SceneChange] = []
        self._steps: list[Step] = []
        self._driver = cluster.driver
        self._driver.hooks.append(self._happened)

    def finished(
        self, title: str, entries: Iterable[TimelineEntry], summary: Any = None
    ) -> RecordedFeed:
        """Stop recording, and return the feed of the whole run.

        Args:
            summary: presentation of the result, as plain values.
        """
        self._driver.hooks.remove(self._happened)
        self._take()
        self._step()
        self.objects.stop()
        said, steps = [*described_entries(entries)], self._steps
        if said and (not steps or said[-1].at_s > steps[-1].at_s):
            steps.append(Step(number=self._scene.number + 1, at_s=said[-1].at_s))
        times = [step.at_s for step in steps]
        among: dict[int, list[Entry]] = {}
        for entry in said:
            among.setdefault(bisect_left(times, entry.at_s), []).append(entry)
        for place, some in among.items():
            steps[place] = replace(steps[place], entries=some)
        last = self.objects.disruptions.number
        changes = {"title": title, "live": False, "disruptions": last, "summary": summary}
        beginning = replace(self._beginning, **changes)
        return RecordedFeed(beginning, steps, said)

    def _happened(self, event: DriverEvent) -> None:
        if self._store.revision == self._seen:
            return
        at_s = round(event.at_s - self.objects.start_s, 3)
        level = len(self._steps) // STEPS_PER_LEVEL
        coalesced_s = _FIRST_COALESCED_S * 2 ** (level - 1) if level else 0.0
        if at_s > self._at_s + coalesced_s:
            self._step()
            self._at_s = at_s
        self._take()

    def _take(self) -> None:
        self._seen = self._store.revision
        self._pending += self.objects.changes()

    def _step(self) -> None:
        changes, self._pending = self._pending, []
        step = self._scene.step(self._at_s, changes, self.objects.places(), ())
        if step is not None:
            self._steps.append(step)
