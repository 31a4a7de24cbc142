"""The lines of a run as Parquet and CSV, a row for each change."""

import csv
import io
from collections.abc import Mapping
from importlib import import_module
from typing import Any

from podium.simulation.experiments.series.series import RunSeries

LINE_COLUMNS = ("seconds", "measure", "of", "name", "value")


def lines_parquet(series: RunSeries) -> bytes:
    """The lines of a run as a Parquet file."""
    # Arrow has no types.
    pyarrow, parquet = import_module("pyarrow"), import_module("pyarrow.parquet")

    rows = [*series.rows()]
    kinds: Mapping[str, Any] = {"seconds": pyarrow.float64(), "value": pyarrow.float64()}
    columns = {
        name: pyarrow.array([row[at] for row in rows], kinds.get(name, pyarrow.string()))
        for at, name in enumerate(LINE_COLUMNS)
    }
    out = io.BytesIO()
    parquet.write_table(pyarrow.table(columns), out)
    return out.getvalue()


def lines_csv(series: RunSeries) -> str:
    """The lines of a run as CSV."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(LINE_COLUMNS)
    writer.writerows(series.rows())
    return out.getvalue()
