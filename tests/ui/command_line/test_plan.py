"""`podium plan`: options, formats, exit codes, errors."""

import json
import re
from pathlib import Path
from urllib.parse import quote
from xml.etree import ElementTree

import pytest
import yaml

from podium.api.codec.yaml_writer import write_yaml
from podium.whatif.plan.fail_on import CONDITIONS
from tests.objects import (
    ZONE,
    Obj,
    budget,
    container,
    near,
    node,
    pod,
    priority_class,
    reference,
    required,
    workload,
)

HIGH = priority_class("high", 1000)
STATE = [HIGH, node("n", "1"), budget("low", minAvailable=1), pod("low", on="n")]
NEW = pod("new", priorityClassName="high")
KNOWN = ", ".join(CONDITIONS)


@pytest.fixture
def files(write) -> list[str]:
    return ["-f", write("state.yaml", *STATE), "--apply", write("new.yaml", NEW)]


def test_the_summary_says_what_violates_a_budget(podium, files) -> None:
    lines = podium("plan", *files, "-o", "markdown").output.splitlines()
    for sentence in (
        "- Budget default/low asks for 1 healthy pod, and has only 0 at t+0s; too few for 600 s "
        "(1 preempted).",
        "- Budget default/low allows 0 disruptions before, 0 at worst (t+0s), 0 in the end; "
        "losing default/low violates it.",
    ):
        assert sentence in lines


def test_html_is_one_file(podium, files) -> None:
    result = podium("plan", *files, "-o", "html")
    assert result.exit_code == 0
    assert result.output.startswith("<!DOCTYPE html>")
    assert '<td class="bad">default/low</td>' in result.output
    titles = re.findall("<h2>(.*?)</h2>", result.output)
    assert titles[:4] == [
        "Summary",
        "Nodes before and after",
        "Pods over time",
        "What follows from what",
    ]
    assert '<i class="bad" style="width: ' in result.output
    assert 'title="default/low terminates' not in result.output
    assert 'title="terminates on n from t+0s"' in result.output
    assert "<summary>Decision: default/new preempts on n, t+0s</summary>" in result.output
    assert "default/new needs room" in result.output


def test_html_shows_hostile_words_as_they_are_and_asks_for_nothing(podium, write) -> None:
    hostile = "</i><script src=//x.example></script>\"'"
    state = [HIGH, node("n", "1"), pod("low", on="n"), pod("other", schedulerName=hostile)]
    files = ["-f", write("state.yaml", *state), "--apply", write("new.yaml", NEW)]
    shown = podium("plan", *files, "-o", "html").output
    assert "x.example" in shown
    assert "<script" not in shown
    assert not re.findall(r"""(?:src|href)=["']?(?!data:)""", re.sub("<td.*?</td>", "", shown))
    assert "url(" not in shown


def test_json_and_yaml_say_the_same(podium, files) -> None:
    as_json = json.loads(podium("plan", *files, "-o", "json").output)
    assert as_json == yaml.safe_load(podium("plan", *files, "-o", "yaml").output)
    (placement,) = as_json["placements"]
    assert (placement["pod"], placement["node"], placement["at"]) == ("default/new", "n", 30.0)
    assert list(as_json)[:4] == ["apiVersion", "kind", "counts", "workloads"]


def test_gates_come_from_a_file_too(podium, files, tmp_path) -> None:
    (tmp_path / "gates").write_text("preemption:priority>=100 # nobody who matters\n")
    assert podium("plan", *files, "--gates", str(tmp_path / "gates")).exit_code == 0
    (tmp_path / "gates").write_text("pdb-violation\n")
    assert podium("plan", *files, "--gates", str(tmp_path / "gates")).exit_code == 2


