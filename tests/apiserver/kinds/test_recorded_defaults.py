"""Defaulting fills in what kube-apiserver v1.36 filled in."""

from typing import Any

import pytest

from podium.apiserver.kinds.registration.registrations import apply_defaults

VOLATILE = {
    "creationTimestamp",
    "generation",
    "managedFields",
    "namespace",
    "resourceVersion",
    "uid",
}


def plain(value: Any) -> Any:
    if isinstance(value, dict):
        fields = {name: plain(entry) for name, entry in value.items() if name not in VOLATILE}
        return {name: entry for name, entry in fields.items() if entry not in (None, {}, [])}
    return [plain(entry) for entry in value] if isinstance(value, list) else value


@pytest.mark.parametrize(
    ("kind", "parts"),
    [
        ("Deployment", ("spec",)),
        ("ReplicaSet", ("spec",)),
        ("PodDisruptionBudget", ("spec",)),
        ("PriorityClass", ("value", "preemptionPolicy", "globalDefault")),
        ("RuntimeClass", ("handler", "overhead", "scheduling")),
    ],
)
def test_objects_become_what_they_became(
    creations: list[Any], kind: str, parts: tuple[str, ...]
) -> None:
    compared = 0
    for exchange in creations:
        if exchange.code == 201 and exchange.obj["kind"] == kind:
            found = apply_defaults(exchange.obj)
            for part in parts:
                expected = plain(exchange.answer.get(part))
                assert plain(found.get(part)) == expected, exchange.scenario
            compared += 1
    assert compared


def test_what_came_back_is_complete(creations: list[Any]) -> None:
    created = [exchange for exchange in creations if exchange.code == 201]
    assert len(created) > 60
    for exchange in created:
        answer = exchange.answer
        assert plain(apply_defaults(answer)) == plain(answer), exchange.scenario
