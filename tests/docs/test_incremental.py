"""docs/incremental.md lists what notices a change; properties hold what the page promises."""

import ast
import re
from collections.abc import Iterator

import pytest

from podium.scheduler.scheduler import Scheduler
from tests import objects
from tests.conftest import ROOT


@pytest.mark.parametrize("uses_claim", [True, False])
def test_what_is_assumed_of_volumes_concerns_pods_with_claims_alone(uses_claim: bool) -> None:
    """Results of pods without claims, for which nothing changes, are kept."""
    scheduler = Scheduler()
    bound = {"annotations": {"pv.kubernetes.io/bind-completed": "yes"}}
    claim = {"name": "c", "namespace": "default", **bound}
    volume = {"kind": "PersistentVolume", "metadata": {"name": "v"}, "spec": {}}
    scheduler.load([objects.node("n")], [])
    scheduler.listers.set(volume)
    spec = {"volumeName": "v"}
    scheduler.listers.set({"kind": "PersistentVolumeClaim", "metadata": claim, "spec": spec})
    volumes = [{"name": "v", "persistentVolumeClaim": {"claimName": "c"}}] if uses_claim else []

    def filtering() -> object:
        evaluation = scheduler.decide(
            scheduler.pending(objects.pod("p", volumes=volumes))
        ).evaluation
        assert evaluation is not None
        return evaluation.filtering

    before = filtering()
    assert filtering() is before
    scheduler.listers.assume({**volume, "spec": {"claimRef": {"name": "c"}}})
    assert (filtering() is before) != uses_claim


def signals() -> Iterator[str]:
    """The counters and logs in core that others compare, as `Class.attribute`."""
    for file in (ROOT / "podium/scheduler").rglob("*.py"):
        for cls in ast.walk(ast.parse(file.read_text())):
            for node in ast.walk(cls) if isinstance(cls, ast.ClassDef) else ():
                is_set = isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store)
                if is_set and re.fullmatch(r"(?!_)\w*(epoch|log|restarts|stirs)", node.attr):
                    yield f"{cls.name}.{node.attr}"


def test_the_page_lists_every_signal() -> None:
    page = (ROOT / "docs/incremental.md").read_text()
    table = page.partition("## What notices a change")[2].partition("\n## ")[0]
    found = set(signals())
    assert "Snapshot.node_epoch" in found
    assert {signal for signal in found if f"| `{signal}`" not in table} == set()
