"""`podium simulate --serve`: the simulation in a browser."""

from podium.cluster.virtual import Cluster
from podium.simulation.runner.scenario_runner import Simulation
from podium.simulation.scenario import Scenario
from podium.ui.command_line.processes.run_server import serve_run
from podium.ui.dashboard.feeds.finished_runs import simulation_explainer
from podium.ui.dashboard.feeds.run_recorder import RunRecorder


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
        explain = simulation_explainer(self._scenario)
        serve_run(self._recorder, title, simulation.entries, explain)
