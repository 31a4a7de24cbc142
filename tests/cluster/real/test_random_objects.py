"""Random objects: what the real API server lets in, and what it refuses, Podium's does as well."""

from collections.abc import Iterator
from copy import deepcopy
from random import Random
from typing import Any

import httpx
import pytest

from podium.api.kinds.builtin_kinds import KINDS
from tests.apiserver.requests.client import Client
from tests.apiserver.validation.samples import VALID, an_object
from tests.cluster.real.control_plane import ControlPlane

NAMES = (
    "DaemonSet", "Deployment", "Job", "LimitRange", "Namespace", "Node", "PersistentVolume",
    "PersistentVolumeClaim", "Pod", "PodDisruptionBudget", "PriorityClass", "ReplicaSet",
    "ResourceQuota", "Service", "StatefulSet", "StorageClass",
)  # fmt: skip
TEXTS = ("", "UPPER", "a b", "x" * 300, "a.b/c", "a/b/c", "Always", "Never", "1", "-5%", "5.5", "ä")
NUMBERS = (-1, 0, 1, 65_536, 2**31 - 1)
OBJECTS_EACH = 100


def places(value: Any) -> Iterator[tuple[Any, Any]]:
    """All fields and entries of a value: what they are in, and their name or position there."""
    for key in value if isinstance(value, dict) else range(len(value)):
        yield value, key
        if isinstance(value[key], dict | list):
            yield from places(value[key])


def broken(random: Random, obj: dict[str, Any]) -> None:
    """Take a field away, or give it another value of its type."""
    within, key = random.choice([*places({f: v for f, v in obj.items() if isinstance(v, dict)})])
    value = within[key]
    if random.random() < 0.3 or isinstance(value, dict):
        del within[key]
    elif isinstance(value, list):
        value *= 2
    elif isinstance(value, str):
        within[key] = random.choice(TEXTS)
    elif type(value) is int:
        within[key] = random.choice(NUMBERS)


@pytest.mark.soak
@pytest.mark.parametrize("name", NAMES)
def test_both_let_in_the_same(control_plane: ControlPlane, name: str) -> None:
    assert name in VALID
    kind, ours, random = KINDS[name], Client(), Random(name)
    place = "namespaces/default/" if kind.namespaced else ""
    root = f"apis/{kind.api_version}" if kind.group else "api/v1"
    path = f"/{root}/{place}{kind.plural}?dryRun=All"
    for _ in range(OBJECTS_EACH):
        obj = deepcopy(an_object(name))
        for _ in range(random.choice((1, 1, 2))):
            broken(random, obj)
        try:
            theirs = control_plane.client.post(path, json=obj)
        except httpx.RemoteProtocolError:
            # It has broken down over it.
            continue
        code, answer = ours.ask_plainly("POST", path, obj, {"Content-Type": "application/json"})
        assert code == theirs.status_code, (obj, theirs.text, answer)
