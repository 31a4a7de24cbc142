"""`podium explain`: one pod in words and tables."""

import json

import pytest

from tests.objects import ZONE, Obj, container, near, node, pod, priority_class, required

HIGH = priority_class("high", 1000)
STATE = [
    *(HIGH, node("a", "2"), node("b", "2"), node("c", unschedulable=True)),
    *(pod("p", on="b"), pod("low", "2", on="a")),
]
PORTS = {"containers": [container("1", ports=[{"containerPort": 80, "hostPort": 80}])]}
CLAIM = {"name": "v", "persistentVolumeClaim": {"claimName": "gone"}}
NOT_QUEUED = "It isn't queued: SchedulingGates says waiting for scheduling gates: [a.b/c]."


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
    return write("state.yaml", *STATE)


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
    report = json.loads(podium("explain", "-f", state, "-o", "json", "p").output)
    assert (report["kind"], report["boundTo"]) == ("Explanation", "b")
    assert report["decisions"][0]["best"] == ["b"]


SAID: dict[str, tuple[list[Obj], str, str]] = {
    "a tie": (
        [node("a"), node("b"), node("c", "1"), pod("p")],
        "p",
        "a: 2 nodes have the highest total (a, b), and its name is the smallest; kube-scheduler "
        "takes any of them.",
    ),
    "the highest total": (
        [node("a"), node("b", "8"), pod("p")],
        "p",
        "b: it alone has the highest total.",
    ),
    "a pod that may not preempt": (
        [
            *(*STATE, priority_class("none", 5, preemptionPolicy="Never"), pod("new", "2")),
            pod("polite", "2", priorityClassName="none"),
        ],
        "polite",
        "Preemption: not eligible due to preemptionPolicy=Never.",
    ),
    "scheduling gates": (
        [node("n"), pod("gated", schedulingGates=[{"name": "a.b/c"}])],
        "gated",
        NOT_QUEUED,
    ),
    "a refusal for all nodes": (
        [node("n"), pod("claiming", volumes=[CLAIM])],
        "claiming",
        "VolumeRestrictions refuses it for all nodes (UnschedulableAndUnresolvable): "
        'persistentvolumeclaim "gone" not found.',
    ),
}


@pytest.mark.parametrize("what", SAID)
def test_it_is_said_why(podium, write, what: str) -> None:
    objects, about, sentence = SAID[what]
    assert sentence in podium("explain", "-f", write("s.yaml", *objects), about).output


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
    assert "a: it is nominated there and fits, so that no other node was looked" in result.output


def test_a_pod_on_another_node_that_blocks(podium, write) -> None:
    state = write(
        "s.yaml",
        *(node("a", zone="z"), node("b", zone="z", unschedulable=True), pod("rival", on="b")),
        pod("p", priority=9, affinity=required("podAntiAffinity", near("rival", ZONE))),
    )
    result = podium("explain", "-f", state, "p")
    assert rows(result.output, "CLOSED BY PODS ON OTHER NODES") == [
        ["a", "default/rival", "b", "0", ZONE, "its own"]
    ]
    assert "Preemption takes no pods off other nodes, as in kube-scheduler v1.36" in result.output


@pytest.mark.parametrize(
    ("arguments", "errors"),
    [
        ("lwo", ["there is no pod default/lwo"]),
        ("-n team p", ["there is no pod team/p; similar are default/p"]),
        ("pod/lowe", ["there is no pod default/lowe; similar are default/low"]),
        (
            "p --pressure a --until soon --delete x --kubelet-config none.yaml",
            ["--pressure a", "--until soon", "none.yaml: ", "--delete x"],
        ),
    ],
)
def test_all_errors_are_told(podium, state, arguments: str, errors: list[str]) -> None:
    result = podium("explain", "-f", state, *arguments.split())
    assert result.exit_code == 1
    for line, error in zip(result.stderr.splitlines(), errors, strict=True):
        assert line.startswith(f"error: {error}")


def test_a_port_that_counts_as_free(podium, write) -> None:
    stays = pod("stays", on="a", priorityClassName="high", **PORTS)
    urgent = pod("p", priority=9, **PORTS)
    state = write("s.yaml", HIGH, node("a"), stays, pod("goes", on="a", **PORTS), urgent)
    assert "80/TCP of a counts as free, though default/stays still holds it" in " ".join(
        podium("explain", "-f", state, "p").output.split()
    )
    report = json.loads(podium("explain", "-f", state, "p", "-o", "json").output)
    freed = [decision["freedPorts"] for decision in report["decisions"]]
    assert freed == [[], [{"node": "a", "port": "80/TCP", "pod": "default/stays"}]]


def test_pressure_and_kubelets_count_as_in_plans(podium, write) -> None:
    full = node("a", "1", status={"capacity": {"memory": "8Gi"}})
    state = write("s.yaml", full, node("b", unschedulable=True), pod("low", on="a"), pod("new"))
    pressure = ("explain", "-f", state, "new", "--pressure", "a:memory.available=50Mi")
    kubelet = write("kubelet.yaml", {"evictionHard": {"memory.available": "1Mi"}})
    plain, pressed = podium(*pressure[:4]), podium(*pressure)
    assert "Insufficient cpu" in plain.output
    assert (pressed.exit_code, pressed.output != plain.output) == (0, True)
    assert podium(*pressure, "--kubelet-config", kubelet).output == plain.output


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
