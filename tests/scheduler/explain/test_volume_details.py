"""Which volumes, claims and limits keep a pod off a node, by name and number."""

from typing import Any

from podium.scheduler.explain.explanation import explain
from podium.scheduler.explain.obstacles import obstacles
from podium.scheduler.scheduler import Scheduler
from podium.whatif.explain.pod_explanations import explain_pod
from podium.whatif.plan.request import LoadedState, PlanRequest
from tests import objects
from tests.objects import HOST, ZONE, node, pod

DRIVER = "disks.example.com"
BOUND = {"pv.kubernetes.io/bind-completed": "yes"}
STORAGE = "storage.k8s.io/v1"


def details(*state: Any) -> list[str]:
    (view,) = explain_pod(PlanRequest(LoadedState([*state, user("new")])), "default/new").decisions
    return [text for one in view.obstacles for text in one.details]


def user(name: str, *claims: str, **fields: Any) -> Any:
    volumes = [
        {"name": claim, "persistentVolumeClaim": {"claimName": claim}}
        for claim in claims or ("data",)
    ]
    return pod(name, volumes=volumes, **fields)


def claim(name: str = "data", **spec: Any) -> Any:
    annotations = spec.pop("annotations", BOUND if "volumeName" in spec else {})
    amount = {"resources": {"requests": {"storage": "2Gi"}}}
    made = objects.claim(name, "disks", **{**amount, **spec})
    made["metadata"]["annotations"] = annotations
    return made


def volume(name: str, *, labels: Any = None, **spec: Any) -> Any:
    given = {"capacity": {"storage": "2Gi"}, "csi": {"driver": DRIVER, "volumeHandle": name}}
    made = objects.volume(name, "disks", **{**given, **spec})
    made["metadata"]["labels"] = labels or {}
    return made


def storage_class(provisioner: str = DRIVER, **fields: Any) -> Any:
    return {**objects.storage_class("disks", provisioner=provisioner, waits=True), **fields}


def test_limits_say_what_is_attached_and_by_whom() -> None:
    limit = {"name": DRIVER, "nodeID": "a", "allocatable": {"count": 2}}
    source = {"persistentVolumeName": "idle"}
    attachment = {"attacher": DRIVER, "nodeName": "a", "source": source}
    meta = {"apiVersion": STORAGE, "metadata": {"name": "a"}}
    found = details(
        node("a"),
        {**meta, "kind": "CSINode", "spec": {"drivers": [limit]}},
        {**meta, "kind": "VolumeAttachment", "spec": attachment},
        *(volume(name) for name in ("idle", "used", "new")),
        claim("used", volumeName="used"),
        claim(volumeName="new"),
        user("old", "used", on="a"),
    )
    assert found == [
        f"{DRIVER} attaches 2 volumes at most, 2 are attached (by default/old; by "
        "VolumeAttachments alone: idle); the pod needs 1 more"
    ]


def test_bound_volumes_say_where_they_are_reached_from() -> None:
    expression = {"key": HOST, "operator": "In", "values": ["b"]}
    affinity = {"required": {"nodeSelectorTerms": [{"matchExpressions": [expression]}]}}
    state = [node("a"), claim(volumeName="v"), volume("v", nodeAffinity=affinity)]
    assert details(*state) == [f"volume v of claim data asks for {HOST}=b; the node has {HOST}=a"]


def test_claims_that_wait_say_why_the_node_can_t_have_their_volume() -> None:
    state = [node("a", zone="a"), claim()]
    assert details(*state, storage_class("kubernetes.io/no-provisioner")) == [
        "claim data of 2Gi finds no free volume that the node reaches, and class disks makes none"
    ]
    zones = {"matchLabelExpressions": [{"key": ZONE, "values": ["b", "c"]}]}
    assert details(*state, storage_class(allowedTopologies=[zones])) == [
        "claim data of 2Gi finds no free volume that the node reaches, and class disks makes "
        f"volumes only where {ZONE} is b or c"
    ]


