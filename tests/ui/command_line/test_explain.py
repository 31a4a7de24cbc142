"""`podium explain`: one pod in words and tables."""

import json

import pytest

from tests.objects import ZONE, container, node, pod, priority_class

HIGH = priority_class("high", 1000)


def rows(output: str, title: str) -> list[list[str]]:
    """The cells below a title, without the headings."""
    lines = output.splitlines()
    start = lines.index(title) + 2
    end = lines.index("", start)
    return [
        [cell.strip() for cell in line.split("  ") if cell.strip()] for line in lines[start:end]
    ]


@pytest.fixture
def state(write) -> str:
    return write(
        "state.yaml",
        HIGH,
        node("a", "2"),
        node("b", "2"),
        node("c", unschedulable=True),
        pod("p", on="b"),
        pod("low", "2", on="a"),
    )


def test_a_bound_pod(podium, state) -> None:
    result = podium("explain", "-f", state, "p")
    assert result.exit_code == 0
    lines = result.output.splitlines()
    assert lines[0] == "default/p, priority 0, PreemptLowerPriority, profile default-scheduler"
    assert lines[1] == "It is on b; this is how it is decided as if it weren't."
    assert rows(result.output, "NODES THAT DON'T FIT") == [
        [
            *("a", "NodeResourcesFit", "Unschedulable", "Insufficient cpu"),
            "needs 1 CPU, 0 of 2 free; 1 CPU short",
        ],
        [
            *("c", "NodeUnschedulable", "UnschedulableAndUnresolvable"),
            *("node(s) were unschedulable", "the node is cordoned (spec.unschedulable)"),
        ],
    ]
    (scores,) = rows(result.output, "WEIGHTED SCORES")
    assert scores[0] == "b"
    assert int(scores[-1]) == sum(map(int, scores[1:-1]))
    assert "b: the only node that fits." in lines


def test_a_tie(podium, write) -> None:
    state = write("s.yaml", node("a"), node("b"), node("c", "1"), pod("p"))
    assert (
        "a: 2 nodes have the highest total (a, b), and its name is the smallest; "
        "kube-scheduler takes any of them."
    ) in podium("explain", "-f", state, "p").output


def test_the_highest_total(podium, write) -> None:
    state = write("s.yaml", node("a"), node("b", "8"), pod("p"))
    assert "b: it alone has the highest total." in podium("explain", "-f", state, "p").output


def test_a_preemption(podium, state, write) -> None:
    new = write("new.yaml", pod("new", "2", priorityClassName="high"))
    result = podium("explain", "-f", state, "--apply", new, "default/new")
    assert "DECISION 1 OF 2" in result.output
    assert [row[0] for row in rows(result.output, "CANDIDATES FOR PREEMPTION")] == ["a", "b"]
    assert rows(result.output, "VICTIMS, THE MOST IMPORTANT FIRST") == [
        ["a", "default/low", "0"],
        ["b", "default/p", "0"],
    ]
    assert "no key tells it from 1 other, and its name is the smallest" in result.output
    assert (
        "a: it is nominated there and fits, so that no other node was looked at." in result.output
    )


def test_a_pod_that_may_not_preempt(podium, state, write) -> None:
    new = write("new.yaml", pod("new", "2"), priority_class("none", 5, preemptionPolicy="Never"))
    polite = write("polite.yaml", pod("polite", "2", priorityClassName="none"))
    result = podium("explain", "-f", state, "--apply", new, "--apply", polite, "polite")
    assert "Preemption: not eligible due to preemptionPolicy=Never." in result.output


def test_a_pod_on_another_node_that_blocks(podium, write) -> None:
    term = {"labelSelector": {"matchLabels": {"app": "rival"}}, "topologyKey": ZONE}
    rule = {"requiredDuringSchedulingIgnoredDuringExecution": [term]}
    state = write(
        "s.yaml",
        node("a", zone="z"),
        node("b", zone="z", unschedulable=True),
        pod("rival", on="b"),
        pod("p", priority=9, affinity={"podAntiAffinity": rule}),
    )
    result = podium("explain", "-f", state, "p")
    assert rows(result.output, "CLOSED BY PODS ON OTHER NODES") == [
        ["a", "default/rival", "b", "0", ZONE, "its own"]
    ]
    assert "Preemption takes no pods off other nodes, as in kube-scheduler v1.36" in result.output


