"""Podium and kube-scheduler in turns behind one API server, side by side.

    KUBECONFIG=… python benchmarks/two_schedulers.py --kube-scheduler PATH [--rounds 3] [--qps 50]

The API server needs no other scheduler, and no controllers. What is printed of each run is what
`podium bench --server` measures, and the processor time of the scheduler's process. In the last
lines are the medians, and how much faster Podium is.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from statistics import median

WORKLOADS = ("SchedulingBasic", "PreemptionBasic", "PreemptionAsync")
PODIUM = (sys.executable, "-m", "podium")
PORT = 10351
_CONFIGURATION = """\
apiVersion: kubescheduler.config.k8s.io/v1
kind: KubeSchedulerConfiguration
leaderElection: {{leaderElect: false}}
clientConnection: {{kubeconfig: {kubeconfig}, qps: {qps}, burst: {burst}}}
"""


def main() -> None:
    """Measure each workload in turns, and print the medians."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--kube-scheduler", required=True, help="the path of the program")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--nodes", type=int, default=200)
    parser.add_argument("--pods", type=int, default=200)
    parser.add_argument("--qps", type=float, default=50, help="requests a second of either")
    parser.add_argument("--burst", type=int, default=100)
    parser.add_argument("workloads", nargs="*", default=WORKLOADS)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as place:
        configuration = Path(place, "configuration.yaml")
        kubeconfig = os.environ["KUBECONFIG"]
        configuration.write_text(
            _CONFIGURATION.format(kubeconfig=kubeconfig, qps=given.qps, burst=given.burst)
        )
        options = ("--config", str(configuration))
        quiet = ("--secure-port", "0", "--bind-address", "127.0.0.1")
        commands = {
            "podium": [*PODIUM, "scheduler", *options, "--metrics-port", str(PORT)],
            "kube-scheduler": [given.kube_scheduler, *options, *quiet],
        }
        for workload in given.workloads:
            _compare(workload, commands, given)


def _compare(workload: str, commands: dict[str, list[str]], given: argparse.Namespace) -> None:
    found: dict[str, list[float]] = {name: [] for name in commands}
    for _ in range(given.rounds):
        for name, command in commands.items():
            with _running(command) as process:
                _measured("SchedulingBasic", 1, 1)
                began_s = _processor_s(process)
                measured = _measured(workload, given.nodes, given.pods)
                took_s = _processor_s(process) - began_s
            rate = measured["pods"] / measured["elapsedS"]
            found[name].append(rate)
            what = f"{rate:6.1f} pods/s, longest gap {measured['longestGapS']:5.2f} s"
            load = f"load {os.getloadavg()[0]:.0f}"
            print(f"{workload:16} {name:15} {what}, processor {took_s:4.1f} s, {load}", flush=True)
    ours, theirs = (median(rates) for rates in found.values())
    print(f"{workload:16} medians {ours:.1f} and {theirs:.1f} pods/s: {ours / theirs:.2f} times")


@contextmanager
def _running(command: Sequence[str]) -> Iterator[subprocess.Popen[bytes]]:
    with subprocess.Popen(command, stderr=subprocess.DEVNULL) as process:
        try:
            yield process
        finally:
            process.terminate()


def _measured(workload: str, nodes: int, pods: int) -> dict[str, float]:
    command = [*PODIUM, "bench", workload, "--server", "current", "--output", "json"]
    command += ["--nodes", str(nodes), "--pods", str(pods)]
    (found,) = json.loads(subprocess.run(command, stdout=subprocess.PIPE, check=True).stdout)
    return dict(found)


def _processor_s(process: "subprocess.Popen[bytes]") -> float:
    fields = Path(f"/proc/{process.pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


if __name__ == "__main__":
    main()