def test_reports_for_ci_systems(podium, files) -> None:
    gates = ["--fail-on", "preemption,pending"]
    suite = ElementTree.fromstring(podium("plan", *files, *gates, "-o", "junit").stdout)
    assert (suite.get("tests"), suite.get("failures")) == ("2", "1")
    (failure,) = suite.iter("failure")
    assert failure.text == "default/low is preempted on n by default/new"
    log = json.loads(podium("plan", *files, *gates, "-o", "sarif").stdout)
    (result,) = log["runs"][0]["results"]
    assert (result["ruleId"], result["message"]["text"]) == ("preemption", failure.text)
    # Code forges show results only beside a file: that of whoever is behind them.
    place = result["locations"][0]["physicalLocation"]
    assert place["artifactLocation"]["uri"] == quote(files[-1])
    assert place["region"]["startLine"] >= 1


def test_reports_without_conditions_test_all_of_them(podium, files) -> None:
    result = podium("plan", *files, "-o", "junit")
    suite = ElementTree.fromstring(result.stdout)
    failed = [one.get("name") for one in suite if one.find("failure") is not None]
    assert failed == ["preemption", "eviction", "pdb-violation", "below-budget"]
    assert suite.get("tests") == str(len(CONDITIONS) - 1)
    assert result.exit_code == 0
    log = json.loads(podium("plan", *files, "-o", "sarif").stdout)
    assert [one["ruleId"] for one in log["runs"][0]["results"]] == failed


def test_errors_of_all_inputs_are_told_at_once_without_a_traceback(podium, write) -> None:
    bad = {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "p"}, "spec": {"containers": 5}}
    result = podium(
        *("plan", "-f", write("s.yaml", bad), "-f", "missing.yaml"),
        *("--apply", write("a.yaml", {"kind": "Pod"}), "--delete", "nonsense"),
        *("--scheduler-config", "missing-too.yaml"),
    )
    assert result.exit_code == 1
    lines = result.output.splitlines()
    assert all(line.startswith("error: ") for line in lines)
    assert any(one.startswith("error: --delete nonsense: expected KIND/NAME") for one in lines)
    assert lines[0].startswith("error: missing-too.yaml: can't be read")
    assert "spec.containers" in result.output
    assert "missing.yaml: can't be read: No such file or directory" in result.output
    assert "apiVersion: Required value" in result.output


def test_standard_input_is_read_once(podium, write) -> None:
    text = write_yaml({"apiVersion": "v1", "kind": "List", "items": [node("n"), pod("p")]})
    assert "default/p  n " in podium("plan", "-f", "-", stdin=text).output
    result = podium("plan", "-f", "-", "--apply", "-", stdin=text)
    assert (result.exit_code, result.output) == (
        1,
        "error: standard input (-) can be read only once\n",
    )


def test_a_pod_of_the_change_stands_before_replacements(podium, write) -> None:
    state = write(
        "s.yaml",
        node("a", "2"),
        node("b", "1"),
        priority_class("high", 1000),
        low := workload("ReplicaSet", "low", "1", replicas=2, uid="l"),
        pod("low-1", "1", on="a", owner=low, uid="l1"),
        pod("low-2", "1", on="a", owner=low, uid="l2"),
    )
    new = write("n.yaml", pod("urgent", "2", priorityClassName="high"))
    result = podium("plan", "-f", state, "--apply", new, "-o", "wide")
    lines = result.stdout.split("PLACEMENTS\n")[1].split("\n\n")[0].splitlines()
    assert [line.split()[0] for line in lines[1:2]] == ["default/urgent"]
    assert "in place of" in lines[2]


def test_a_replacement_that_is_surplus_is_not_pending(podium, write) -> None:
    web = workload("Deployment", "web", replicas=2, uid="d")
    revision = workload("ReplicaSet", "web", replicas=2, uid="r")
    owners = {"ownerReferences": [{**reference(web), "controller": True}]}
    revision["metadata"] |= {"name": "web-1", **owners}
    pods = [pod(f"web-1-{at}", on=at, app="web", owner=revision, uid=at) for at in "ab"]
    state = write("s.yaml", node("a"), node("b"), web, revision, *pods)
    result = podium(
        "plan", "-f", state, "--scale", "deploy/web=1", "--drain", "a", "--drain", "b", "-o", "json"
    )
    returns = [one["comesAgain"] for one in json.loads(result.stdout)["disruptions"]]
    assert returns.count("Surplus") == 1


