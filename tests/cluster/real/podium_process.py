"""`podium scheduler` as a process of its own."""

import json
import signal
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Self

import httpx

from tests.cluster.real.server import PATIENCE_S
from tests.processes import start_podium

# A leader that a busy machine keeps waiting must not lose its lease for that.
FAST_LEASE = (
    *("--leader-elect-lease-duration", "7s", "--leader-elect-renew-deadline", "6s"),
    *("--leader-elect-retry-period", "500ms"),
)


class PodiumScheduler:
    """A scheduler that runs until the end of `with`."""

    def __init__(self, kubeconfig: Path, log: Path, options: Sequence[str]) -> None:
        self.log = log
        where = ("--kubeconfig", str(kubeconfig), "--metrics-port", "0", "--log-format", "json")
        self.process = start_podium(log, "scheduler", *where, *options)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGCONT)
            self.process.kill()
            self.process.wait()

    def lines(self) -> list[dict[str, Any]]:
        text = self.log.read_text()
        return [json.loads(line) for line in text.splitlines() if line.startswith("{")]

    def said(self, sentence: str) -> list[dict[str, Any]]:
        return [line for line in self.lines() if sentence in line["msg"]]

    def wait_for(self, sentence: str, count: int = 1) -> dict[str, Any]:
        until_s = time.monotonic() + PATIENCE_S
        while len(found := self.said(sentence)) < count:
            if self.process.poll() is not None or time.monotonic() > until_s:
                raise AssertionError(f"never said {sentence!r}: {self.log.read_text()[-2000:]}")
            time.sleep(0.02)
        return found[count - 1]

    def get(self, path: str) -> httpx.Response:
        url = self.wait_for("serves metrics")["url"]
        return httpx.get(f"{url}{path}", timeout=PATIENCE_S)

    def metric(self, name: str) -> float:
        """The sum of a metric over all its labels."""
        lines = self.get("/metrics").text.splitlines()
        found = [line for line in lines if line.startswith((f"{name}{{", f"{name} "))]
        return sum(float(line.rpartition(" ")[2]) for line in found)

    def end(self, number: signal.Signals = signal.SIGTERM) -> int:
        """Stop it, and wait for its exit code."""
        self.process.send_signal(number)
        return self.process.wait(PATIENCE_S)
