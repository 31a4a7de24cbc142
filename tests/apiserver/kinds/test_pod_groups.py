"""PodGroups and Workloads, as kube-apiserver v1.36.2 with their gates answers."""

from random import Random

import pytest

from podium.api.errors import RefusedError
from podium.api.kinds.builtin_kinds import OPTIONAL_KINDS, POD_GROUP, POD_GROUP_OF_PLUGINS, Kind
from podium.apiserver.attributes import Attributes
from podium.apiserver.decoding.bodies import PatchType
from podium.apiserver.server import ApiOptions, ApiServer, PatchRequest
from podium.apiserver.store.store import Store
from tests.apiserver.transcripts import changed
from tests.apiserver.validation.samples import an_object
from tests.objects import Obj

POLICY: Obj = {"gang": {"minCount": 2}}


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
        created(api, POD_GROUP, changed(an_object(POD_GROUP.key), {"spec.priority": 5}))
    assert refused.value.message == (
        'podgroups.scheduling.k8s.io "x" is forbidden: priority set in the pod group (5) must '
        "match the priority computed (0) based on the priority class set in the spec"
    )
    named = changed(an_object(POD_GROUP.key), {"spec.priorityClassName": "nope"})
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