def test_a_plan_ends_when_it_is_asked_to(podium, files) -> None:
    report = json.loads(podium("plan", *files, "-o", "json", "--until", "20s").output)
    assert (report["placements"], report["untilSeconds"]) == ([], 20.0)
    assert [one["pod"] for one in report["pending"]] == ["default/new"]


def test_alike_findings_are_told_once(podium, write) -> None:
    state = write("s.yaml", node("n", "1"))
    new = write("n.yaml", workload("ReplicaSet", "web", "2", replicas=3), pod("big", "9"))
    result = podium("plan", "-f", state, "--apply", new, "--fail-on", "pending")
    told = [line for line in result.stderr.splitlines() if not line.startswith("warning: ")]
    assert told[0] == "failed on pending: 4 of them"
    assert [re.sub("-[a-z0-9]{5} .*", "", line).split()[0] for line in told[1:3]] == [
        "default/big",
        "default/web",
    ]
    assert told[-1] == "    and 2 more of ReplicaSet default/web"


KUBE = {"apiVersion": "kubescheduler.config.k8s.io/v1", "kind": "KubeSchedulerConfiguration"}
APART = {"podAntiAffinity": required("podAntiAffinity", near("new", ZONE))["podAntiAffinity"]}
QUOTA = {
    "apiVersion": "v1",
    "kind": "ResourceQuota",
    "metadata": {"name": "compute", "namespace": "default"},
    "spec": {"hard": {"pods": "1"}},
}
AHEAD = {
    "apiVersion": "coordination.k8s.io/v1",
    "kind": "Lease",
    "metadata": {"name": "n", "namespace": "kube-node-lease"},
    "spec": {"renewTime": "2999-01-01T00:00:00.000000Z"},
}
AGENT = workload("DaemonSet", "agent", uid="d")
CROSS_NODE = {
    "apiVersion": "podium.dev/v1alpha1",
    "kind": "SchedulerOptions",
    "preemptionScope": "CrossNode",
}
OFTEN = ", 42 times until t\\+10s"
LACKS = "Node didn't have enough resource: cpu, requested: {}, used: 0, capacity: {}"
SAID: dict[str, tuple[list[Obj], list[Obj], str, list[str]]] = {
    "victims are shown on their own nodes": (
        [
            *(HIGH, *(node(name, zone="z") for name in "ab")),
            *(pod(f"old-{on}", on=on, affinity=APART) for on in "ab"),
        ],
        [NEW],
        "--scheduler-config CROSS",
        ["default/old-a +a +0 +default/new.*", "default/old-b +b +0 +default/new.*"],
    ),
    "the namespace is for objects and targets that name none": (
        [node("n"), pod("p", namespace=None)],
        [pod("q", namespace=None)],
        "-n team --delete pod/p",
        ["team/q  n     0         t\\+0s  fits"],
    ),
    "a configuration decides": (
        [node("n")],
        [pod("p")],
        "--scheduler-config MINE",
        ["IGNORED BY THESE PROFILES"],
    ),
    "a state that is ahead of the clock is warned about": (
        [node("n"), AHEAD],
        [],
        "",
        ["warning: .*2999-01-01T00:00:00Z \\(renewTime of Lease n\\).*begins then.*"],
    ),
    "warnings go to standard error": (
        [node("n", uid="u")],
        [],
        "",
        ["warning: the state is incomplete: it has no .*"],
    ),
    "everything else has its section": (
        [node("n"), pod("old", on="n")],
        [
            pod("fixed", "9", on="n"),
            pod("gated", schedulingGates=[{"name": "a.b/c"}]),
            pod("foreign", schedulerName="mine"),
            pod("big", "9"),
            workload("ReplicaSet", "web", template={"priorityClassName": "nope"}),
        ],
        "--delete pod/old:force",
        [
            f"default/fixed  n     OutOfcpu  {LACKS.format(9000, 4000)}",
            "default/gated  waiting for scheduling gates: \\[a.b/c\\]",
            "default/foreign  mine",
            "default/old  n     is deleted",
            "PENDING",
            ".*ReplicaSet default/web.*",
            "0 pods placed, 0 preempted, 1 pending, 1 gated, 1 rejected by the API, "
            "1 refused by nodes, 1 ignored, 1 removed.",
        ],
    ),
    "a quota that rejects pods is named in the summary": (
        [node("n"), QUOTA],
        [workload("ReplicaSet", "web", replicas=3)],
        "--fail-on rejected",
        [
            "2 pods of ReplicaSet default/web are rejected, as ResourceQuota default/compute is "
            "exceeded: requested: pods=1, used: pods=1, limited: pods=1.",
            "failed on rejected: 2 of them",
            "  2 pods of ReplicaSet default/web are rejected: .*",
        ],
    ),
    "a place after the end of the plan is told from none": (
        [node("a", "1"), HIGH, pod("slow", on="a", terminationGracePeriodSeconds=900)],
        [pod("urgent", priorityClassName="high")],
        "--fail-on pending",
        [
            "default/urgent  a, which has room from t\\+900s on.*",
            "  default/urgent waits for pods to leave a by t\\+900s, after the plan's end: .*",
        ],
    ),
    "a daemon that is taken away says what its node lacks": (
        [node("n"), AGENT, pod("agent-1", on="n", owner=AGENT, uid="p")],
        [workload("DaemonSet", "agent", template={"nodeSelector": {"disk": "ssd"}}, uid="d")],
        "",
        [
            "default/agent-1  n +DaemonSet default/agent may not run there: asks for disk=ssd; "
            "the node has no label disk"
        ],
    ),
    "a refusal is told without the template that it quotes": (
        [node("a"), workload("Job", "once", uid="j")],
        [workload("Job", "once", "2")],
        "",
        [
            'Job default/once +- +Job.batch "once" is invalid: spec.template: Invalid value: '
            "\\{…\\}: field is immutable"
        ],
    ),
    "an object that stands twice is noted": (
        [node("n")],
        [pod("p"), pod("p", containers=[container("2")])],
        "",
        ["NOTES", ".*Pod default/p stands twice.*"],
    ),
    "a pod that is refused again and again is told once": (
        [node("n", "500m")],
        [workload("ReplicaSet", "pinned", replicas=1, template={"nodeName": "n"})],
        "--until 10s --fail-on refused",
        [
            "ReplicaSet default/pinned: n refuses each of its pods as soon as it is created"
            f"{OFTEN} \\(OutOfcpu\\): {LACKS.format(1000, 500)}.",
            f".*OutOfcpu{OFTEN}.*",
            ".*\\); so do 41 made in its place, until t\\+10s.*",
            f".*is refused by n{OFTEN}: {LACKS.format(1000, 500)}.*",
        ],
    ),
    "what depends on chance is said": (
        [node("a"), node("b")],
        [pod("p")],
        "--seeds 9",
        ["CHANCE", "default/p: [ab] \\(\\d of 9\\), [ab] \\(\\d of 9\\)"],
    ),
    "what doesn't depend on chance is said": (
        [node("a"), pod("p")],
        [],
        "--seeds 2",
        ["2 seeds come to the same: nothing was seen to depend on chance"],
    ),
    "what conditions let through is told": (
        [node("n", "1")],
        [pod("p", "2")],
        "--fail-on pending:namespace=default=allow",
        ["let through by pending:namespace=default=allow: 1, in default"],
    ),
    "what a plan failed on is named": (
        STATE,
        [NEW],
        "--fail-on preemption,pending",
        ["failed on preemption: 1 of them", "  default/low is preempted on n by default/new"],
    ),
}


