"""The runs of a sweep as a Parquet table, a row for each run."""

import json
from collections.abc import Sequence
from importlib import import_module
from pathlib import Path
from typing import Any

from podium.simulation.experiments.sweep.trial import Trial


def write_runs(path: Path, trials: Sequence[Trial]) -> None:
    """Write a table with a row a run.

    Its columns are `trial`, `scenario`, `seed`, `error`, `settings.NAME`, and the measures.
    """
    # Arrow has no types.
    pyarrow, parquet = import_module("pyarrow"), import_module("pyarrow.parquet")

    runs = [(trial, run) for trial in trials for run in trial.runs]
    columns: dict[str, Any] = {
        "trial": pyarrow.array([trial.number for trial, _ in runs], pyarrow.int64()),
        "scenario": pyarrow.array([run.scenario for _, run in runs], pyarrow.string()),
        "seed": pyarrow.array([run.seed for _, run in runs], pyarrow.int64()),
        "error": pyarrow.array([run.result.error for _, run in runs], pyarrow.string()),
    }
    for name in dict.fromkeys(name for trial, _ in runs for name in trial.settings):
        values = [trial.settings[name] for trial, _ in runs]
        columns[f"settings.{name}"] = pyarrow.array(_alike(values))
    for name in dict.fromkeys(name for _, run in runs for name in run.result.measures):
        values = [run.result.measures.get(name) for _, run in runs]
        columns[name] = pyarrow.array(values, pyarrow.float64())
    parquet.write_table(pyarrow.table(columns), path)


def _alike(values: Sequence[Any]) -> list[Any]:
    kinds = {type(one) for one in values}
    if len(kinds) == 1 and kinds <= {str, int, float, bool}:
        return [*values]
    if kinds <= {int, float}:
        return [float(one) for one in values]
    return [json.dumps(one, sort_keys=True) for one in values]
