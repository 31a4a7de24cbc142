"""What keeps a pod off each node: all of it, with amounts and names."""

from typing import Any

from podium.scheduler.explain.obstacles import Obstacle
from podium.whatif.explain.pod_explanations import explain_pod
from podium.whatif.plan.request import LoadedState, PlanRequest
from tests.objects import HOST, ZONE, container, node, pod

_REQUIRED = "requiredDuringSchedulingIgnoredDuringExecution"


def obstacles(state: list[Any], new: Any) -> list[Obstacle]:
    request = PlanRequest(LoadedState([*state, new]))
    return [*explain_pod(request, "default/new").decisions[0].obstacles]


def details(state: list[Any], new: Any) -> list[str]:
    return [text for one in obstacles(state, new) for text in one.details]


def test_all_filters_that_object_are_told_in_their_order() -> None:
    taint = {"key": "dedicated", "value": "db", "effect": "NoSchedule"}
    state = [node("a", "2", taints=[taint]), pod("low", "1", on="a")]
    found = obstacles(state, pod("new", "2", nodeSelector={"disk": "ssd"}))
    assert [(one.plugin, *one.details) for one in found] == [
        ("TaintToleration", "taint dedicated=db:NoSchedule isn't tolerated"),
        ("NodeAffinity", "asks for disk=ssd; the node has no label disk"),
        ("NodeResourcesFit", "needs 2 CPU, 1 of 2 free; 1 CPU short"),
    ]


def test_amounts_say_what_is_short_without_pods_of_lower_priority() -> None:
    state = [
        node("a", "4"),
        pod("low", "2", on="a", priority=1),
        pod("high", "1", on="a", priority=9),
    ]
    assert details(state, pod("new", "3", priority=5)) == [
        "needs 3 CPU, 1 of 4 free; enough with pods of lower priority gone"
    ]
    assert details(state, pod("new", "3500m", priority=5)) == [
        "needs 3500m CPU, 1 of 4 free; 500m CPU short with all pods of lower priority gone"
    ]


def test_a_node_may_be_full_of_pods() -> None:
    assert details([node("a", pods="1"), pod("old", on="a")], pod("new")) == [
        "1 of 1 pods are on the node"
    ]


def test_ports_name_their_holder() -> None:
    def with_port(**fields: Any) -> Any:
        port = {"containerPort": 80, "hostPort": 80, "protocol": "TCP"}
        return {**fields, "containers": [container(ports=[port])]}

    state = [node("a"), pod("old", **with_port(on="a", priority=7))]
    assert details(state, pod("new", **with_port())) == [
        "default/old, priority 7, holds port 80/TCP"
    ]


def test_each_alternative_of_an_affinity_is_told() -> None:
    terms = [
        {"matchExpressions": [{"key": ZONE, "operator": "In", "values": ["b"]}]},
        {"matchExpressions": [{"key": "gpu", "operator": "Exists"}]},
    ]
    affinity = {"nodeAffinity": {_REQUIRED: {"nodeSelectorTerms": terms}}}
    assert details([node("a", zone="a")], pod("new", affinity=affinity)) == [
        f"asks for {ZONE}=b; the node has {ZONE}=a (alternative 1 of 2)",
        "asks for gpu; the node has no label gpu (alternative 2 of 2)",
    ]


def test_spreading_tells_how_full_domains_are() -> None:
    constraint = {
        "maxSkew": 1,
        "topologyKey": ZONE,
        "whenUnsatisfiable": "DoNotSchedule",
        "labelSelector": {"matchLabels": {"app": "x"}},
    }
    state = [node("a", zone="a"), node("b", "0", zone="b"), pod("old", on="a", app="x")]
    new = pod("new", app="x", topologySpreadConstraints=[constraint])
    assert details(state, new) == [
        f"{ZONE}=a has 1 such pod, the emptiest {ZONE} 0; maxSkew is 1",
        "needs 1 CPU, 0 of 0 free; 1 CPU short",
    ]
    new = pod("new", app="x", topologySpreadConstraints=[{**constraint, "minDomains": 3}])
    assert details(state, new)[0].endswith("maxSkew is 1, and minDomains 3 isn't reached")


def test_anti_affinity_names_pods_whoever_has_the_rule() -> None:
    def apart(app: str) -> Any:
        term = {"labelSelector": {"matchLabels": {"app": app}}, "topologyKey": HOST}
        return {"affinity": {"podAntiAffinity": {_REQUIRED: [term]}}}

    state = [node("a"), pod("old", on="a", app="x", **apart("y"))]
    theirs = f"default/old (priority 0) in {HOST}=a, by their anti-affinity"
    assert details(state, pod("new", app="y")) == [theirs]
    both = theirs.replace("their", "its own and their")
    assert details(state, pod("new", app="y", **apart("x"))) == [both]


