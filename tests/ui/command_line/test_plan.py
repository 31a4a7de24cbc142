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
from tests.objects import ZONE, budget, container, node, pod, priority_class, reference, workload

HIGH = priority_class("high", 1000)
STATE = [HIGH, node("n", "1"), budget("low", minAvailable=1), pod("low", on="n")]
NEW = pod("new", priorityClassName="high")


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


def test_victims_are_shown_on_their_own_nodes(podium, write) -> None:
    zone = {"labelSelector": {"matchLabels": {"app": "new"}}, "topologyKey": ZONE}
    apart = {"podAntiAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": [zone]}}
    old = [pod(f"old-{on}", on=on, affinity=apart) for on in ("a", "b")]
    state = write("state.yaml", HIGH, *(node(name, zone="z") for name in ("a", "b")), *old)
    head = {"apiVersion": "podium.dev/v1alpha1", "kind": "SchedulerOptions"}
    options = write("options.yaml", {**head, "preemptionScope": "CrossNode"})
    new = write("new.yaml", NEW)
    result = podium("plan", "-f", state, "--apply", new, "--scheduler-config", options)
    assert re.search(r"default/old-a +a +0 +default/new", result.output)
    assert re.search(r"default/old-b +b +0 +default/new", result.output)


def test_json_and_yaml_say_the_same(podium, files) -> None:
    as_json = json.loads(podium("plan", *files, "-o", "json").output)
    assert as_json == yaml.safe_load(podium("plan", *files, "-o", "yaml").output)
    (placement,) = as_json["placements"]
    assert (placement["pod"], placement["node"], placement["at"]) == ("default/new", "n", 30.0)
    assert list(as_json)[:4] == ["apiVersion", "kind", "counts", "workloads"]


def test_what_a_plan_failed_on_is_named(podium, files) -> None:
    result = podium("plan", *files, "--fail-on", "preemption,pending")
    assert result.exit_code == 2
    assert result.output.splitlines()[-2:] == [
        "failed on preemption: 1 of them",
        "  default/low is preempted on n by default/new",
    ]


def test_gates_come_from_a_file_too(podium, files, tmp_path) -> None:
    (tmp_path / "gates").write_text("preemption:priority>=100 # nobody who matters\n")
    assert podium("plan", *files, "--gates", str(tmp_path / "gates")).exit_code == 0
    (tmp_path / "gates").write_text("pdb-violation\n")
    assert podium("plan", *files, "--gates", str(tmp_path / "gates")).exit_code == 2


def test_a_baseline_leaves_what_is_so_anyway(podium, write) -> None:
    state = write("s.yaml", node("n", "1"), pod("big", "9"))
    files = ["-f", state, "--apply", write("n.yaml", pod("fits")), "--fail-on", "pending"]
    assert podium("plan", *files).exit_code == 2
    assert podium("plan", *files, "--baseline").exit_code == 0


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


@pytest.mark.parametrize(
    ("condition", "code"),
    [
        ("preemption", 2),
        ("eviction", 2),
        ("pdb-violation", 2),
        ("pending", 0),
        ("pending,preemption", 2),
        ("pending, preemption", 2),
    ],
)
def test_conditions_of_failure(podium, files, condition: str, code: int) -> None:
    assert podium("plan", *files, "--fail-on", condition).exit_code == code


def test_what_conditions_let_through_is_told(podium, write) -> None:
    files = ["-f", write("s.yaml", node("n", "1")), "--apply", write("n.yaml", pod("p", "2"))]
    result = podium("plan", *files, "--fail-on", "pending:namespace=default=allow")
    assert result.exit_code == 0
    assert "let through by pending:namespace=default=allow: 1, in default\n" in result.stderr


