"""The web page of a finished run, for `--serve` of `podium plan` and `podium simulate`."""

import asyncio
from typing import Any

from podium.cluster.virtual import Cluster
from podium.simulation.timeline.observer import Observer
from podium.ui.answers.simulation_answers import SimulationAnswer
from podium.ui.command_line.processes.signals import stop_event
from podium.ui.dashboard.dashboard_app import served_locally
from podium.ui.dashboard.feeds.finished_runs import FinishedRun, simulation_explainer
from podium.ui.dashboard.feeds.run_recorder import RunRecorder
from podium.ui.dashboard.pages import Pages
from podium.ui.dashboard.views import presented
from podium.ui.inputs.inputs import Asked
from podium.ui.writers.terminal import console
from podium.whatif.explain.pod_explanations import explain_pod


class Recording:
    """Records a plan or simulation while it runs, and serves the recording as a web page."""

    asked: Asked

    def begin(self, cluster: Cluster, observer: Observer | None = None) -> None:
        """Begin to record a cluster; the cluster of a plan has an observer already."""
        self._observer = observer
        self._entries_before = len(observer.entries) if observer else 0
        self._recorder = RunRecorder(cluster)

    def serve(self, answer: Any, port: int) -> None:
        """Serve the recording until Ctrl-C; the page explains pods as `podium explain` does."""
        if isinstance(answer, SimulationAnswer):
            simulation = answer.simulation
            title, entries = f"podium simulate {simulation.scenario.name}", simulation.entries
            explain = simulation_explainer(simulation.scenario)
        else:
            assert self._observer is not None
            title, entries = "podium plan", self._observer.entries[self._entries_before :]
            asked = self.asked

            def explain(pod: str) -> Any:
                return asked.noted_in(explain_pod(asked.request, pod))

        feed = self._recorder.finished(title, entries, presented(answer.presentation()))
        pages = Pages(self._recorder.objects, feed, lambda: FinishedRun(explain))

        async def serve() -> None:
            stop = stop_event()
            async with served_locally(feed, pages, port) as link:
                # The report may go into a pipe, and nothing else is to be in it.
                console(stderr=True).print(f"See it: {link}\nCtrl-C ends it.")
                await stop.wait()

        asyncio.run(serve())
