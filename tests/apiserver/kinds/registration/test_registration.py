"""A kind that nobody knew: one Registration, and the API server handles it."""

import re
from random import Random
from typing import Any

import pytest

from podium.api.errors import FieldError, RefusedError
from podium.api.kinds.builtin_kinds import KINDS, Kind
from podium.apiserver.attributes import Attributes
from podium.apiserver.kinds.registration import registration, strategy
from podium.apiserver.kinds.registration.defaulting import filled, inside
from podium.apiserver.kinds.registration.registration import Registration, text
from podium.apiserver.kinds.registration.registrations import REGISTRATIONS, registration_of
from podium.apiserver.kinds.tables.columns import column_definitions, row_of
from podium.apiserver.selection import parse_selection
from podium.apiserver.server import ApiServer
from podium.apiserver.store.store import Store
from podium.apiserver.validation import checks
from podium.apiserver.validation.names import object_meta

KIND = Kind("example.com", "Widget", "widgets", subresources=("status",))
VALID = checks.fields(
    metadata=object_meta(), spec=checks.needed(checks.fields(size=checks.integer(1)))
)
WIDGET = Registration(
    kind=KIND,
    defaults=lambda obj: inside(obj, spec=lambda spec: filled(spec, size=3, color="red")),
    validate=VALID,
    words="status reset counts=spec immutable=spec.color",
    selectable={"spec.color": text("spec.color")},
)
NOW_S = 1_000.0


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> ApiServer:
    monkeypatch.setitem(REGISTRATIONS, KIND.key, WIDGET)
    made = ApiServer(Store(), Random(0))
    made.bootstrap(NOW_S)
    return made


def write(name: str = "a", subresource: str = "") -> Attributes:
    return Attributes(KIND, "default", name, NOW_S, subresource)


def created(server: ApiServer, **spec: Any) -> Any:
    return server.create(write(""), {"metadata": {"name": "a"}, "spec": spec})


def test_it_is_completed_prepared_and_judged(server: ApiServer) -> None:
    made = created(server, size=7)
    assert made["spec"] == {"size": 7, "color": "red"}
    assert (made["status"], made["metadata"]["generation"]) == ({}, 1)
    with pytest.raises(RefusedError, match=r"spec\.size: Invalid value: 0"):
        created(server, size=0)


def test_its_changes_are_prepared_and_judged(server: ApiServer) -> None:
    made = created(server)
    grown = {**made, "spec": {**made["spec"], "size": 4}, "status": {"shown": 9}}
    changed = server.replace(write(), grown).obj
    assert (changed["status"], changed["metadata"]["generation"]) == ({}, 2)
    shown = server.replace(write(subresource="status"), {**changed, "status": {"shown": 4}}).obj
    assert (shown["status"], shown["spec"]["size"]) == ({"shown": 4}, 4)
    with pytest.raises(RefusedError, match=r"spec\.color: Invalid value"):
        server.replace(write(), {**shown, "spec": {"size": 4, "color": "blue"}})


def test_it_is_printed_and_selected(server: ApiServer) -> None:
    made = created(server, size=7)
    assert row_of(KIND, made, NOW_S) == {"cells": ["a", "0s"]}
    assert [column["name"] for column in column_definitions(KIND)] == ["Name", "Age"]
    assert parse_selection(KIND, "", "spec.color=red").matches(made)
    assert not parse_selection(KIND, "", "spec.color!=red").matches(made)
    with pytest.raises(RefusedError, match=r"not supported: spec\.size"):
        parse_selection(KIND, "", "spec.size=7")


def test_a_kind_without_a_registration_of_its_own_is_handled_as_any_other() -> None:
    plain = registration_of(KINDS["ResourceClaim"])
    assert list(plain.validate({"metadata": {"name": "x"}, "spec": {"whatever": 1}}, "")) == []
    (fault,) = plain.validate({"metadata": {"name": "x", "labels": {"a b": "c"}}}, "")
    assert isinstance(fault, FieldError)
    assert fault.field == "metadata.labels"


def test_names_of_roles_are_parts_of_paths() -> None:
    role = registration_of(KINDS["ClusterRole"])
    assert list(role.validate({"metadata": {"name": "system:node"}}, "")) == []
    (fault,) = role.validate({"metadata": {"name": "a/b"}}, "")
    assert fault.message == "may not contain '/'"


def test_each_word_of_a_kind_is_explained() -> None:
    explained = set(
        re.findall(r"(?m)^    ([a-z-]+)", f"{strategy.__doc__}\n{registration.__doc__}")
    )
    words = {word for line in registration.words_of_kinds().values() for word in line.split()}
    assert words
    assert {word.partition("=")[0] for word in words} <= explained
    assert registration.words_of_kinds().keys() <= REGISTRATIONS.keys()
