"""How annotations are read, and what is left to chance."""

import math
from random import Random

import pytest

from podium.kubelet.simulated.behaviour import (
    ENDLESS,
    Behaviour,
    BehaviourError,
    Script,
    ScriptedDuration,
    ScriptedDurationError,
    behaviour_of,
    fixed,
    node_behaviour_of,
    parse_scripted_duration,
)
from tests.kubelet.builders import Obj


def annotated(**annotations: str) -> Obj:
    scripted = {f"podium.dev/{key.replace('_', '-')}": v for key, v in annotations.items()}
    return {"metadata": {"name": "x", "annotations": scripted}}


@pytest.mark.parametrize(
    ("text", "span"),
    [
        ("0", fixed(0)),
        ("1m30s", fixed(90)),
        ("10s..1m", ScriptedDuration(10, 60)),
        ("~1m", ScriptedDuration(0, math.inf, 60)),
        ("forever", ENDLESS),
    ],
)
def test_spans_are_read(text: str, span: ScriptedDuration) -> None:
    assert parse_scripted_duration(text, "forever") == span


@pytest.mark.parametrize("text", ["", "soon", "-1s", "1m..10s", "1s..", "~0", "~", "10", "never"])
def test_what_is_no_span_is_told(text: str) -> None:
    with pytest.raises(ScriptedDurationError, match=r"must be a duration .*, or forever"):
        parse_scripted_duration(text, "forever")


def test_drawn_spans_are_as_written() -> None:
    rng = Random(1)
    uniform = [parse_scripted_duration("10s..20s").draw(rng) for _ in range(2000)]
    assert min(uniform) >= 10
    assert max(uniform) <= 20
    assert sum(uniform) / 2000 == pytest.approx(15, rel=0.02)
    exponential = [parse_scripted_duration("~1m").draw(rng) for _ in range(5000)]
    assert sum(exponential) / 5000 == pytest.approx(60, rel=0.05)


def test_annotations_go_over_defaults() -> None:
    defaults = Behaviour(startup=fixed(1), exit_code=7)
    found = behaviour_of(annotated(run_duration="5s", ready_after="never"), defaults)
    assert found == Behaviour(startup=fixed(1), exit_code=7, run=fixed(5), ready_after=ENDLESS)
    assert behaviour_of(annotated(), defaults) is defaults


@pytest.mark.parametrize(("key", "text"), [("startup", "never"), ("exit_code", "256")])
def test_each_faulty_annotation_is_named(key: str, text: str) -> None:
    with pytest.raises(BehaviourError) as caught:
        behaviour_of(annotated(**{key: text, "termination": "?"}))
    assert f"metadata.annotations[podium.dev/{key.replace('_', '-')}]" in str(caught.value)
    assert "metadata.annotations[podium.dev/termination]" in str(caught.value)


def test_nodes_are_up_and_healthy_unless_they_say_otherwise() -> None:
    assert node_behaviour_of(annotated()) == (False, {})
    said = annotated(down="true", conditions="Ready=False, DiskPressure=True")
    conditions = {"Ready": "False", "DiskPressure": "True"}
    assert node_behaviour_of(said) == (True, conditions)


@pytest.mark.parametrize("conditions", ["Ready", "Ready=no", "=True", "Ready=True,"])
def test_conditions_need_a_type_and_a_status(conditions: str) -> None:
    with pytest.raises(BehaviourError, match="must be TYPE=STATUS"):
        node_behaviour_of(annotated(conditions=conditions))


def test_what_is_drawn_does_not_depend_on_who_asks_when() -> None:
    behaviour = Behaviour(run=ScriptedDuration(0, 100), startup=ScriptedDuration(0, 100))
    one, other = Script(behaviour, "1/a"), Script(behaviour, "1/a")
    first = (one.startup_s(), one.run_s(0), one.run_s(1))
    assert first == (*reversed((other.run_s(1), other.run_s(0), other.startup_s())),)
    assert len(set(first)) == 3
    assert Script(behaviour, "1/b").run_s(0) != first[1]
