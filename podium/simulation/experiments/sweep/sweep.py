"""Plays a sweep: its trials on all scenarios and seeds, as far as they aren't known already.

Where a sweep searches, Optuna chooses the settings, some at a time, by what is known so far. Its
sampler is seeded, learns of trials in their order, and chooses as many at a time as the sweep says.
So the trials don't depend on how many processes play them, nor on where a sweep was stopped: one
that goes on asks for all of them again, and finds their runs in the journal.
"""

import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import msgspec

from podium.api.documents.report import plain
from podium.api.release import __version__
from podium.simulation.experiments.executors import Done, Executor, ScenarioRun
from podium.simulation.experiments.run import RunResult, read_result
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

    def play(self, chosen: Sequence[Values], before: int = 0) -> list[Trial]:
        jobs = [*self._jobs(chosen, before)]
        known = {key: found for key, _, _ in jobs if (found := self._known(key))}
        runs = [(key, run) for key, run, _ in jobs if key not in known]
        over = before * len(self.scenarios) * len(self.sweep.seeds) + len(known)
        played = self.executor([run for _, run in runs], lambda new: self.done(over + new))
        for number, result in played:
            key = runs[number][0]
            known[key] = result
            if self.journal is not None and not result.is_lost:
                self.journal.add(key, plain(result))
        by_trial: dict[int, list[TrialRun]] = {}
        for key, run, trial in jobs:
            one = TrialRun(run.scenario.name, run.seed, known[key])
            by_trial.setdefault(trial, []).append(one)
        return [
            trial_of(before + number, values, by_trial[number - 1])
            for number, values in enumerate(chosen, start=1)
        ]

    def finish(self, trials: Sequence[Trial]) -> None:
        """Put the journal in order, if every run is in it."""
        if self.journal is None:
            return
        keys = [
            _key(trial.number, index, seed)
            for trial in trials
            for index in range(len(self.scenarios))
            for seed in self.sweep.seeds
        ]
        if all(key in self.journal for key in keys):
            self.journal.finish(keys)

    def _jobs(
        self, chosen: Sequence[Values], before: int
    ) -> Iterator[tuple[str, ScenarioRun, int]]:
        for number, values in enumerate(chosen):
            places = self.sweep.places(values)
            for index, whole in enumerate(self.scenarios):
                for seed in self.sweep.seeds:
                    key = _key(before + number + 1, index, seed)
                    yield key, ScenarioRun(whole, seed, places), number

    def _known(self, key: str) -> RunResult | None:
        if self.journal is None or key not in self.journal:
            return None
        return read_result(self.journal[key])


def _key(trial: int, scenario: int, seed: int) -> str:
    return f"{trial}/{scenario}/{seed}"


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
        player.finish(trials)
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
