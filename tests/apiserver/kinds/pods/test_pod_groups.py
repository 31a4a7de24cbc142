"""PodGroups and Workloads, as kube-apiserver v1.36.2 with their gates answers."""

from random import Random
from typing import Any

import pytest

from podium.api.kinds.builtin_kinds import (
    OPTIONAL_KINDS,
    POD_GROUP,
    POD_GROUP_OF_PLUGINS,
    WORKLOAD,
    Kind,
)
from podium.api.refused import RefusedError
from podium.apiserver.attributes import Attributes
from podium.apiserver.decoding import PatchType
from podium.apiserver.kinds.registration.registrations import validate
from podium.apiserver.kinds.tables.columns import row_of
from podium.apiserver.server import ApiOptions, ApiServer, PatchRequest
from podium.apiserver.store.store import Store
from tests.apiserver.validation.samples import an_object

Obj = dict[str, Any]

POLICY: Obj = {"gang": {"minCount": 2}}
ONE_OF = "must specify one of: `basic`, `gang`"
TEMPLATE: Obj = {"name": "t", "schedulingPolicy": {"basic": {}}}


@pytest.mark.parametrize(
    ("kind", "path", "value", "answer"),
    [
        (
            POD_GROUP,
            "spec.schedulingPolicy",
            {},
            f'spec.schedulingPolicy: Invalid value: "": {ONE_OF}',
        ),
        (
            POD_GROUP,
            "spec.schedulingPolicy",
            None,
            f'spec.schedulingPolicy: Invalid value: "": {ONE_OF}',
        ),
        (
            POD_GROUP,
            "spec.schedulingPolicy.basic",
            {},
            'spec.schedulingPolicy: Invalid value: "{basic, gang}": '
            "must specify exactly one of: `basic`, `gang`",
        ),
        (
            POD_GROUP,
            "spec.schedulingPolicy.gang.minCount",
            0,
            "spec.schedulingPolicy.gang.minCount: Required value",
        ),
        (
            POD_GROUP,
            "spec.schedulingPolicy.gang.minCount",
            -1,
            "spec.schedulingPolicy.gang.minCount: Invalid value: -1: "
            "must be greater than or equal to 1",
        ),
        (
            POD_GROUP,
            "spec.disruptionMode",
            "Foo",
            'spec.disruptionMode: Unsupported value: "Foo": supported values: "Pod", "PodGroup"',
        ),
        (
            POD_GROUP,
            "spec.podGroupTemplateRef",
            {},
            'spec.podGroupTemplateRef: Invalid value: "": must specify one of: `workload`',
        ),
        (WORKLOAD, "spec.podGroupTemplates", [], "spec.podGroupTemplates: Required value"),
        (
            WORKLOAD,
            "spec.podGroupTemplates",
            [{**TEMPLATE, "name": f"t{number}"} for number in range(9)],
            "spec.podGroupTemplates: Too many: 9: must have at most 8 items",
        ),
        (
            WORKLOAD,
            "spec.controllerRef",
            {"kind": "Job"},
            "spec.controllerRef.name: Required value",
        ),
    ],
)
def test_faults_are_told_in_its_words(kind: Kind, path: str, value: Any, answer: str) -> None:
    assert [str(one) for one in validate(an_object(kind.key, path, value))] == [answer]


def test_templates_have_names_of_their_own() -> None:
    twice = an_object(WORKLOAD.key, "spec.podGroupTemplates", [TEMPLATE, TEMPLATE])
    (fault,) = validate(twice)
    assert str(fault).startswith("spec.podGroupTemplates[1]: Duplicate value: ")


def server(*kinds: Kind) -> ApiServer:
    found = ApiServer(Store(), Random(1), ApiOptions(kinds=kinds))
    found.bootstrap(0.0)
    return found


def created(api: ApiServer, kind: Kind, obj: Obj) -> Obj:
    return dict(api.create(Attributes(kind, "default", "", 0.0), obj))


def test_the_priority_of_a_group_follows_from_its_class() -> None:
    api = server(*OPTIONAL_KINDS.values())
    plain = created(api, POD_GROUP, an_object(POD_GROUP.key))
    assert plain["spec"] == {"schedulingPolicy": POLICY, "disruptionMode": "Pod", "priority": 0}
    with pytest.raises(RefusedError) as refused:
        created(api, POD_GROUP, an_object(POD_GROUP.key, "spec.priority", 5))
    assert refused.value.message == (
        'podgroups.scheduling.k8s.io "x" is forbidden: priority set in the pod group (5) must '
        "match the priority computed (0) based on the priority class set in the spec"
    )
    named = an_object(POD_GROUP.key, "spec.priorityClassName", "nope")
    with pytest.raises(RefusedError, match="no PriorityClass with name nope was found"):
        created(api, POD_GROUP, named)


@pytest.mark.parametrize(
    "change", [{"schedulingPolicy": {"gang": {"minCount": 3}}}, {"disruptionMode": "PodGroup"}]
)
def test_a_group_stays_what_it_is(change: Obj) -> None:
    api = server(*OPTIONAL_KINDS.values())
    created(api, POD_GROUP, an_object(POD_GROUP.key))
    (field,) = change
    request = PatchRequest(PatchType.MERGE, {"spec": change})
    with pytest.raises(RefusedError, match=f"spec.{field}: Invalid value: .*field is immutable"):
        api.patch(Attributes(POD_GROUP, "default", "x", 0.0), request)


def test_only_who_is_asked_to_serves_them() -> None:
    api = server(POD_GROUP_OF_PLUGINS)
    assert api.kinds.of(an_object(POD_GROUP.key)) is None
    assert api.kinds.of(an_object(POD_GROUP_OF_PLUGINS.key)) is POD_GROUP_OF_PLUGINS
    assert "scheduling.x-k8s.io" in api.kinds.groups
    assert api.kinds.groups["scheduling.k8s.io"] == ("v1",)


def test_a_table_shows_policy_and_status() -> None:
    group = {**an_object(POD_GROUP.key), "status": {}}
    assert row_of(POD_GROUP, group, 0.0)["cells"][:4] == ["x", "Gang", "<none>", "Pending"]
    scheduled = {"type": "PodGroupScheduled", "status": "False", "reason": "Unschedulable"}
    group["status"] = {"conditions": [scheduled]}
    assert row_of(POD_GROUP, group, 0.0)["cells"][3] == "Unschedulable"
