"""Objects that don't fit the schema of their definition are refused, by the field at fault."""

from typing import Any

import pytest

from tests.apiserver.custom_resources.crontabs import CRONTABS, crontab, serving
from tests.apiserver.requests.client import Client


@pytest.fixture(scope="module")
def client() -> Client:
    return serving()


@pytest.mark.parametrize(
    ("spec", "field"),
    [
        ({"replicas": "2"}, "spec.replicas"),
        ({"replicas": 0}, "spec.replicas"),
        ({"replicas": 11}, "spec.replicas"),
        ({"ratio": 0.3}, "spec.ratio"),
        ({"mode": "c"}, "spec.mode"),
        ({"when": "x"}, "spec.when"),
        ({"labels": {"a": "", "b": "", "c": ""}}, "spec.labels"),
        ({"set": []}, "spec.set"),
        ({"set": ["a", "a"]}, "spec.set[1]"),
        ({"image": "x"}, "spec.image"),
        ({"image": "x" * 21}, "spec.image"),
        ({"image": None}, "spec.image"),
        ({"port": True}, "spec.port"),
        ({"list": [{"name": "a"}] * 2}, "spec.list[1]"),
        ({"list": [{}]}, "spec.list[0].name"),
        ({"template": {"kind": "X"}}, "spec.template.apiVersion"),
        ({"choice": {"p": "a", "q": "b"}}, "<nil>"),
    ],
)
def test_a_fault_names_its_field(client: Client, spec: Any, field: str) -> None:
    answer = client.ask("POST", CRONTABS, crontab("b", **spec))
    assert answer.code == 422
    assert [cause["field"] for cause in answer.body["details"]["causes"]] == [field]


def test_what_fits(client: Client) -> None:
    spec = {"note": None, "port": "http", "addr": "10.0.0.1", "ratio": 1.5, "any": {"x": 1}}
    spec["when"] = "1970-01-01T00:00:00Z"
    assert client.ask("POST", CRONTABS, crontab("good", **spec)).code == 201
