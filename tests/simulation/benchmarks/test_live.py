"""Small measurements of a running cluster: that they come about, not how fast it is."""

import asyncio

from podium.api.documents.report import plain
from podium.simulation.benchmarks.live.measurements import Sizes, measure
from podium.simulation.benchmarks.results import Measurement

SIZES = Sizes(
    creations=20, bindings=20, nodes=3, node_watches=2, watches=2, large_nodes=2, large_pods=10
)


def test_everything_is_measured() -> None:
    told = list[str]()
    found = asyncio.run(measure(SIZES, told.append))
    assert told == ["creations in memory", "creations with SQLite", "bindings", "memory"]
    assert [one.unit for one in found] == ["1/s", "1/s", "1/s", "s", "s", "MiB"]
    assert all(one.value > 0 for one in found if one.unit != "s")
    assert all(0 <= one.value < 10 for one in found if one.unit == "s")


def test_the_public_form_leaves_out_what_was_not_measured() -> None:
    assert plain(Measurement("m", 1.23456, "s", "at most 1")) == {
        "name": "m",
        "value": 1.235,
        "unit": "s",
        "goal": "at most 1",
    }
    assert plain(Measurement("m", 1.0, "1/s", "", 0.456))["processorShare"] == 0.46