def test_gates_and_refusals_for_all_nodes(podium, write) -> None:
    volume = {"name": "v", "persistentVolumeClaim": {"claimName": "gone"}}
    gated = pod("gated", schedulingGates=[{"name": "a.b/c"}])
    state = write("s.yaml", node("n"), gated, pod("claiming", volumes=[volume]))
    assert (
        "It isn't queued: SchedulingGates says waiting for scheduling gates: [a.b/c]."
        in podium("explain", "-f", state, "gated").output
    )
    assert (
        "VolumeRestrictions refuses it for all nodes (UnschedulableAndUnresolvable): "
        'persistentvolumeclaim "gone" not found.'
        in podium("explain", "-f", state, "claiming").output
    )


def test_json(podium, state) -> None:
    report = json.loads(podium("explain", "-f", state, "-o", "json", "p").output)
    assert (report["kind"], report["boundTo"]) == ("Explanation", "b")
    assert report["decisions"][0]["best"] == ["b"]


@pytest.mark.parametrize(
    ("arguments", "error"),
    [
        (["lwo"], "there is no pod default/lwo"),
        (["-n", "team", "p"], "there is no pod team/p; similar are default/p"),
        (["pod/lowe"], "there is no pod default/lowe; similar are default/low"),
    ],
)
def test_a_pod_that_isnt_there(podium, state, arguments: list[str], error: str) -> None:
    result = podium("explain", "-f", state, *arguments)
    assert (result.exit_code, result.output) == (1, f"error: {error}\n")


def test_a_port_that_counts_as_free(podium, write) -> None:
    ports = {"containers": [container("1", ports=[{"containerPort": 80, "hostPort": 80}])]}
    stays = pod("stays", on="a", priorityClassName="high", **ports)
    urgent = pod("p", priority=9, **ports)
    state = write("s.yaml", HIGH, node("a"), stays, pod("goes", on="a", **ports), urgent)
    assert "80/TCP of a counts as free, though default/stays still holds it" in " ".join(
        podium("explain", "-f", state, "p").output.split()
    )
    report = json.loads(podium("explain", "-f", state, "p", "-o", "json").output)
    freed = [decision["freedPorts"] for decision in report["decisions"]]
    assert freed == [[], [{"node": "a", "port": "80/TCP", "pod": "default/stays"}]]


def test_the_world_is_that_of_plans(podium, write) -> None:
    """Pressure, time and kubelets are options of explanations as they are of plans."""
    big = {"capacity": {"memory": "8Gi"}}
    state = write(
        "state.yaml",
        {**node("a", "1"), "status": {**node("a", "1")["status"], **big}},
        node("b", "2", unschedulable=True),
        pod("low", "1", on="a"),
        pod("new", "1"),
    )
    plain = podium("explain", "-f", state, "new")
    assert "Insufficient cpu" in plain.output
    pressed = podium("explain", "-f", state, "new", "--pressure", "a:memory.available=50Mi")
    assert (pressed.exit_code, pressed.output != plain.output) == (0, True)
    kubelet = write("kubelet.yaml", {"evictionHard": {"memory.available": "1Mi"}})
    calm = podium(
        *("explain", "-f", state, "new", "--pressure", "a:memory.available=50Mi"),
        *("--kubelet-config", kubelet),
    )
    assert calm.output == plain.output


def test_all_that_is_wrong_with_the_options_is_told(podium, state) -> None:
    wrong = ("--pressure", "a", "--until", "soon", "--delete", "x", "--kubelet-config", "none.yaml")
    result = podium("explain", "-f", state, "p", *wrong)
    errors = [line.split()[1] for line in result.stderr.splitlines()]
    assert errors == ["--pressure", "--until", "none.yaml:", "--delete"]


def test_a_pod_that_names_its_node_is_decided_by_the_kubelet(podium, write) -> None:
    state = write("state.yaml", node("n", "1"), pod("old", on="n"))
    new = pod("new", on="n", priorityClassName="system-node-critical")
    result = podium("explain", "new", "-f", state, "--apply", write("new.yaml", new))
    lines = result.stdout.splitlines()
    assert lines[0] == "default/new, priority 2000001000"
    assert "It names its node, n: no scheduler decides about it, its kubelet does." in lines
    assert "n takes it, as it is critical, and stops 1 pod to make room." in lines
    assert any(line.split() == ["default/old", "Burstable", "0"] for line in lines)
    assert "profile" not in result.stdout