@pytest.mark.parametrize("what", SAID)
def test_the_plan_says_that(podium, write, what: str) -> None:
    state, news, options, lines = SAID[what]
    files = ["-f", write("s.yaml", *state)]
    files += ["--apply", write("n.yaml", *news)] if news else []
    configurations = {
        "CROSS": write("cross.yaml", CROSS_NODE),
        "MINE": write("mine.yaml", {**KUBE, "profiles": [{"schedulerName": "mine"}]}),
    }
    words = [configurations.get(word, word) for word in options.split()]
    result = podium("plan", *words, *files, "-o", "wide" if "chance" in what else "table")
    printed = [*result.stdout.splitlines(), *result.stderr.splitlines()]
    for line in lines:
        assert any(re.fullmatch(line, one) for one in printed), (line, result.output)
    assert "warning: " not in result.stdout


FITS, PENDING = [node("n", "1"), pod("big", "9")], ([node("n", "1")], [pod("p", "2")])
CODES = [
    *((STATE, [NEW], f"--fail-on {one}", 2) for one in ("preemption", "eviction", "pdb-violation")),
    (STATE, [NEW], "--fail-on pending", 0),
    (STATE, [NEW], "--fail-on pending,preemption", 2),
    (STATE, [NEW], "--fail-on pending --fail-on preemption", 2),
    (*PENDING, "--fail-on preemption,eviction,pdb-violation", 0),
    (*PENDING, "--fail-on preemption --fail-on eviction", 0),
    (*PENDING, "--fail-on pending", 2),
    (*PENDING, "--fail-on pending:namespace=default=allow", 0),
    (FITS, [pod("fits")], "--fail-on pending", 2),
    (FITS, [pod("fits")], "--fail-on pending --baseline", 0),
    ([node("n"), pod("p", on="n")], [], "--delete pod/p --fail-on eviction", 0),
    ([node("n"), pod("p", on="n")], [], "--delete node/n --fail-on eviction", 2),
]


