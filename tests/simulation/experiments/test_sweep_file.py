"""Sweep files: what they hold, and how faults are told."""

import json
from pathlib import Path
from typing import Any

import pytest

from podium.api.errors import PodiumError
from podium.simulation.experiments.sweep.sweep_file import Sweep, read_sweep

SETTING = {"name": "n", "path": "spec.nodes[0].count", "values": [1, 2]}


def read(directory: Path, **spec: Any) -> Sweep:
    file = directory / "sweep.yaml"
    document = {"apiVersion": "podium.dev/v1alpha1", "kind": "Sweep", "spec": spec}
    file.write_text(json.dumps(document))
    return read_sweep(str(file))


def test_a_grid_has_all_combinations(tmp_path: Path) -> None:
    other = {"path": "spec.until", "range": {"from": 10, "to": 30, "step": 10, "text": "{}s"}}
    sweep = read(tmp_path, scenarios=["s"], seeds=2, firstSeed=5, settings=[SETTING, other])
    assert list(sweep.seeds) == [5, 6]
    assert len(sweep.grid()) == 6
    assert sweep.grid()[1] == {"n": 1, "spec.until": "20s"}


def test_ranges_of_fractions(tmp_path: Path) -> None:
    one = {"path": "spec.x", "range": {"from": 0.1, "to": 0.4, "step": 0.1}}
    sweep = read(tmp_path, scenarios=["s"], settings=[one])
    assert [row["spec.x"] for row in sweep.grid()] == [0.1, 0.2, 0.3, 0.4]


@pytest.mark.parametrize(
    ("spec", "told"),
    [
        ({"scenarios": [], "settings": [SETTING]}, "spec.scenarios"),
        ({"scenarios": ["s"], "settings": []}, "spec.settings"),
        ({"scenarios": ["s"], "settings": [SETTING, SETTING]}, "spec.settings[1].name"),
        ({"scenarios": ["s"], "settings": [{"path": "a..b", "values": [1]}]}, "settings[0].path"),
        ({"scenarios": ["s"], "settings": [{"path": "a"}]}, "either values or range"),
        (
            {"scenarios": ["s"], "settings": [{"path": "a", "range": {"from": 1, "to": 2}}]},
            "settings[0].range.step",
        ),
        (
            {"scenarios": ["s"], "settings": [{"path": "a", "range": {"from": 2, "to": 1}}]},
            "settings[0].range.to",
        ),
        ({"scenarios": ["s"], "settings": [SETTING], "search": {"trials": 3}}, "spec.objective"),
        (
            {"scenarios": ["s"], "settings": [SETTING], "objective": {"minimize": "luck"}},
            "measures are pods, preempted",
        ),
        ({"scenarios": ["s"], "settings": [SETTING], "seeds": 1_000_000}, "at most 1000000 runs"),
    ],
)
def test_faults_name_the_field(tmp_path: Path, spec: dict[str, Any], told: str) -> None:
    with pytest.raises(PodiumError) as caught:
        read(tmp_path, **spec)
    assert told in str(caught.value)
    assert "sweep.yaml: " in str(caught.value)