def test_claims_that_have_chosen_a_node_name_it() -> None:
    scheduler = Scheduler()
    selected = claim(annotations={"volume.kubernetes.io/selected-node": "b"})
    scheduler.load([node("a")], [], [selected, storage_class()])
    decision = scheduler.decide(scheduler.pending(user("new")))
    refused = explain(decision, scheduler.snapshot).filter
    (found,) = obstacles(decision, scheduler, refused)
    assert found.details == (
        "claim data is to get its volume on b (annotation volume.kubernetes.io/selected-node)",
    )


def test_capacity_that_is_too_small_is_told() -> None:
    driver = {"apiVersion": STORAGE, "kind": "CSIDriver", "metadata": {"name": DRIVER}}
    segment = {
        "apiVersion": STORAGE,
        "kind": "CSIStorageCapacity",
        "metadata": {"name": "s", "namespace": "default"},
        "storageClassName": "disks",
        "nodeTopology": {"matchLabels": {HOST: "a"}},
        "capacity": "1Gi",
    }
    state = [node("a"), claim(), storage_class(), {**driver, "spec": {"storageCapacity": True}}]
    text = "claim data of 2Gi doesn't fit what class disks can make for the node: "
    assert details(*state, segment) == [f"{text}at most 1Gi"]
    assert details(*state) == [f"{text}no CSIStorageCapacity is for the node"]


def test_zones_of_volumes_are_compared_with_the_node_s() -> None:
    bound = claim(volumeName="v")
    assert details(node("a", zone="a"), bound, volume("v", labels={ZONE: "b"})) == [
        f"volume v of claim data is in {ZONE}=b; the node has {ZONE}=a"
    ]


def test_claims_for_one_pod_alone_say_who_uses_them() -> None:
    alone = {"accessModes": ["ReadWriteOncePod"]}
    state = [claim(volumeName="v", **alone), volume("v", **alone)]
    old = user("old", on="a", priority=3)
    used = "claim data (ReadWriteOncePod) is used by default/old, priority 3, on a"
    assert details(node("a"), node("b"), *state, old) == [used, used]


def test_disks_that_can_t_be_shared_name_their_user() -> None:
    disk = {"name": "v", "awsElasticBlockStore": {"volumeID": "vol-1"}}
    state = [node("a"), pod("old", on="a", volumes=[disk])]
    request = PlanRequest(LoadedState([*state, pod("new", volumes=[disk])]))
    (view,) = explain_pod(request, "default/new").decisions
    assert view.obstacles[0].details == ("default/old, priority 0, uses the same disk",)


def test_claims_that_should_have_been_bound_by_now_are_named() -> None:
    def told(*state: Any) -> tuple[str, ...]:
        request = PlanRequest(LoadedState([node("a"), *state, user("new")]))
        return explain_pod(request, "default/new").decisions[0].pre_filter_details

    none = "kubernetes.io/no-provisioner"
    at_once = storage_class(none, volumeBindingMode="Immediate")
    assert told(claim(), at_once) == (
        "claim data isn't bound to a volume, as it should be at once by class disks "
        "(volumeBindingMode Immediate)",
    )
    assert told(claim()) == ("claim data isn't bound to a volume; class disks isn't there",)
    unnamed = claim(storageClassName="")
    assert told(unnamed) == ("claim data isn't bound to a volume; it names no class",)
    wished = claim(volumeName="v", annotations={})
    assert told(wished) == ("claim data names volume v, and isn't bound to it",)


def test_claims_are_not_named_where_something_else_refuses_the_pod_everywhere() -> None:
    fields = [{"key": "metadata.name", "operator": "In", "values": [name]} for name in "ab"]
    required = {"nodeSelectorTerms": [{"matchFields": fields}]}
    nowhere = {"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": required}}
    state = [node("a"), node("b"), claim(), user("new", affinity=nowhere)]
    (view,) = explain_pod(PlanRequest(LoadedState(state)), "default/new").decisions
    assert view.pre_filter is not None
    assert (view.pre_filter.plugin, view.pre_filter_details) == ("NodeAffinity", ())
