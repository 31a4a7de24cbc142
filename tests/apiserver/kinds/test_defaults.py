"""Defaults by example and as recorded: what is filled in and what stays."""

import copy
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from podium.api.kinds.builtin_kinds import ALL_KINDS
from podium.apiserver.kinds.registration.registrations import apply_defaults, completed
from tests.apiserver.transcripts import Case, Obj, assert_answers
from tests.apiserver.validation.samples import an_object

DEFAULTS = Path(__file__).with_name("defaults.txt")


def filled_in(before: Any, after: Any, path: str = "") -> Iterator[tuple[str, str]]:
    """The paths of fields that differ, and their new values as YAML."""
    if isinstance(before, dict) and isinstance(after, dict):
        for field, value in after.items():
            yield from filled_in(before.get(field), value, f"{path}.{field}".removeprefix("."))
        yield from ((f"{path}.{field}", "gone") for field in before if field not in after)
    elif isinstance(before, list) and isinstance(after, list) and len(before) == len(after):
        for index, (old, new) in enumerate(zip(before, after, strict=True)):
            yield from filled_in(old, new, f"{path}[{index}]")
    elif before != after:
        yield path, yaml.safe_dump(after, default_flow_style=True, width=1_000).splitlines()[0]


def test_the_defaults_of_kube_apiserver_are_filled_in() -> None:
    usual: dict[str, dict[str, str]] = {}

    def answer(case: Case) -> Iterable[str]:
        filled = dict(filled_in(case.obj, completed(ALL_KINDS[case.kind], case.obj)))
        # The first object of a kind shows what all of them get; others, what they get besides it.
        known = usual.get(case.kind, {})
        usual.setdefault(case.kind, filled)
        more = [f"{path}: {text}" for path, text in filled.items() if known.get(path) != text]
        less = [f"{path} is left as it is" for path in known if path not in filled]
        return [*more, *less] or ["nothing else"]

    assert_answers(DEFAULTS, an_object, answer)


quantities = st.sampled_from(["1", "500m", "1Gi", "1500u"])
resource_lists = st.dictionaries(st.sampled_from(["cpu", "memory", "hugepages-2Mi"]), quantities)
requirements = st.fixed_dictionaries(
    {}, optional={"limits": resource_lists, "requests": resource_lists}
)
containers = st.fixed_dictionaries(
    {"name": st.just("c")},
    optional={
        "image": st.sampled_from(["i", "i:v1"]),
        "resources": requirements,
        "ports": st.lists(st.just({"containerPort": 80}), max_size=2),
        "readinessProbe": st.just({"httpGet": {"port": 80}}),
    },
)
pods = st.builds(
    lambda containers, spec: {
        "kind": "Pod",
        "metadata": {"labels": {"rev": "1"}},
        "spec": {"containers": containers, **spec},
    },
    st.lists(containers, min_size=1, max_size=2),
    st.fixed_dictionaries(
        {},
        optional={
            "resources": requirements,
            "hostNetwork": st.booleans(),
            "volumes": st.lists(st.sampled_from([{"name": "v"}, {"name": "v", "secret": {}}])),
            "topologySpreadConstraints": st.just(
                [{"labelSelector": {}, "matchLabelKeys": ["rev"]}]
            ),
        },
    ),
)


@given(pods)
def test_filling_in_touches_nothing_and_is_done_once(given: Obj) -> None:
    before = copy.deepcopy(given)
    filled = apply_defaults(given)
    assert given == before
    assert apply_defaults(filled) is filled


def test_unknown_kinds_come_back_as_they_are() -> None:
    odd = {"kind": "ConfigMap"}
    assert apply_defaults(odd) is odd


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
