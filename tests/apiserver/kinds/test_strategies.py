"""Strategies: how new objects and changes are prepared, as what is different in them afterwards."""

from collections.abc import Iterable, Iterator
from pathlib import Path
from random import Random
from typing import Any

import yaml

from podium.api.kinds.builtin_kinds import KINDS
from podium.apiserver.kinds.registration.registrations import registration_of
from podium.apiserver.kinds.registration.strategy import Creation
from tests.apiserver.transcripts import Case, Obj, assert_answers, changed

NOW_S = 1_000_000_000.0


def sample(_: str) -> Obj:
    return {"apiVersion": "v1", "metadata": {"name": "x", "uid": "u", "resourceVersion": "1"}}


def creation(*others: Obj) -> Creation:
    return Creation(NOW_S, Random(1), lambda: [*others])


def differences(new: Any, old: Any, path: str) -> Iterator[tuple[str, Any]]:
    if isinstance(new, dict) and isinstance(old, dict) and not any("." in key for key in new):
        for key in dict.fromkeys((*old, *new)):
            yield from differences(new.get(key), old.get(key), f"{path}.{key}" if path else key)
    elif new != old:
        yield path, new


def answer(case: Case) -> Iterable[str]:
    registration = registration_of(KINDS[case.kind])
    if case.changes:
        wanted, strategy = changed(case.obj, case.changes), registration.strategy
        prepare = strategy.subresources[case.subresource] if case.subresource else strategy.update
        prepared = prepare(wanted, case.obj, NOW_S)
    else:
        prepared = registration.prepared(case.obj, creation())
    text = yaml.safe_dump(
        dict(differences(prepared, case.obj, "")),
        default_flow_style=True,
        sort_keys=False,
        width=1_000,
    )
    return [text.strip()]


def test_objects_are_prepared_as_by_kube_apiserver() -> None:
    assert_answers(Path(__file__).with_name("strategies.txt"), sample, answer)


def test_services_get_addresses_and_ports() -> None:
    taken = {"spec": {"clusterIP": "10.96.0.1", "ports": [{"nodePort": 30000}]}}
    spec = {"type": "NodePort", "ports": [{"port": 80}, {"port": 81, "nodePort": 30001}]}
    create = registration_of(KINDS["Service"]).strategy.create
    service = create({**sample(""), "spec": spec}, creation(taken))["spec"]
    assert service["clusterIPs"] == [service["clusterIP"]]
    assert service["clusterIP"].split(".")[0] == "10"
    first, second = service["ports"]
    assert 30000 < first["nodePort"] < 32768
    assert second["nodePort"] == 30001
    assert create({**sample(""), "spec": spec}, creation(taken))["spec"] == service


def test_every_kind_with_a_status_keeps_it_apart() -> None:
    for kind in KINDS.values():
        registration = registration_of(kind)
        has_status = "status" in kind.subresources
        assert has_status is ("status" in registration.strategy.subresources)
