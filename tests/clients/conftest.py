"""A cluster for clients that are written in Python."""

from collections.abc import Iterator
from typing import Any

import pytest

from podium import Cluster


@pytest.fixture(scope="module")
def cluster() -> Iterator[Cluster]:
    """A cluster whose time passes ten times as fast."""
    with Cluster(nodes=2, speed="10x") as running:
        yield running


def pod(name: str, app: str) -> dict[str, Any]:
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": name, "labels": {"app": app}},
        "spec": {"containers": [{"name": "c", "image": "i"}], "terminationGracePeriodSeconds": 1},
    }


def budget(app: str, min_available: int) -> dict[str, Any]:
    return {
        "apiVersion": "policy/v1",
        "kind": "PodDisruptionBudget",
        "metadata": {"name": app},
        "spec": {"minAvailable": min_available, "selector": {"matchLabels": {"app": app}}},
    }