def test_pods_that_stay_pending_fail(podium, write) -> None:
    files = ["-f", write("s.yaml", node("n", "1")), "--apply", write("n.yaml", pod("p", "2"))]
    conditions = ["preemption", "eviction", "pdb-violation"]
    assert podium("plan", *files, "--fail-on", ",".join(conditions)).exit_code == 0
    assert podium("plan", *files, *(f"--fail-on={c}" for c in conditions)).exit_code == 0
    assert podium("plan", *files, "--fail-on", "pending").exit_code == 2


def test_a_deletion_that_was_asked_for_is_no_eviction_but_what_goes_with_a_node_is(
    podium, write
) -> None:
    state = write("s.yaml", node("n"), pod("p", on="n"))
    for target, code in (("pod/p", 0), ("node/n", 2)):
        result = podium("plan", "-f", state, "--delete", target, "--fail-on", "eviction")
        assert result.exit_code == code


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


def test_unknown_conditions_are_an_error(podium, files) -> None:
    result = podium("plan", *files, "--fail-on", "pending,boredom")
    assert result.exit_code == 1
    assert result.output == (
        "error: --fail-on: unknown condition boredom; known are preemption, eviction, "
        "lost-work, pdb-violation, pending, rejected, refused, below-budget, unavailable, "
        "ready<N%, stuck-rollout, unplayed, undrained, stale-priority\n"
    )


def test_something_to_delete_that_isnt_there_is_an_error(podium, files) -> None:
    result = podium("plan", *files, "--delete", "pod/nobody")
    assert (result.exit_code, result.output) == (
        1,
        "error: --delete: the state has no Pod default/nobody\n",
    )


def test_the_namespace_is_for_objects_and_targets_that_dont_say(podium, write) -> None:
    bare = pod("p")
    del bare["metadata"]["namespace"]
    state, new = (
        write("s.yaml", node("n"), bare),
        write("n.yaml", {**bare, "metadata": {"name": "q"}}),
    )
    result = podium("plan", "-f", state, "--apply", new, "-n", "team", "--delete", "pod/p")
    assert "team/q  n     0         t+0s  fits" in result.output


def test_standard_input_is_read_once(podium, write) -> None:
    text = write_yaml({"apiVersion": "v1", "kind": "List", "items": [node("n"), pod("p")]})
    assert "default/p  n " in podium("plan", "-f", "-", stdin=text).output
    result = podium("plan", "-f", "-", "--apply", "-", stdin=text)
    assert (result.exit_code, result.output) == (
        1,
        "error: standard input (-) can be read only once\n",
    )


def test_a_configuration_decides(podium, write) -> None:
    config = {
        "apiVersion": "kubescheduler.config.k8s.io/v1",
        "kind": "KubeSchedulerConfiguration",
        "profiles": [{"schedulerName": "mine"}],
    }
    files = ["-f", write("s.yaml", node("n")), "--apply", write("n.yaml", pod("p"))]
    result = podium("plan", *files, "--scheduler-config", write("c.yaml", config))
    assert "IGNORED BY THESE PROFILES" in result.output


def test_a_configuration_that_isnt_supported_is_an_error(podium, files, write) -> None:
    config = {
        "apiVersion": "kubescheduler.config.k8s.io/v1",
        "kind": "KubeSchedulerConfiguration",
        "extenders": [{"urlPrefix": "http://localhost"}],
    }
    path = write("c.yaml", config)
    result = podium("plan", *files, "--scheduler-config", path)
    assert result.exit_code == 1
    assert result.output.startswith(f"error: {path}: extenders")


def test_a_configuration_that_isnt_yaml_is_an_error(podium, files, tmp_path: Path) -> None:
    path = tmp_path / "c.yaml"
    path.write_text("a: [")
    result = podium("plan", *files, "--scheduler-config", str(path))
    assert result.exit_code == 1
    assert result.output.startswith(f"error: {path}, line ")


def test_warnings_go_to_standard_error(podium, write) -> None:
    result = podium("plan", "-f", write("s.yaml", node("n", uid="u")))
    assert result.stderr.startswith("warning: the state is incomplete: it has no ")
    assert "warning" not in result.stdout


