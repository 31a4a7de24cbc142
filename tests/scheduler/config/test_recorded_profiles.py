"""The recorded decisions' own profiles: each loads, and has the plugins that the record shows."""

import gzip
import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from podium.scheduler.config.args import API_VERSION
from podium.scheduler.config.defaults import DEFAULT_PLUGIN_NAMES
from podium.scheduler.config.document import KIND, ExtensionPoint
from podium.scheduler.config.expansion import Expanded, check_expanded, expand
from podium.scheduler.config.load import load_configuration

FILES = [
    "tables/tables",
    *(f"differential/{name}" for name in ("config", "large", "mixed", "odd", "basic")),
]

# Of v1.36's plugins: the points at which a record can show them.
SHOWN_AT: Mapping[ExtensionPoint, frozenset[str]] = {
    ExtensionPoint.QUEUE_SORT: frozenset({"PrioritySort"}),
    ExtensionPoint.BIND: frozenset({"DefaultBinder"}),
    ExtensionPoint.FILTER: frozenset(
        {
            "NodeUnschedulable",
            "NodeName",
            "TaintToleration",
            "NodeAffinity",
            "NodePorts",
            "NodeResourcesFit",
            "VolumeRestrictions",
            "NodeVolumeLimits",
            "VolumeBinding",
            "VolumeZone",
            "PodTopologySpread",
            "InterPodAffinity",
            "DynamicResources",
            "NodeDeclaredFeatures",
        }
    ),
    ExtensionPoint.SCORE: frozenset(
        {
            "TaintToleration",
            "NodeAffinity",
            "NodeResourcesFit",
            "VolumeBinding",
            "PodTopologySpread",
            "InterPodAffinity",
            "DynamicResources",
            "NodeResourcesBalancedAllocation",
            "ImageLocality",
        }
    ),
}


def implements(plugin: str, point: ExtensionPoint) -> bool:
    return plugin in SHOWN_AT.get(point, DEFAULT_PLUGIN_NAMES)


def expansion(scenario: Mapping[str, Any]) -> Expanded:
    profile = scenario.get("profile") or {}
    first, *others = profile.get("profiles") or [{}]
    config = [*first.get("pluginConfig", []), *(scenario.get("pluginConfig") or [])]
    profiles = [first | {"pluginConfig": config}, *others]
    document = {"apiVersion": API_VERSION, "kind": KIND, **profile, "profiles": profiles}
    configuration = load_configuration([document], DEFAULT_PLUGIN_NAMES).configuration
    expanded = [(p, expand(p.plugins, implements)) for p in configuration.profiles]
    check_expanded(expanded)
    return expanded[0][1]


def records(path: Path) -> Iterator[dict[str, Any]]:
    with gzip.open(path, "rt") as lines:
        yield from map(json.loads, lines)


@pytest.mark.parametrize("name", FILES)
def test_recorded_profiles(shared_conformance: Path, name: str) -> None:
    verdicts_seen = scores_seen = 0
    for record in records(shared_conformance / f"{name}.jsonl.gz"):
        expanded = expansion(record["input"])
        filters = expanded[ExtensionPoint.FILTER].keys()
        weights = expanded[ExtensionPoint.SCORE]
        for decision in record["output"]["decisions"] or ():
            verdicts = {verdict["plugin"] for verdict in (decision.get("filter") or {}).values()}
            # A node that PreFilter left out is rejected by no plugin in particular.
            assert verdicts <= {*filters, ""}
            verdicts_seen += len(verdicts)
            for scores in (decision.get("scores") or {}).values():
                plugins = scores.keys() - {"total"}
                assert plugins <= weights.keys()
                assert all(scores[plugin] % weights[plugin] == 0 for plugin in plugins)
                scores_seen += len(plugins)
    assert verdicts_seen
    assert scores_seen
