"""`--serve` of `podium plan` and `podium simulate`: a run that is over, in a browser."""

import asyncio
import signal
from collections.abc import Callable, Iterable

from podium.cluster.virtual import Cluster
from podium.simulation.runner.scenario_runner import Simulation
from podium.simulation.scenario import Scenario
from podium.simulation.timeline import Observer, TimelineEntry
from podium.ui.dashboard.feeds.finished_runs import FinishedRun, simulation_explainer
from podium.ui.dashboard.feeds.run_recorder import RunRecorder
from podium.ui.dashboard.local_server import served_locally
from podium.ui.dashboard.questions import Questions
from podium.ui.inputs.inputs import Asked
from podium.ui.writers.console import console
from podium.whatif.explain.explanation import PodExplanation
from podium.whatif.explain.pod_explanations import explain_pod
from podium.whatif.plan.request import PlanRequest


class PlanRecording:
    """Records a plan while it is played, and shows it afterwards."""

    def __init__(self, request: PlanRequest) -> None:
        self._request = request

    def begin(self, cluster: Cluster, observer: Observer) -> None:
        """Record a cluster from now on."""
        self._observer = observer
        self._entries_before = len(observer.entries)
        self._recorder = RunRecorder(cluster)

    def serve(self, asked: Asked) -> None:
        """Show what was recorded, until Ctrl-C; its pods are explained as `podium explain` does."""
        entries = self._observer.entries[self._entries_before :]
        _serve(
            self._recorder,
            "podium plan",
            entries,
            lambda pod: asked.told_in(explain_pod(self._request, pod)),
        )


class SimulationRecording:
    """Records a scenario while it is played, and shows it afterwards."""

    def __init__(self, scenario: Scenario) -> None:
        self._scenario = scenario

    def begin(self, cluster: Cluster) -> None:
        """Record a cluster from now on."""
        self._recorder = RunRecorder(cluster)

    def serve(self, simulation: Simulation) -> None:
        """Show what was recorded, until Ctrl-C."""
        title = f"podium simulate {self._scenario.name}"
        _serve(self._recorder, title, simulation.entries, simulation_explainer(self._scenario))


def _serve(
    recorder: RunRecorder,
    title: str,
    entries: Iterable[TimelineEntry],
    explain: Callable[[str], PodExplanation],
) -> None:
    feed = recorder.finished(title, entries)
    questions = Questions(recorder.objects.find, feed, lambda: FinishedRun(explain))

    async def serve() -> None:
        stop, loop = asyncio.Event(), asyncio.get_running_loop()
        for number in (signal.SIGINT, signal.SIGTERM):
            loop.add_signal_handler(number, stop.set)
        async with served_locally(feed, questions) as link:
            # The report may go into a pipe, and nothing else is to be in it.
            console(stderr=True).print(f"See it: {link}\nCtrl-C ends it.")
            await stop.wait()

    asyncio.run(serve())