def test_a_state_that_is_ahead_of_the_clock_is_told(podium, write) -> None:
    lease = {
        "apiVersion": "coordination.k8s.io/v1",
        "kind": "Lease",
        "metadata": {"name": "n", "namespace": "kube-node-lease"},
        "spec": {"renewTime": "2999-01-01T00:00:00.000000Z"},
    }
    result = podium("plan", "-f", write("s.yaml", node("n"), lease))
    assert result.exit_code == 0
    assert "2999-01-01T00:00:00Z (renewTime of Lease n): what is played begins then" in (
        " ".join(result.stderr.split())
    )


def test_everything_else_has_its_section(podium, write) -> None:
    web = workload("ReplicaSet", "web", template={"priorityClassName": "nope"})
    new = [
        pod("fixed", "9", on="n"),
        pod("gated", schedulingGates=[{"name": "a.b/c"}]),
        pod("foreign", schedulerName="mine"),
        pod("big", "9"),
        web,
    ]
    state = write("s.yaml", node("n"), pod("old", on="n"))
    result = podium(
        "plan", "-f", state, "--delete", "pod/old:force", "--apply", write("n.yaml", *new)
    )
    for line in (
        "default/fixed  n     OutOfcpu  Node didn't have enough resource: cpu, requested: 9000, "
        "used: 0, capacity: 4000",
        "default/gated  waiting for scheduling gates: [a.b/c]",
        "default/foreign  mine",
        "default/old  n     is deleted",
    ):
        assert line in result.output.splitlines()
    assert "PENDING" in result.output
    assert "ReplicaSet default/web" in result.output
    assert (
        "0 pods placed, 0 preempted, 1 pending, 1 gated, 1 rejected by the API, "
        "1 refused by nodes, 1 ignored, 1 removed."
    ) in result.output.splitlines()


def test_alike_findings_are_told_once(podium, write) -> None:
    state = write("s.yaml", node("n", "1"))
    new = write("n.yaml", workload("ReplicaSet", "web", "2", replicas=3), pod("big", "9"))
    result = podium("plan", "-f", state, "--apply", new, "--fail-on", "pending")
    told = [line for line in result.stderr.splitlines() if not line.startswith("warning: ")]
    why = "stays pending: 0/1 nodes are available: 1 Insufficient cpu. "
    assert told[0] == "failed on pending: 4 of them"
    assert [line.partition(why)[0] for line in told[1:] if why in line] == [
        "  default/big ",
        next(line.partition(why)[0] for line in told if "default/web-" in line),
    ]
    assert told[-1] == "    and 2 more of ReplicaSet default/web, likewise"


def test_a_quota_that_rejects_pods_is_named_in_the_summary(podium, write) -> None:
    quota = {
        "apiVersion": "v1",
        "kind": "ResourceQuota",
        "metadata": {"name": "compute", "namespace": "default"},
        "spec": {"hard": {"pods": "1"}},
    }
    state = write("s.yaml", node("n"), quota)
    new = write("n.yaml", workload("ReplicaSet", "web", replicas=3))
    result = podium("plan", "-f", state, "--apply", new, "--fail-on", "rejected")
    assert result.exit_code == 2
    why = "requested: pods=1, used: pods=1, limited: pods=1"
    assert (
        "2 pods of ReplicaSet default/web are rejected, as ResourceQuota default/compute is "
        f"exceeded: {why}."
    ) in result.stdout.splitlines()
    assert "failed on rejected: 2 of them" in result.stderr.splitlines()
    assert re.search(r"^  2 pods of ReplicaSet default/web are rejected: ", result.stderr, re.M)


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


def test_a_place_after_the_plan_s_end_is_told_from_none(podium, write) -> None:
    state = write(
        "s.yaml",
        node("a", "1"),
        priority_class("high", 1000),
        pod("slow", on="a", terminationGracePeriodSeconds=900),
    )
    new = write("n.yaml", pod("urgent", priorityClassName="high"))
    result = podium("plan", "-f", state, "--apply", new, "--fail-on", "pending")
    assert "default/urgent  a, which has room from t+900s on" in result.stdout
    assert (
        "  default/urgent waits for pods to leave a by t+900s, after the plan's end: "
    ) in result.stderr


