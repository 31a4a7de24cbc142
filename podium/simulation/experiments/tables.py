"""Tables: the time series of a run as Parquet or CSV, and the runs of a sweep as Parquet."""

import csv
import io
import json
from collections.abc import Iterable, Sequence
from importlib import import_module
from typing import Any

from podium.simulation.experiments.series.series import RunSeries
from podium.simulation.experiments.sweep.sweep_report import Trial

LINE_COLUMNS = ("seconds", "measure", "of", "name", "value")
_LINE_TYPES = ("double", "string", "string", "string", "double")


def lines_parquet(series: RunSeries) -> bytes:
    """Write the time series of a run as a Parquet file, with a row for each change."""
    rows = [*series.rows()]
    return _parquet(
        (name, kind, [row[at] for row in rows])
        for at, (name, kind) in enumerate(zip(LINE_COLUMNS, _LINE_TYPES, strict=True))
    )


def lines_csv(series: RunSeries) -> str:
    """Write the time series of a run as CSV, with a row for each change."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(LINE_COLUMNS)
    writer.writerows(series.rows())
    return out.getvalue()


def runs_parquet(trials: Sequence[Trial]) -> bytes:
    """Write the runs of a sweep as a Parquet file, with a row for each run.

    Its columns are `trial`, `scenario`, `seed`, `error`, `settings.NAME`, and the measures.
    """
    runs = [(trial, run) for trial in trials for run in trial.runs]
    columns: list[tuple[str, str | None, Sequence[Any]]] = [
        ("trial", "int64", [trial.number for trial, _ in runs]),
        ("scenario", "string", [run.scenario for _, run in runs]),
        ("seed", "int64", [run.seed for _, run in runs]),
        ("error", "string", [run.result.error for _, run in runs]),
    ]
    for name in dict.fromkeys(name for trial, _ in runs for name in trial.settings):
        values = [trial.settings[name] for trial, _ in runs]
        # A column has one type: values of several types that aren't all numbers are JSON.
        types = {type(value) for value in values}
        if types <= {int, float}:
            values = values if len(types) == 1 else [float(value) for value in values]
        elif len(types) > 1 or not types <= {str, bool}:
            values = [json.dumps(value, sort_keys=True) for value in values]
        columns.append((f"settings.{name}", None, values))
    measures = dict.fromkeys(name for _, run in runs for name in run.result.measures)
    columns += (
        (name, "double", [run.result.measures.get(name) for _, run in runs]) for name in measures
    )
    return _parquet(columns)


def _parquet(columns: Iterable[tuple[str, str | None, Sequence[Any]]]) -> bytes:
    # Arrow has no types.
    pyarrow, parquet = import_module("pyarrow"), import_module("pyarrow.parquet")
    out = io.BytesIO()
    arrays = {name: pyarrow.array(values, kind) for name, kind, values in columns}
    parquet.write_table(pyarrow.table(arrays), out)
    return out.getvalue()
