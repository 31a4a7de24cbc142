"""JSONPaths as definitions write them."""

from typing import Any

import pytest

from podium.apiserver.schema.json_paths import found_at, steps

OBJ = {
    "spec": {"a-b": 1, "list": [{"name": "x"}, {"name": "y"}]},
    "metadata": {"labels": {"app.io/name": "web"}},
    "status": {"conditions": [{"type": "Ready", "status": "True"}]},
}


@pytest.mark.parametrize(
    ("path", "found"),
    [
        (".spec.a-b", [1]),
        (".spec.list[*].name", ["x", "y"]),
        (".spec.list[1].name", ["y"]),
        (r".metadata.labels.app\.io/name", ["web"]),
        (r".metadata.labels['app\.io/name']", ["web"]),
        ('.status.conditions[?(@.type=="Ready")].status', ["True"]),
        (".spec.other.name", []),
        ("..name", ["x", "y"]),
        (".spec..name", ["x", "y"]),
        (r"..app\.io/name", ["web"]),
    ],
)
def test_a_path(path: str, found: list[Any]) -> None:
    assert found_at(OBJ, path) == found


def test_the_steps_of_a_simple_path() -> None:
    assert steps(".spec.replicas") == ("spec", "replicas")
    with pytest.raises(ValueError, match="without array notation"):
        steps(".spec.list[0].name")