@pytest.mark.parametrize(("state", "news", "options", "code"), CODES)
def test_the_exit_code_says_whether_a_condition_is_met(
    podium, write, state: list[Obj], news: list[Obj], options: str, code: int
) -> None:
    files = ["-f", write("s.yaml", *state)]
    files += ["--apply", write("n.yaml", *news)] if news else []
    assert podium("plan", *files, *options.split()).exit_code == code


@pytest.mark.parametrize(
    ("options", "error"),
    [
        ("--fail-on pending,boredom", f"--fail-on: unknown condition boredom; known are {KNOWN}"),
        ("--delete pod/nobody", "--delete: the state has no Pod default/nobody"),
        ("--scheduler-config EXTENDED", "EXTENDED: extenders"),
        ("--scheduler-config BROKEN", "BROKEN, line "),
        *(
            (f"--until={text}", f"--until {text}: must be a duration, such as 90s or 10m")
            for text in ("soon", "0s", "-5s")
        ),
    ],
)
def test_what_cant_be_planned_is_an_error(
    podium, files, write, tmp_path: Path, options: str, error: str
) -> None:
    (tmp_path / "broken.yaml").write_text("a: [")
    paths = {
        "EXTENDED": write("c.yaml", {**KUBE, "extenders": [{"urlPrefix": "http://localhost"}]}),
        "BROKEN": str(tmp_path / "broken.yaml"),
    }
    for word, path in paths.items():
        options, error = options.replace(word, path), error.replace(word, path)
    result = podium("plan", *files, *options.split())
    assert result.exit_code == 1
    assert result.output.startswith(f"error: {error}")
