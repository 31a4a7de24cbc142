"""`podium import`: traces of other formats as scenarios."""

from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING

from podium.ui.commands.question import Asker, Question
from podium.ui.inputs.input_error import InputError
from podium.ui.inputs.option import option, place

if TYPE_CHECKING:
    from podium.ui.answers.snapshot_answers import TraceAnswer


class TraceFormat(StrEnum):
    """The trace formats that can be imported."""

    OPENB = "openb"


class ImportQuestion(Question["TraceAnswer"]):
    """Convert the trace of a cluster into a scenario for podium simulate."""

    took_files = True
    usual_format = "yaml"

    trace_format: TraceFormat | str = place(
        f"Format of the trace: {', '.join(TraceFormat)}.", metavar="FORMAT", kw_only=False
    )
    nodes: str | Path = place(
        "CSV file of the nodes, also gzipped.", metavar="NODES.csv", kw_only=False
    )
    pods: str | Path = place(
        "CSV file of the tasks, also gzipped.", metavar="PODS.csv", kw_only=False
    )
    capacity: str = option("PERCENT", default="100%").help("""
        Share of the nodes to keep, from above 0% to 100%.""")
    limit: int | None = option("N", min=0).help("""
        Number of tasks to keep, the earliest first. [default: all]""")

    def answer(self, ask: Asker) -> "TraceAnswer":
        from fractions import Fraction

        from podium.simulation.traces.openb import (
            NODE_COLUMNS,
            POD_COLUMNS,
            read_rows,
            read_trace,
            scenario_lines,
        )
        from podium.ui.answers.snapshot_answers import TraceAnswer

        percent = self.capacity.removesuffix("%")
        is_right = self.capacity.endswith("%") and percent.isdecimal() and 0 < int(percent) <= 100
        if not is_right:
            rule = "must be a percentage above 0% and up to 100%, such as 60%"
            raise InputError(f"--capacity {self.capacity}: {rule}")
        ask.progress.show("importing")
        trace = read_trace(
            read_rows(str(self.nodes), NODE_COLUMNS),
            read_rows(str(self.pods), POD_COLUMNS),
            capacity=Fraction(int(percent), 100),
            limit=self.limit,
        )
        name = Path(self.pods).name.split(".")[0].replace("_", "-").lower()
        return TraceAnswer(trace, "\n".join(scenario_lines(trace, name)) + "\n")
