"""The trials of a sweep, each a run of all scenarios and seeds with a choice of settings.

In a search, Optuna chooses some settings at a time by the results so far. Its sampler is seeded and
gets results in the order of trials, so that the choice depends neither on the number of processes
nor on interruptions. A continued sweep chooses the same trials, and reads results from the journal.
"""

import hashlib
import json
from collections.abc import Mapping, Sequence
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import msgspec

from podium.api.documents.report import plain
from podium.api.release import __version__
from podium.simulation.experiments.executors import Done, Executor, ScenarioRun
from podium.simulation.experiments.run import read_result
from podium.simulation.experiments.sweep.sweep_file import SettingDocument, Sweep
from podium.simulation.experiments.sweep.sweep_report import Trial, TrialRun, trial_of
from podium.simulation.experiments.sweep.trial_journal import TrialJournal
from podium.simulation.experiments.whole_scenario import WholeScenario, read_whole_scenario


def read_scenarios(sweep: Sweep, max_pods: int) -> list[WholeScenario]:
    """Read the scenarios of a sweep; raises PodiumError."""
    paths = [str(sweep.directory / file) for file in sweep.spec.scenarios]
    return [read_whole_scenario(path, max_pods) for path in paths]


def play_sweep(
    sweep: Sweep,
    scenarios: Sequence[WholeScenario],
    executor: Executor,
    directory: Path | None,
    done: Done,
) -> list[Trial]:
    """Run all trials of a sweep; raises PodiumError."""
    # Equal only for equal sweeps, scenarios and releases.
    identity = [
        __version__,
        sweep.spec.model_dump(mode="json", by_alias=True),
        [[whole.name, whole.value, whole.max_pods] for whole in scenarios],
    ]
    text = json.dumps(identity, sort_keys=True, default=str)
    digest = hashlib.sha256(text.encode()).hexdigest()
    journal = None if directory is None else TrialJournal(directory, digest)
    with journal or nullcontext():
        player = _Player(sweep, scenarios, executor, journal, done)
        trials = player.play(sweep.grid()) if sweep.spec.search is None else _search(sweep, player)
        # Put the journal in order, if every run is in it.
        keys = [key for trial in trials for key in player.runs(trial.number)]
        if journal is not None and all(key in journal for key in keys):
            journal.finish(keys)
    return trials


class _Player(msgspec.Struct, frozen=True):
    sweep: Sweep
    scenarios: Sequence[WholeScenario]
    executor: Executor
    journal: TrialJournal | None
    done: Done

    def runs(self, trial: int) -> dict[str, tuple[WholeScenario, int]]:
        return {
            f"{trial}/{number}/{seed}": (whole, seed)
            for number, whole in enumerate(self.scenarios)
            for seed in self.sweep.seeds
        }

    def play(self, chosen: Sequence[Mapping[str, Any]], before: int = 0) -> list[Trial]:
        runs: dict[str, ScenarioRun] = {}
        for number, values in enumerate(chosen, start=before + 1):
            places = self.sweep.places(values)
            for key, (whole, seed) in self.runs(number).items():
                runs[key] = ScenarioRun(whole, seed, places)
        journal = self.journal
        known = {} if journal is None else {key: journal[key] for key in runs if key in journal}
        results = {key: read_result(result) for key, result in known.items()}
        missing = [key for key in runs if key not in results]
        over = before * len(self.scenarios) * len(self.sweep.seeds) + len(results)
        played = self.executor([runs[key] for key in missing], lambda new: self.done(over + new))
        for number, result in played:
            results[missing[number]] = result
            if journal is not None and not result.is_lost:
                journal.add(missing[number], plain(result))
        trials = []
        for number, values in enumerate(chosen, start=before + 1):
            found = [
                TrialRun(whole.name, seed, results[key])
                for key, (whole, seed) in self.runs(number).items()
            ]
            trials.append(trial_of(number, values, found))
        return trials


def _search(sweep: Sweep, player: _Player) -> list[Trial]:
    # An optional package.
    import optuna

    search, objective = sweep.spec.search, sweep.spec.objective
    assert search is not None
    assert objective is not None
    optuna.logging.set_verbosity(optuna.logging.WARNING)
    study = optuna.create_study(sampler=optuna.samplers.TPESampler(seed=search.seed))
    trials: list[Trial] = []
    while len(trials) < search.trials:
        asked = [study.ask() for _ in range(min(search.at_once, search.trials - len(trials)))]
        chosen = [
            {setting.called: _suggested(setting, one) for setting in sweep.spec.settings}
            for one in asked
        ]
        played = player.play(chosen, len(trials))
        for one, trial in zip(asked, played, strict=True):
            if trial.is_known:
                value = trial.measures.get(objective.measure, 0.0)
                study.tell(one, objective.sign * value)
            else:
                study.tell(one, state=optuna.trial.TrialState.FAIL)
        trials += played
    return trials


def _suggested(setting: SettingDocument, trial: Any) -> Any:
    span = setting.range
    if span is None:
        assert setting.values is not None
        number = trial.suggest_categorical(setting.called, range(len(setting.values)))
        return setting.values[number]
    suggest = trial.suggest_int if span.is_whole else trial.suggest_float
    step = {} if span.step is None else {"step": span.step}
    return span.shown(suggest(setting.called, span.from_, span.to, log=span.log, **step))
