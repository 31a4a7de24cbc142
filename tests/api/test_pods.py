"""What is absent, null or empty in a pod spec is read alike."""

from collections.abc import Callable
from typing import Any

import pytest

from podium.api import pods

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
        (pods.containers_of, [_ONE]),
        (pods.init_containers_of, [_OTHER]),
        (pods.all_containers_of, [_ONE, _OTHER]),
        (pods.volumes_of, [_ONE]),
        (pods.tolerations_of, [{"key": "k"}]),
        (pods.affinity_of, {"nodeAffinity": {"x": 1}}),
        (pods.node_affinity_of, {"x": 1}),
        (pods.resources_of, _RESOURCES),
        (pods.requests_of, {"cpu": "1"}),
        (pods.limits_of, {"cpu": "2"}),
    ],
)
def test_parts_of_a_pod_spec(read: Callable[[Any], Any], found: Any) -> None:
    assert read(_SPEC) == found
    assert read({}) == read(dict.fromkeys(_SPEC)) == type(read({}))()
