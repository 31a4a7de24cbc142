"""Scenarios, recordings and traces to play, and by which seeds and processes."""

import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from msgspec import structs

from podium.api.process.concurrency import core_count
from podium.api.values.durations import duration_seconds
from podium.cluster.manifests.input_files import read_text
from podium.simulation.scenario import Scenario, ScenarioError, read_scenario
from podium.ui.inputs.configurations import read_scheduler_config
from podium.ui.inputs.extras import check_extra
from podium.ui.inputs.input_error import InputError
from podium.ui.inputs.plugin_files import load_plugin

if TYPE_CHECKING:
    from podium.scheduler.config.load import Loaded
    from podium.simulation.experiments.executors import Executor
    from podium.simulation.recordings.recording_reader import Recording

RECORDING_ALONE = "{}: a recording can't be combined with that"


def checked_scenario(
    scenario: str | None,
    recording: Path | None,
    config: str | None,
    until: str | None,
    seed: int | None,
    *,
    assume_healthy: bool = False,
) -> str:
    """The scenario to play, empty for a recording; raises InputError if it is neither."""
    given = {
        "a scenario": scenario,
        "--until": until,
        "--seed": seed,
        "--assume-healthy": assume_healthy or None,
    }
    if recording is not None:
        if words := [word for word, value in given.items() if value is not None]:
            raise InputError(RECORDING_ALONE.format(" and ".join(words)))
        return ""
    if scenario is None:
        raise InputError("what is to be played? Name a scenario, or a --recording")
    if config is not None:
        why = "a scenario says itself how it is scheduled"
        raise InputError(f"--config is for a --recording; {why}")
    return scenario


def read_scenario_file(
    path: str,
    until: str | None,
    seed: int | None,
    max_pods: int,
    plugins: Sequence[str],
    *,
    assume_healthy: bool = False,
) -> Scenario:
    """Read the scenario in a file, changed by the options; raises PodiumError."""
    names = [load_plugin(one) for one in plugins]
    text = read_text(path, sys.stdin.buffer)
    scenario = read_scenario("stdin" if path == "-" else path, text, seed, max_pods, names)
    if assume_healthy:
        scenario = replace(scenario, options=structs.replace(scenario.options, heals=True))
    if until is None:
        return scenario
    until_s = duration_seconds(until)
    if until_s is None or until_s < 0:
        raise ScenarioError(f"--until: {until}: must be a duration such as 10m or 1h30m")
    return replace(scenario, until_s=until_s)


def read_replay(
    directory: Path, config: str | None, plugins: Sequence[str]
) -> "tuple[Recording, Loaded | None]":
    """Read a recording, and the configuration by which it is played; None for the default.

    Args:
        config: a KubeSchedulerConfiguration; the recorded one if None.
        plugins: `FILE:CLASS` of plugins to enable.

    Raises:
        PodiumError: either can't be read.
    """
    # Scenarios don't wait for what reads recordings.
    from podium.simulation.recordings.recording_reader import read_recording

    recording = read_recording(directory)
    if config is None and recording.configuration:
        return recording, read_scheduler_config(str(directory), plugins, recording.configuration)
    return recording, read_scheduler_config(config, plugins)


def executor_of(dask: str | None, workers: int | None) -> "Executor":
    """The executor of an experiment's runs: a Dask cluster, or processes, one a core if None."""
    if dask is not None:
        # It is there only with an extra.
        from podium.simulation.experiments.executors import DaskExecutor

        check_extra("--dask", "experiments", "distributed")
        return DaskExecutor(dask)
    from podium.simulation.experiments.executors import LocalExecutor

    return LocalExecutor(workers or core_count())


def parse_seeds(text: str) -> range:
    """`10` for the seeds 0 to 9, `5..9` for those from 5 to 9; raises InputError."""
    first, dots, last = text.partition("..")
    if dots and first.isdigit() and last.isdigit() and int(first) <= int(last):
        return range(int(first), int(last) + 1)
    if not dots and text.isdigit() and int(text) > 0:
        return range(int(text))
    raise InputError(f"--seeds {text}: must be a number such as 10, or a range such as 5..9")
