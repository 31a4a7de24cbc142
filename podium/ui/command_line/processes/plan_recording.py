"""`podium plan --serve`: the plan in a browser."""

from podium.ui.command_line.processes.run_server import serve_run
from podium.ui.dashboard.feeds.run_recorder import RunRecorder
from podium.ui.inputs.inputs import Asked
from podium.whatif.explain.pod_explanations import explain_pod
from podium.whatif.plan.play import Play
from podium.whatif.plan.request import PlanRequest


class PlanRecording:
    """Records a plan while it is played, and shows it afterwards."""

    def __init__(self, request: PlanRequest) -> None:
        self._request = request

    def begin(self, play: Play) -> None:
        """Record a play from now on."""
        self._play = play
        self._recorder = RunRecorder(play.cluster)

    def serve(self, asked: Asked) -> None:
        """Show what was recorded, until Ctrl-C; its pods are explained as `podium explain` does."""
        entries = self._play.observer.entries[self._play.entries_before :]
        serve_run(
            self._recorder,
            "podium plan",
            entries,
            lambda pod: asked.told_in(explain_pod(self._request, pod)),
        )