def test_a_daemon_that_is_taken_away_says_what_its_node_lacks(podium, write) -> None:
    agent = workload("DaemonSet", "agent", template={"nodeSelector": {"disk": "ssd"}}, uid="d")
    before = workload("DaemonSet", "agent", uid="d")
    state = write("s.yaml", node("n"), before, pod("agent-1", on="n", owner=before, uid="p"))
    result = podium("plan", "-f", state, "--apply", write("n.yaml", agent))
    why = "DaemonSet default/agent may not run there: asks for disk=ssd; the node has no label disk"
    assert re.search(rf"^default/agent-1  n +{why}$", result.stdout, re.M)


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


def test_a_refusal_is_told_without_the_template_that_it_quotes(podium, write) -> None:
    state = write("state", node("a"), workload("Job", "once", uid="j"))
    result = podium("plan", "-f", state, "--apply", write("new", workload("Job", "once", "2")))
    told = 'Job.batch "once" is invalid: spec.template: Invalid value: {…}: field is immutable'
    assert re.search(rf"^Job default/once +- +{re.escape(told)}$", result.output, re.MULTILINE)


def test_an_object_that_stands_twice_is_noted(podium, write) -> None:
    twice = [pod("p"), pod("p", containers=[container("2")])]
    result = podium("plan", "-f", write("s.yaml", node("n")), "--apply", write("n.yaml", *twice))
    assert "NOTES" in result.output
    assert "Pod default/p stands twice" in result.output


def test_a_plan_ends_when_it_is_asked_to(podium, files) -> None:
    report = json.loads(podium("plan", *files, "-o", "json", "--until", "20s").output)
    assert (report["placements"], report["untilSeconds"]) == ([], 20.0)
    assert [one["pod"] for one in report["pending"]] == ["default/new"]


@pytest.mark.parametrize("text", ["soon", "0s", "-5s"])
def test_a_duration_that_isnt_one(podium, files, text) -> None:
    result = podium("plan", *files, f"--until={text}")
    assert result.exit_code == 1
    assert f"--until {text}: must be a duration, such as 90s or 10m" in result.output


def test_what_depends_on_chance_is_said(podium, write) -> None:
    nodes = write("s.yaml", node("a"), node("b"))
    text = podium("plan", "-f", nodes, "--apply", write("n.yaml", pod("p")), "--seeds", "9").output
    assert re.search(r"CHANCE\ndefault/p: [ab] \(\d of 9\), [ab] \(\d of 9\)\n", text)
    alone = podium("plan", "-f", write("o.yaml", node("a"), pod("p")), "--seeds", "2").output
    assert "2 seeds come to the same: nothing was seen to depend on chance" in alone


def test_a_pod_that_is_refused_again_and_again_is_told_once(podium, write) -> None:
    state = write("state.yaml", node("n", "500m"))
    pinned = workload("ReplicaSet", "pinned", replicas=1, template={"nodeName": "n"})
    applied = write("pinned.yaml", pinned)
    result = podium("plan", "-f", state, "--apply", applied, "--until", "10s", "--fail-on=refused")
    often = ", 42 times until t+10s"
    why = "Node didn't have enough resource: cpu, requested: 1000, used: 0, capacity: 500"
    assert (
        "ReplicaSet default/pinned: n refuses each of its pods as soon as it is created"
        f"{often} (OutOfcpu): {why}."
    ) in result.stdout.splitlines()
    assert f"OutOfcpu{often}" in result.stdout
    assert f"{why}); so do 41 made in its place, until t+10s" in result.stdout
    assert f"is refused by n{often}: {why}" in result.stderr
    assert result.exit_code == 2
