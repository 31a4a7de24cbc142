"""Selections: by labels, and by the fields that each kind can be selected by."""

from typing import Any

import pytest

from podium.api.kinds.builtin_kinds import KINDS
from podium.api.refused import RefusedError
from podium.apiserver.selection import ALL, parse_selection

POD: dict[str, Any] = {
    "metadata": {"name": "a", "namespace": "n", "labels": {"app": "web"}},
    "spec": {"nodeName": "node-1", "schedulerName": "default-scheduler"},
    "status": {"phase": "Pending", "podIPs": [{"ip": "10.0.0.1"}]},
}
EVENT: dict[str, Any] = {
    "metadata": {"name": "e", "namespace": "n"},
    "involvedObject": {"kind": "Pod", "name": "a"},
    "reason": "Scheduled",
    "type": "Normal",
    "reportingComponent": "default-scheduler",
}


def matches(kind: str, obj: dict[str, Any], labels: str, fields: str) -> bool:
    return parse_selection(KINDS[kind], labels, fields).matches(obj)


@pytest.mark.parametrize(
    ("labels", "fields", "expected"),
    [
        ("", "", True),
        ("app=web", "", True),
        ("app=db", "", False),
        ("", "metadata.name=a", True),
        ("", "metadata.name==a,metadata.namespace=n", True),
        ("", "metadata.name!=a", False),
        ("app=web", "metadata.name=b", False),
        ("", "spec.nodeName=node-1", True),
        ("", "spec.host=node-1", True),
        ("", "spec.nodeName=", False),
        ("", "status.phase!=Running,spec.schedulerName=default-scheduler", True),
        ("", "status.podIP=10.0.0.1", True),
        ("", "status.nominatedNodeName=", True),
        ("", "spec.hostNetwork=false", True),
        ("", ",,metadata.name=a,", True),
    ],
)
def test_pods(labels: str, fields: str, expected: bool) -> None:
    assert matches("Pod", POD, labels, fields) is expected


@pytest.mark.parametrize(
    ("kind", "obj", "fields"),
    [
        ("Node", {"spec": {"unschedulable": True}}, "spec.unschedulable=true"),
        ("Node", {}, "spec.unschedulable=false"),
        ("Namespace", {"status": {"phase": "Active"}}, "status.phase=Active"),
        ("Secret", {"type": "Opaque"}, "type=Opaque"),
        ("Job", {"status": {"succeeded": 2}}, "status.successful=2"),
        ("Job", {}, "status.successful=0"),
        ("ReplicationController", {}, "status.replicas=0"),
        ("Event", EVENT, "involvedObject.name=a,reason=Scheduled,source=default-scheduler"),
        ("Event", EVENT, "regarding.kind=Pod,reportingController=default-scheduler"),
        ("ConfigMap", {"metadata": {"name": "x=,y"}}, r"metadata.name=x\=\,y"),
    ],
)
def test_other_kinds(kind: str, obj: dict[str, Any], fields: str) -> None:
    obj = {"metadata": {"name": "x"}, **obj}
    assert matches(kind, obj, "", fields)
    assert not matches(kind, obj, "", f"{fields},metadata.name=another")


@pytest.mark.parametrize(
    ("kind", "labels", "fields", "message"),
    [
        ("Pod", "app===x", "", "unable to parse requirement: found '=', expected: identifier"),
        ("Pod", "", "spec.image=i", "field label not supported: spec.image"),
        ("Node", "", "metadata.namespace=n", "field label not supported: metadata.namespace"),
        (
            "ConfigMap",
            "",
            "data.x=1",
            '"data.x" is not a known field selector: only "metadata.name", "metadata.namespace"',
        ),
        ("Job", "", "spec.x=1", 'field label "spec.x" not supported for batchv1.Job'),
        ("Pod", "", "a", "invalid selector: 'a'; can't understand 'a'"),
        ("Pod", "", r"metadata.name=a\b", r"invalid field selector: invalid escape sequence: \b"),
        ("Pod", "", "metadata.name=a=b", "invalid field selector: unescaped character in value: ="),
    ],
)
def test_faults(kind: str, labels: str, fields: str, message: str) -> None:
    with pytest.raises(RefusedError) as caught:
        parse_selection(KINDS[kind], labels, fields)
    assert (caught.value.code, caught.value.message) == (400, message)


def test_no_selectors_select_everything() -> None:
    assert parse_selection(KINDS["Pod"], "", "") == ALL
    assert ALL.is_everything
    assert not parse_selection(KINDS["Pod"], "", "metadata.name=a").is_everything