def test_affinity_says_whom_it_misses() -> None:
    term = {"labelSelector": {"matchLabels": {"app": "db"}}, "topologyKey": ZONE}
    new = pod("new", affinity={"podAffinity": {_REQUIRED: [term]}})
    assert details([node("a", zone="a")], new) == [
        f"no pod with app=db is in {ZONE}=a, where it must be"
    ]


def test_room_that_is_kept_names_who_it_is_kept_for() -> None:
    waiting = pod("first", "4", priority=10, status={"nominatedNodeName": "a"})
    going = {"deletionTimestamp": "2026-01-01T00:00:30Z", "deletionGracePeriodSeconds": 30}
    state = [node("a"), waiting, pod("old", "1", on="a", metadata=going)]
    found = details(state, pod("new", "2", priority=5))
    assert found == ["room is kept for default/first (priority 10)"]


def test_of_many_nodes_alike_only_twenty_are_looked_at_closely() -> None:
    found = obstacles([node(f"n{i:02}", "1") for i in range(25)], pod("new", "2"))
    assert [bool(one.details) for one in found] == [True] * 20 + [False] * 5


def test_room_that_pods_of_lower_priority_leave_may_be_kept_for_others() -> None:
    waiting = pod("first", "4", priority=10, status={"nominatedNodeName": "a"})
    going = {"deletionTimestamp": "2026-01-01T00:00:30Z", "deletionGracePeriodSeconds": 30}
    state = [node("a"), waiting, pod("old", "3", on="a", metadata=going)]
    assert details(state, pod("new", "2", priority=5)) == [
        "needs 2 CPU, 1 of 4 free; enough with pods of lower priority gone",
        "room is kept for default/first (priority 10)",
    ]


def near(app: str, key: str = ZONE) -> Any:
    term = {"labelSelector": {"matchLabels": {"app": app}}, "topologyKey": key}
    return {"affinity": {"podAffinity": {_REQUIRED: [term]}}}


def test_a_node_without_the_label_that_makes_domains_is_said_to_lack_it() -> None:
    state = [node("a"), pod("db", on="a", app="db")]
    assert details(state, pod("new", **near("db"))) == [
        f"the node has no label {ZONE}, so that no pod with app=db is in its {ZONE}, where one "
        "must be"
    ]


def test_domains_that_only_closed_nodes_make_up_are_named() -> None:
    constraint = {
        "maxSkew": 1,
        "topologyKey": ZONE,
        "whenUnsatisfiable": "DoNotSchedule",
        "labelSelector": {"matchLabels": {"app": "x"}},
    }
    taint = {"key": "dedicated", "effect": "NoSchedule"}
    state = [
        node("a", zone="a"),
        pod("old", on="a", app="x"),
        node("b", zone="b", unschedulable=True),
        node("c", zone="c", taints=[taint]),
    ]
    new = pod("new", app="x", topologySpreadConstraints=[constraint])
    closed = " (b, c, whose nodes are all cordoned or tainted)"
    told = f"{ZONE}=a has 1 such pod, the emptiest {ZONE} 0{{}}; maxSkew is 1"
    assert told.format(closed) in details(state, new)
    open_too = [*state, node("b2", "0", zone="b")]
    assert told.format("") in details(open_too, new)


def resizing(kind: str, asked: str, *, has: str, reason: str = "") -> Any:
    status = {
        "phase": "Running",
        "conditions": [
            {"type": "Ready", "status": "True"},
            {"type": kind, "status": "True", "reason": reason},
        ],
        "containerStatuses": [
            {
                "name": "c",
                "image": "i",
                "imageID": "x",
                "ready": True,
                "restartCount": 0,
                "state": {"running": {"startedAt": "2026-01-01T00:00:00Z"}},
                "allocatedResources": {"cpu": has},
                "resources": {"requests": {"cpu": has}},
            }
        ],
    }
    return pod("grown", asked, on="a", status=status)


def test_a_resize_that_waits_or_is_under_way_is_named_as_the_cause() -> None:
    short = "needs 1 CPU, 0 of 4 free; 2 CPU short"
    waits = resizing("PodResizePending", "5", has="500m", reason="Deferred")
    assert details([node("a"), waits], pod("new")) == [
        short,
        "default/grown counts for 5 CPU, having 500m, as its resize waits (PodResizePending: "
        "Deferred)",
    ]
    shrinks = resizing("PodResizeInProgress", "1", has="5")
    assert details([node("a"), shrinks], pod("new")) == [
        short,
        "default/grown counts for 5 CPU until its resize to 1 is done",
    ]
    refused = resizing("PodResizePending", "5", has="4", reason="Infeasible")
    assert details([node("a"), refused], pod("new")) == ["needs 1 CPU, 0 of 4 free; 1 CPU short"]
