"""Plays a sweep: its trials on all scenarios and seeds, as far as they aren't known already.

Where a sweep searches, Optuna chooses the settings, some at a time, by what is known so far. Its
sampler is seeded, learns of trials in their order, and chooses as many at a time as the sweep says.
So the trials don't depend on how many processes play them, nor on where a sweep was stopped: one
that goes on asks for all of them again, and finds their runs in the journal.
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

Values = Mapping[str, Any]


def read_scenarios(sweep: Sweep, max_pods: int) -> list[WholeScenario]:
    """The scenarios that a sweep names; raises PodiumError."""
    paths = [str(sweep.directory / one) for one in sweep.spec.scenarios]
    return [read_whole_scenario(path, max_pods) for path in paths]


def digest_of(sweep: Sweep, scenarios: Sequence[WholeScenario]) -> str:
    """Digest of a sweep, its scenarios and this release; equal only for equal sweeps."""
    parts = [
        __version__,
        sweep.spec.model_dump(mode="json", by_alias=True),
        [[one.name, one.value, one.max_pods] for one in scenarios],
    ]
    text = json.dumps(parts, sort_keys=True, default=str)
    return hashlib.sha256(text.encode()).hexdigest()


class Player(msgspec.Struct, frozen=True):
    """Plays trials of a sweep."""

    sweep: Sweep
    scenarios: Sequence[WholeScenario]
    executor: Executor
    journal: TrialJournal | None
    done: Done

    def keys(self, trial: int) -> list[str]:
        """The runs of a trial, as the journal knows them."""
        scenarios = range(len(self.scenarios))
        return [f"{trial}/{one}/{seed}" for one in scenarios for seed in self.sweep.seeds]

    def play(self, chosen: Sequence[Values], before: int = 0) -> list[Trial]:
        runs: dict[str, ScenarioRun] = {}
        for number, values in enumerate(chosen, start=before + 1):
            places = self.sweep.places(values)
            pairs = [(one, seed) for one in self.scenarios for seed in self.sweep.seeds]
            for key, (whole, seed) in zip(self.keys(number), pairs, strict=True):
                runs[key] = ScenarioRun(whole, seed, places)
        journal = self.journal
        known = {
            key: read_result(journal[key]) for key in runs if journal is not None and key in journal
        }
        missing = [key for key in runs if key not in known]
        over = before * len(self.keys(0)) + len(known)
        played = self.executor([runs[key] for key in missing], lambda new: self.done(over + new))
        for number, result in played:
            known[missing[number]] = result
            if journal is not None and not result.is_lost:
                journal.add(missing[number], plain(result))
        return [
            trial_of(
                number,
                values,
                [
                    TrialRun(runs[key].scenario.name, runs[key].seed, known[key])
                    for key in self.keys(number)
                ],
            )
            for number, values in enumerate(chosen, start=before + 1)
        ]


def play_sweep(
    sweep: Sweep,
    scenarios: Sequence[WholeScenario],
    executor: Executor,
    directory: Path | None,
    done: Done,
) -> list[Trial]:
    """All trials of a sweep; raises JournalError if the directory is another sweep's."""
    journal = None if directory is None else TrialJournal(directory, digest_of(sweep, scenarios))
    with journal or nullcontext():
        player = Player(sweep, scenarios, executor, journal, done)
        trials = player.play(sweep.grid()) if sweep.spec.search is None else _search(sweep, player)
        # Put the journal in order, if every run is in it.
        keys = [key for trial in trials for key in player.keys(trial.number)]
        if journal is not None and all(key in journal for key in keys):
            journal.finish(keys)
    return trials


def _search(sweep: Sweep, player: Player) -> list[Trial]:
    # An optional package.
    import optuna

    found, objective = sweep.spec.search, sweep.spec.objective
    assert found is not None
    assert objective is not None
    optuna.logging.set_verbosity(optuna.logging.WARNING)
    study = optuna.create_study(sampler=optuna.samplers.TPESampler(seed=found.seed))
    trials: list[Trial] = []
    while len(trials) < found.trials:
        asked = [study.ask() for _ in range(min(found.at_once, found.trials - len(trials)))]
        chosen = [{at.called: _value(at, one) for at in sweep.spec.settings} for one in asked]
        played = player.play(chosen, len(trials))
        for one, trial in zip(asked, played, strict=True):
            if trial.is_known:
                value = trial.measures.get(objective.measure, 0.0)
                study.tell(one, objective.sign * value)
            else:
                study.tell(one, state=optuna.trial.TrialState.FAIL)
        trials += played
    return trials


def _value(setting: SettingDocument, trial: Any) -> Any:
    span = setting.range
    if span is None:
        assert setting.values is not None
        number = trial.suggest_categorical(setting.called, range(len(setting.values)))
        return setting.values[number]
    suggest = trial.suggest_int if span.is_whole else trial.suggest_float
    step = {} if span.step is None else {"step": span.step}
    return span.shown(suggest(setting.called, span.from_, span.to, log=span.log, **step))
