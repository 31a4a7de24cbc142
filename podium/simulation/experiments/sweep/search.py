"""A sweep that searches: Optuna chooses the settings, some at a time, by what is known so far.

Its sampler is seeded, learns of trials in their order, and chooses as many at a time as the sweep
says. So the trials don't depend on how many processes play them, nor on where a sweep was stopped:
one that goes on asks for all of them again, and finds their runs in the journal.
"""

from collections.abc import Mapping
from typing import Any

from podium.simulation.experiments.sweep.sweep import Player
from podium.simulation.experiments.sweep.sweep_file import SettingDocument, Sweep
from podium.simulation.experiments.sweep.trial import Trial


def search(sweep: Sweep, player: Player) -> list[Trial]:
    """The trials that a search makes, in order."""
    import optuna

    found, objective = sweep.spec.search, sweep.spec.objective
    assert found is not None
    assert objective is not None
    optuna.logging.set_verbosity(optuna.logging.WARNING)
    study = optuna.create_study(sampler=optuna.samplers.TPESampler(seed=found.seed))
    trials: list[Trial] = []
    while len(trials) < found.trials:
        asked = [study.ask() for _ in range(min(found.at_once, found.trials - len(trials)))]
        chosen = [_values(sweep, one) for one in asked]
        played = player.play(chosen, len(trials))
        for one, trial in zip(asked, played, strict=True):
            if trial.is_known:
                value = trial.measures.get(objective.measure, 0.0)
                study.tell(one, objective.sign * value)
            else:
                study.tell(one, state=optuna.trial.TrialState.FAIL)
        trials += played
    return trials


def _values(sweep: Sweep, trial: Any) -> Mapping[str, Any]:
    return {one.called: _value(one, trial) for one in sweep.spec.settings}


def _value(setting: SettingDocument, trial: Any) -> Any:
    span = setting.range
    if span is None:
        assert setting.values is not None
        number = trial.suggest_categorical(setting.called, range(len(setting.values)))
        return setting.values[number]
    suggest = trial.suggest_int if span.is_whole else trial.suggest_float
    step = {} if span.step is None else {"step": span.step}
    return span.shown(suggest(setting.called, span.from_, span.to, log=span.log, **step))
