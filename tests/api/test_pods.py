"""What is absent, null or empty in a pod spec is read alike."""

from collections.abc import Callable
from typing import Any

import pytest

from podium.api.pods import (
    affinity_of,
    all_containers_of,
    containers_of,
    init_containers_of,
    limits_of,
    node_affinity_of,
    requests_of,
    resources_of,
    tolerations_of,
    volumes_of,
)

_RESOURCES = {"requests": {"cpu": "1"}, "limits": {"cpu": "2"}}
_ONE, _OTHER = {"name": "one"}, {"name": "other"}
_SPEC = {
    "containers": [_ONE],
    "initContainers": [_OTHER],
    "volumes": [_ONE],
    "tolerations": [{"key": "k"}],
    "affinity": {"nodeAffinity": {"x": 1}},
    "resources": _RESOURCES,
}


@pytest.mark.parametrize(
    ("read", "found"),
    [
        (containers_of, [_ONE]),
        (init_containers_of, [_OTHER]),
        (all_containers_of, [_ONE, _OTHER]),
        (volumes_of, [_ONE]),
        (tolerations_of, [{"key": "k"}]),
        (affinity_of, {"nodeAffinity": {"x": 1}}),
        (node_affinity_of, {"x": 1}),
        (resources_of, _RESOURCES),
        (requests_of, {"cpu": "1"}),
        (limits_of, {"cpu": "2"}),
    ],
)
def test_parts_of_a_pod_spec(read: Callable[[Any], Any], found: Any) -> None:
    assert read(_SPEC) == found
    assert read({}) == read(dict.fromkeys(_SPEC)) == type(read({}))()
