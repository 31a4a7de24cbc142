"""Small scenarios for experiments."""

import json
from pathlib import Path
from typing import Any

from podium.simulation.experiments.whole_scenario import WholeScenario, read_whole_scenario

HEADER = {"apiVersion": "podium.dev/v1alpha1", "kind": "Scenario"}


def whole(directory: Path, **spec: Any) -> WholeScenario:
    """A scenario as its file says it."""
    file = directory / "s.yaml"
    file.write_text(json.dumps({**HEADER, "spec": spec}))
    return read_whole_scenario(str(file), 10_000)


def nodes(count: int = 1, cpu: str = "4", **more: Any) -> list[dict[str, Any]]:
    return [{"name": "n", "count": count, "capacity": {"cpu": cpu, "memory": "8Gi"}, **more}]
