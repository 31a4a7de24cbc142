"""The API in process against recorded exchanges of kube-apiserver v1.36.2."""

import pytest

from tests.conformance.exchanges import missing, play, records

EXCHANGES = list(records())


@pytest.mark.parametrize("exchange", EXCHANGES, ids=[one["id"] for one in EXCHANGES])
def test_answers_are_as_recorded(exchange):
    differences = play(exchange)
    assert not differences, differences[0]


def test_an_answer_that_is_not_as_recorded_is_noticed():
    (exchange,) = (one for one in EXCHANGES if one["id"] == "class/never")
    recorded = exchange["steps"][0]["response"]
    forged = {**recorded, "body": {**recorded["body"], "value": 1}}
    changed = {**exchange["steps"][0], "response": forged}
    (difference,) = play({**exchange, "steps": [changed, *exchange["steps"][1:]]})
    assert (difference.step, difference.path) == (0, "body.value")


@pytest.mark.parametrize(
    ("recorded", "answered", "path"),
    [
        ({"a": 1}, {"a": 1, "b": 2}, None),
        ({"a": 1}, {"a": 2}, "body.a"),
        ({"a": 1}, {}, "body.a"),
        ({"a": {}}, {}, None),
        ({"a": {}}, {"a": {"b": 1}}, None),
        ({"a": [1, 2]}, {"a": [1]}, "body.a.length"),
        ({"a": [1, {"b": 2}]}, {"a": [1, {"b": 3}]}, "body.a[1].b"),
        ("text", "other", "body"),
    ],
)
def test_what_counts_as_a_difference(recorded, answered, path):
    found = missing(recorded, answered, "body")
    assert (found and found[0]) == path
