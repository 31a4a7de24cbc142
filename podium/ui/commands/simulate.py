"""`podium simulate`: a scenario or a recording in virtual time."""

import sys
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from podium.ui.commands.question import Asker, Question, Served
from podium.ui.inputs.input_error import InputError
from podium.ui.inputs.option import (
    Configuration,
    Duration,
    Plugins,
    Texts,
    local_option,
    option,
    option_like,
    place,
    seconds_of,
    several,
    texts,
)
from podium.ui.inputs.request_options import Rules

if TYPE_CHECKING:
    from podium.simulation.scenario.scenario_document import Scenario
    from podium.ui.answers.simulation_answers import SimulationAnswer

_RECORDING_ALONE = "--recording can't be combined with {}"


class SimulateQuestion(Question["SimulationAnswer"]):
    """Simulate a scenario."""

    formats = ("png", "csv", "parquet")
    formats_formerly = MappingProxyType({"timeline": "table"})
    needs = MappingProxyType({"html": "matplotlib", "png": "matplotlib", "parquet": "pyarrow"})

    scenario: str | Path | None = place(
        "File with the scenario; - for standard input.",
        metavar="SCENARIO.yaml",
        default=None,
        kw_only=False,
    )
    until: Duration | None = option("DURATION").help("""
        Simulated time at which to end, such as 10m. [default: spec.until of the scenario, or the
        time of its last step]""")
    seed: int | None = option().help("""
        Seed of all random choices. [default: spec.seed of the scenario]""")
    scheduler_config: Configuration | None = local_option("FILE", formerly=("--config",)).help("""
        KubeSchedulerConfiguration (v1) for the first scheduler of the scenario, or for the replay
        of a recording. [default: that of the scenario, or the recorded one]""")
    plugin: Plugins = option_like(Rules, "plugin")
    max_pods: int = option_like(Rules, "max_pods")
    assume_healthy: bool = option_like(Rules, "assume_healthy")
    fail_on: Texts = local_option("CONDITION[,CONDITION]...").help("""
        Exit with code 2 if one of these conditions is met: preemption, eviction, pending (at the
        end), undrained. A condition can be restricted as for podium plan, as in
        preemption:priority>=1000. Failed assertions always exit with code 2. [default: none]""")

    def is_found_wanting(self, answer: Any) -> bool:
        return bool(getattr(answer, "failures", 0) or getattr(answer, "failed_on", ()))

    def answer(self, ask: Asker) -> "SimulationAnswer":
        # Imported when it is asked, so that help, completion and the library start at once.
        from podium.api.process.python_garbage_collection import collect_rarely
        from podium.simulation.experiments.run import observed
        from podium.simulation.runner.scenario_runner import simulate
        from podium.simulation.runner.simulation_report import simulation_report
        from podium.simulation.timeline.timeline_sentences import clock
        from podium.ui.answers.simulation_answers import SimulationAnswer
        from podium.ui.answers.simulation_findings import simulation_findings, simulation_gates
        from podium.whatif.plan.fail_on import stopped

        gates = simulation_gates(texts(self.fail_on))
        scenario = self._read()
        collect_rarely()

        def tell(passed_s: float, entries: int) -> None:
            ask.progress.tell(lambda: f"simulating: {clock(passed_s)}, {entries} things happened")

        ask.progress.show("simulating")
        series = None
        if ask.draws:
            simulation, series = observed(scenario, tell, ask.prepare)
        else:
            simulation = simulate(scenario, tell, prepare=ask.prepare)
        failed_on = stopped(simulation_findings(simulation), gates) if gates else ()
        report = simulation_report(simulation)
        return SimulationAnswer.of(
            report, simulation=simulation, series=series, failed_on=failed_on
        )

    def _read(self) -> "Scenario":
        from msgspec import structs

        from podium.cluster.manifests.input_files import read_text
        from podium.simulation.scenario.scenario_document import read_scenario, scenario_of
        from podium.ui.inputs.plugin_files import load_plugin

        if self.scenario is None:
            raise InputError("no scenario is given: name its file, or a recording with --recording")
        path = str(self.scenario)
        names = [load_plugin(plugin) for plugin in several(self.plugin)]
        content = read_text(path, sys.stdin.buffer)
        name = "stdin" if path == "-" else path
        if self.scheduler_config is None:
            scenario = read_scenario(name, content, self.seed, self.max_pods, names)
        else:
            # Few scenarios are played with another configuration than their own.
            from podium.simulation.experiments.comparison.comparison import (
                configuration_side,
                read_side,
            )
            from podium.simulation.experiments.whole_scenario import whole_scenario

            if isinstance(self.scheduler_config, Mapping):
                side = configuration_side("--scheduler-config", [self.scheduler_config])
            else:
                side = read_side(str(self.scheduler_config), self.max_pods)
            if side.kind != "configuration":
                rule = "must be a KubeSchedulerConfiguration"
                raise InputError(f"--scheduler-config {self.scheduler_config}: {rule}")
            whole = side.of(whole_scenario(name, content, self.max_pods))
            scenario = scenario_of(name, whole.value, self.seed, self.max_pods, names)
        if self.assume_healthy:
            scenario = replace(scenario, options=structs.replace(scenario.options, heals=True))
        if self.until is None:
            return scenario
        return replace(scenario, until_s=seconds_of("--until", self.until, zero="the start"))


class ReplayQuestion(Served, SimulateQuestion):
    """Simulate a scenario: manifests, timed steps and assertions, in virtual time.

    The same seed gives the same result. The exit code is 2 if an assertion fails. A recording of
    podium record is replayed, with the recorded or another scheduler configuration.
    """

    recording: str | Path | None = local_option("DIR").help("""
        Directory of a recording of podium record to replay instead of a scenario, and to compare
        with what really happened.""")

    def check_output(self, output: str) -> None:
        if self.recording is None:
            super().check_output(output)
        elif output in self.formats:
            raise InputError(_RECORDING_ALONE.format(f"-o {output}"))

    def answer(self, ask: Asker) -> Any:
        if self.recording is None:
            return super().answer(ask)
        given = {
            "a scenario": self.scenario,
            "--until": self.until,
            "--seed": self.seed,
            "--assume-healthy": self.assume_healthy or None,
            "--fail-on": texts(self.fail_on) or None,
            "--serve": self.serve or None,
        }
        if words := [word for word, value in given.items() if value is not None]:
            raise InputError(_RECORDING_ALONE.format(" and ".join(words)))
        from podium.api.process.python_garbage_collection import collect_rarely
        from podium.simulation.recordings.comparison import compare
        from podium.simulation.recordings.replay import replay
        from podium.simulation.recordings.segments import read_recording
        from podium.simulation.timeline.timeline_sentences import clock
        from podium.ui.answers.simulation_answers import ReplayAnswer
        from podium.ui.inputs.configurations import read_scheduler_config

        collect_rarely()
        ask.progress.show("replaying")
        recorded = read_recording(Path(self.recording))
        source, kept = self.scheduler_config, None
        if source is None and recorded.configuration:
            source, kept = self.recording, recorded.configuration
        loaded = read_scheduler_config(source, self.plugin, kept)
        total = f"{len(recorded.changes):,}"

        def tell(at_s: float, number: int) -> None:
            ask.progress.tell(lambda: f"replaying: {clock(at_s)}, change {number:,} of {total}")

        configuration, options = (loaded.configuration, loaded.options) if loaded else (None, None)
        report = compare(replay(recorded, configuration, options, tell))
        return ReplayAnswer.of(report, warnings=loaded.notes if loaded else ())
