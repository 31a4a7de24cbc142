"""The openb trace played: how long months of a GPU cluster take, in what memory, and who waits.

    python benchmarks/openb.py [--capacity 60] [--tasks FILE] [--nodes FILE]

The trace isn't part of the project; its files are looked for in ../shared/data/openb. The goal: all
1,523 nodes and 8,152 tasks in two minutes.
"""

import argparse
import gc
import resource
import sys
import time
from fractions import Fraction
from pathlib import Path

from podium.api.presentation import Table
from podium.simulation.experiments.simulation_presentation import class_table
from podium.simulation.runner.scenario_runner import simulate
from podium.simulation.runner.simulation_report import summarize_classes
from podium.simulation.scenario.scenario_document import read_scenario
from podium.simulation.traces.openb import (
    NODE_COLUMNS,
    POD_COLUMNS,
    read_rows,
    read_trace,
    scenario_lines,
)
from podium.ui.writers.terminal import console, print_block

TRACE = Path(__file__).resolve().parents[2] / "shared" / "data" / "openb"
NODES = TRACE / "openb_node_list_all_node.csv.gz"
TASKS = TRACE / "openb_pod_list_default.csv.gz"


def main() -> None:
    """Import, play, and print what it took."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--nodes", type=Path, default=NODES)
    parser.add_argument("--tasks", type=Path, default=TASKS)
    parser.add_argument("--capacity", type=int, default=100, help="percent of the nodes")
    chosen = parser.parse_args()
    missing = [str(path) for path in (chosen.nodes, chosen.tasks) if not path.exists()]
    if missing:
        sys.exit(f"skipped: there is no {' and no '.join(missing)}")
    began_s = time.perf_counter()
    trace = read_trace(
        read_rows(str(chosen.nodes), NODE_COLUMNS),
        read_rows(str(chosen.tasks), POD_COLUMNS),
        capacity=Fraction(chosen.capacity, 100),
    )
    scenario = read_scenario("openb", "\n".join(scenario_lines(trace, "openb")))
    read_s = time.perf_counter()
    gc.freeze()
    simulation = simulate(scenario)
    played_s = time.perf_counter()
    print(f"{len(trace.nodes)} nodes, {len(trace.arrivals)} tasks")
    print(
        f"read in {read_s - began_s:.1f} s, {simulation.ended_s / 86_400:.0f} days played in",
        end=" ",
    )
    print(f"{played_s - read_s:.1f} s ({time.process_time():.1f} s of processor time in all)")
    print(f"{len(simulation.entries)} things happened")
    peak_kib = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    print(f"peak memory {peak_kib / 1024:.0f} MiB\n")
    headings, rows = class_table(summarize_classes(simulation.histories()))
    print_block(console(), Table(headings, rows, title="Pods by priority class"))


if __name__ == "__main__":
    main()
