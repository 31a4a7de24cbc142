"""What is said of objects that don't fit their schema, in a real server's words."""

from typing import Any

import pytest

from tests.apiserver.custom.crontabs import CRONTABS, crontab, serving
from tests.apiserver.requests.client import Client


@pytest.fixture(scope="module")
def client() -> Client:
    return serving()


CASES: list[tuple[Any, str]] = [
    ({"replicas": "2"}, 'Invalid value: "string": {} in body must be of type integer: "string"'),
    ({"replicas": 0}, "Invalid value: 0: {} in body should be greater than or equal to 1"),
    ({"replicas": 11}, "Invalid value: 11: {} in body should be less than or equal to 10"),
    ({"ratio": 0.3}, "Invalid value: 0.3: {} in body should be a multiple of 0.5"),
    ({"mode": "c"}, 'Unsupported value: "c": supported values: "a", "b"'),
    ({"when": "x"}, 'Invalid value: "x": {} in body must be of type date-time: "x"'),
    ({"labels": {"a": "", "b": "", "c": ""}}, "Too many: 3: must have at most 2 items"),
    ({"set": []}, "Invalid value: 0: {} in body should have at least 1 items"),
    ({"image": "x"}, 'Invalid value: "x": {} in body should be at least 2 chars long'),
    ({"image": "x" * 21}, "Too long: may not be more than 20 bytes"),
    ({"image": None}, 'Invalid value: "null": {} in body must be of type string: "null"'),
    (
        {"port": True},
        'Invalid value: "boolean": {} in body must be of type integer,string: "boolean"',
    ),
]


@pytest.mark.parametrize(("spec", "why"), CASES)
def test_a_field(client: Client, spec: Any, why: str) -> None:
    answer = client.ask("POST", CRONTABS, crontab("b", **spec))
    (cause,) = answer.body["details"]["causes"]
    where = f"spec.{next(iter(spec))}"
    assert (cause["field"], cause["message"]) == (where, why.format(where))


@pytest.mark.parametrize(
    ("spec", "told"),
    [
        ({"set": ["a", "a"]}, 'spec.set[1]: Duplicate value: "a"'),
        ({"list": [{"name": "a"}] * 2}, 'spec.list[1]: Duplicate value: {"name":"a"}'),
        ({"list": [{}]}, "spec.list[0].name: Required value"),
        ({"template": {"kind": "X"}}, "spec.template.apiVersion: Required value"),
        (
            {"choice": {"p": "a", "q": "b"}},
            '<nil>: Invalid value: "": "spec.choice" must validate one and only one schema '
            "(oneOf). Found 2 valid alternatives",
        ),
    ],
)
def test_parts(client: Client, spec: Any, told: str) -> None:
    answer = client.ask("POST", CRONTABS, crontab("b", **spec))
    causes = answer.body["details"]["causes"]
    assert [f"{one['field']}: {one['message']}" for one in causes] == [told]


def test_what_fits(client: Client) -> None:
    spec = {"note": None, "port": "http", "addr": "10.0.0.1", "ratio": 1.5, "any": {"x": 1}}
    spec["when"] = "1970-01-01T00:00:00Z"
    assert client.ask("POST", CRONTABS, crontab("good", **spec)).code == 201
