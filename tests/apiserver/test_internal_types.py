"""What is quoted of internal types is what kube-apiserver v1.36 quoted."""

import gzip
import json
from pathlib import Path
from typing import Any

import pytest

from podium.api.errors import FieldError
from podium.apiserver.internal_types import declared_types, difference, internal
from tests.objects import Obj


@pytest.fixture(scope="module")
def records(shared_conformance: Path) -> dict[str, list[Obj]]:
    with gzip.open(shared_conformance / "api" / "exchanges.jsonl.gz", "rt") as lines:
        return {record["id"]: record["steps"] for record in map(json.loads, lines)}


def changed(spec: Obj, path: str, value: Any) -> Obj:
    name, _, rest = path.partition("/")
    if name.isdigit():
        return [changed(spec[0], rest, value)]  # type: ignore[return-value,index]
    return {**spec, name: changed(spec[name], rest, value) if rest else value}


@pytest.mark.parametrize(
    ("step", "path", "value"),
    [
        (1, "nodeName", "n"),
        (2, "containers/0/resources/requests/cpu", "2"),
        (4, "terminationGracePeriodSeconds", 5),
    ],
)
def test_pod_specs(records: dict[str, list[Obj]], step: int, path: str, value: Any) -> None:
    steps = records["update/immutable"]
    spec = steps[0]["response"]["body"]["spec"]
    found = difference(internal("PodSpec", spec), internal("PodSpec", changed(spec, path, value)))
    assert steps[step]["response"]["body"]["message"].endswith(f"\n{found}")


def test_values(records: dict[str, list[Obj]]) -> None:
    (both,) = records["budget/both"]
    spec = both["request"]["body"]["spec"]
    value = internal("PodDisruptionBudgetSpec", spec)
    message = "minAvailable and maxUnavailable cannot be both set"
    assert str(FieldError("spec", value, message)) in both["response"]["body"]["message"]
    taints = records["node/create"][1]
    taint = taints["request"]["body"]["spec"]["taints"][1]
    quoted = json.dumps(internal("Taint", taint), separators=(",", ":"))
    assert quoted in taints["response"]["body"]["message"]


def test_all_types_that_are_named_are_there() -> None:
    simple = ("string", "int", "bool", "raw", "map", "Quantity", "Quantities")
    known = {*declared_types(), *simple, "ObjectMeta", "LabelSelector"}
    for name, fields in declared_types().items():
        for field in fields:
            kind = field.removeprefix("+") if "+" in field else field.partition(":")[2]
            assert (kind.removeprefix("[]").removeprefix("*") or "string") in known, (name, field)
        assert list(internal(name, {})) or name == "ObjectMeta"


@pytest.mark.parametrize(
    ("title", "name"),
    [
        ("DNSPolicy", "dnsPolicy"),
        ("SELinuxOptions", "seLinuxOptions"),
        ("HostPID", "hostPID"),
        ("TTY", "tty"),
        ("AWSElasticBlockStore", "awsElasticBlockStore"),
        ("FSGroup", "fsGroup"),
        ("TargetWWNs", "targetWWNs"),
        ("Name", "name"),
        ("OS", "os"),
        ("HTTPGet", "httpGet"),
        ("PDName", "pdName"),
        ("VolumeID", "volumeID"),
    ],
)
def test_names(title: str, name: str) -> None:
    types = declared_types().items()
    holder = next(t for t, fields in types if any(x.split(":")[0] == title for x in fields))
    present = ["there"] if title.endswith("s") and title != "SELinuxOptions" else {}
    assert internal(holder, {name: present})[title] is not None
    assert not internal(holder, {})[title]
