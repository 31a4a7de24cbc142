"""The library asks what the commands ask, and its answers are their reports."""

import asyncio
import inspect
import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace

import pytest

import podium
from podium import LoadedCluster, PodiumError
from podium.scheduler.config.document import KIND as CONFIGURATION_KIND
from podium.scheduler.framework.third_party_plugins import ArrayPlugin
from podium.ui.answers.answer import Answer
from podium.ui.commands.arguments import question_from
from podium.ui.commands.plan import PlanQuestion
from podium.whatif.plan.plan_report import Plan
from tests.conftest import ROOT
from tests.objects import node, pod

STATE = str(ROOT / "examples/best-practice/state")
ORANGE = str(ROOT / "examples/best-practice/orange.yaml")
RECORDING = ROOT / "examples/recording/monday"
WITHOUT_PREEMPTION = ROOT / "examples/recording/without-preemption.yaml"
HOSTILE = "<script>alert(1)</script>"


@pytest.fixture(scope="module")
def cluster() -> LoadedCluster:
    return podium.load(STATE)


def printed(*words: str) -> object:
    done = subprocess.run(
        [sys.executable, "-m", "podium", *words, "-o", "json"],
        capture_output=True,
        check=False,
        cwd=ROOT,
    )
    return json.loads(done.stdout)


def test_a_plan_is_what_the_command_prints_however_often(cluster: LoadedCluster) -> None:
    first, again = (cluster.plan(apply=ORANGE) for _ in range(2))
    assert first.to_dict() == again.to_dict()
    assert first.to_dict() == printed("plan", "-f", STATE, "--apply", ORANGE)
    assert isinstance(first, Plan)
    assert [one.object for one in first.findings("preemption")] == ["default/green-5"]
    assert "1 preempted" in repr(first)
    assert str(first).startswith("## Podium plan")


def test_gates_may_be_in_a_file_and_a_baseline_be_let_through(
    cluster: LoadedCluster, tmp_path: Path
) -> None:
    (tmp_path / "gates").write_text("preemption # nobody gives way")
    plan = cluster.plan(apply=ORANGE)
    assert [one.object for one in plan.findings(gates=tmp_path / "gates")] == ["default/green-5"]
    assert plan.findings("preemption", baseline=plan) == []
    with pytest.raises(PodiumError, match="nowhere: can't be read"):
        plan.findings(gates="nowhere")


def test_further_plans_begin_where_the_first_did_unless_the_rules_differ() -> None:
    cluster = podium.load(STATE)
    first = cluster.plan(apply=ORANGE)
    planner = cluster._planner
    assert cluster.plan(apply=ORANGE, until="20s").until_seconds == 20
    assert (
        cluster.drain("worker-4", force=True).to_dict()
        == cluster.drain("worker-4", force=True, repair=False).to_dict()
    )
    assert cluster._planner is planner
    assert cluster.plan(apply=ORANGE, repair=True).preemptions
    assert cluster._planner is not planner
    assert cluster.plan(apply=ORANGE).to_dict() == first.to_dict()


def test_what_is_applied_may_be_objects(cluster: LoadedCluster) -> None:
    (placed,) = cluster.plan(apply=[pod("new", "100m")], namespace="default").placements
    assert placed.pod == "default/new"
    assert not cluster.plan().placements


def test_changes_are_made_in_the_order_of_the_words() -> None:
    words = {"drain": ["a", "b"], "apply": Path("x.yaml"), "scale": "deploy/w=1"}
    asked = question_from(PlanQuestion, words)
    assert asked.order == ("drain", "drain", "apply", "scale")
    assert asked.apply == [Path("x.yaml")]


def test_an_option_of_a_question_is_a_word_with_its_help() -> None:
    shown = inspect.signature(LoadedCluster.plan)
    assert list(shown.parameters)[:1] == ["self"]
    assert shown.parameters["seeds"].default == 1
    assert "seeds (int): Number of simulations" in inspect.getdoc(LoadedCluster.plan)
    assert "until (str | float): " in inspect.getdoc(LoadedCluster.plan)
    assert LoadedCluster.plan.__name__ == "plan"
    assert "serve" not in shown.parameters
    assert str(inspect.signature(LoadedCluster.drain)).startswith("(self, /, *nodes, ")
    assert [*inspect.signature(podium.compare).parameters][:3] == ["a", "b", "scenarios"]


ANSWERS: dict[str, Callable[[LoadedCluster], Answer]] = {
    "explain": lambda cluster: cluster.explain("red-1"),
    "explain a workload": lambda cluster: cluster.explain("deploy/orange", apply=ORANGE),
    "eviction": lambda cluster: cluster.explain_eviction("worker-1"),
    "drain": lambda cluster: cluster.drain("worker-4", force=True),
    "drain by label": lambda cluster: cluster.drain(selector="!none", force=True, timeout="5m"),
    "fail": lambda cluster: cluster.fail("worker-4"),
    "resilience": lambda cluster: cluster.resilience("worker-4", drains=False, workers=1),
    "capacity": lambda cluster: cluster.capacity(ORANGE),
    "nodes": lambda cluster: cluster.capacity(ORANGE, node_shape="m=cpu=4,memory=8Gi:1", tries=3),
    "rollout": lambda cluster: cluster.rollout(classes=[ORANGE]),
    "lint": lambda cluster: cluster.lint(),
    "replay": lambda _: podium.simulate(recording=RECORDING, config=WITHOUT_PREEMPTION),
    "simulate": lambda _: podium.simulate(ROOT / "examples/scenarios/colours.yaml"),
}
SCENARIO = {"id": "one", "nodes": [node("n")], "pending": [pod("p")]}
SAMPLE = ROOT / "examples/openb-sample"
OTHERS: dict[str, Callable[[], Answer]] = {
    "decisions": lambda: podium.decisions(SCENARIO, {}),
    "eviction": lambda: podium.decisions({"id": "q", "qos": {"spec": {}}}, eviction=True),
    "benchmark": lambda: podium.benchmark("SchedulingBasic/5Nodes"),
    "import": lambda: podium.import_trace("openb", SAMPLE / "nodes.csv", SAMPLE / "pods.csv"),
}


@pytest.mark.parametrize("name", ANSWERS)
def test_an_answer_shows_itself_and_is_a_table(cluster: LoadedCluster, name: str) -> None:
    answer = ANSWERS[name](cluster)
    assert answer.to_dict()["apiVersion"] == "podium.dev/v1alpha1"
    assert answer._repr_html_().startswith('<div class="podium">')
    assert "<html" not in answer._repr_html_()
    assert answer.to_html().startswith("<!DOCTYPE html>")
    assert repr(answer).startswith("<")
    pytest.importorskip("pandas")
    assert len(answer.to_pandas()) > 0


@pytest.mark.parametrize("name", OTHERS)
def test_so_do_answers_that_are_no_report(name: str) -> None:
    answer = OTHERS[name]()
    assert json.loads(json.dumps(answer.to_dict())) == answer.to_dict()
    assert answer._repr_html_().startswith('<div class="podium">')
    assert str(answer).startswith("## Podium ")
    pytest.importorskip("pandas")
    assert len(answer.to_pandas()) > 0


def test_scenarios_are_decided_as_by_the_command(tmp_path: Path) -> None:
    path = tmp_path / "scenarios"
    path.write_text(f"{json.dumps(SCENARIO)}\n{{}}\n")
    done = subprocess.run(
        [sys.executable, "-m", "podium", "decide", str(path)], capture_output=True, check=False
    )
    told = [json.loads(line) for line in done.stdout.splitlines()]
    assert podium.decisions(path).to_dict() == {"answers": told}
    (decided, refused) = told
    assert decided["decisions"][0]["best"] == ["n"]
    assert refused["error"] == "line 2: pending: Required value"


def test_a_trace_is_what_the_command_writes(tmp_path: Path) -> None:
    files = [str(SAMPLE / one) for one in ("nodes.csv", "pods.csv")]
    done = subprocess.run(
        [sys.executable, "-m", "podium", "import", "openb", *files, "--limit", "2"],
        capture_output=True,
        check=False,
    )
    trace = podium.import_trace("openb", *files, limit=2)
    assert trace.text == done.stdout.decode()
    assert trace.to_dict()["kind"] == "Scenario"
    (tmp_path / "s.yaml").write_text(trace.text)
    assert podium.simulate(tmp_path / "s.yaml", until="1s").kind == "Simulation"
    with pytest.raises(PodiumError, match="0%: must be a percentage above"):
        podium.import_trace("openb", *files, capacity="0%")
    with pytest.raises(PodiumError, match="trace_format: must be one of openb, but is 'borg'"):
        podium.import_trace("borg", *files)


def test_a_running_cluster_is_read_where_an_event_loop_runs(podium_cluster: podium.Cluster) -> None:
    async def cell() -> tuple[podium.LoadedCluster, Answer, Answer]:
        where = podium_cluster.kubeconfig
        own = podium.snapshot(kubeconfig=where)
        return podium.load(kubeconfig=where), own, podium.snapshot(kubeconfig=where, anonymize=True)

    loaded, own, anonymous = asyncio.run(cell())
    assert loaded.plan().warnings == ()
    assert len(own.to_dict()["items"]) == len(anonymous.to_dict()["items"]) > 0
    assert "podium-1" in json.dumps(own.to_dict())
    assert "podium-1" not in json.dumps(anonymous.to_dict())
    assert own._repr_html_().startswith('<div class="podium">')


def test_a_plan_of_a_running_cluster_begins_when_it_is_read(
    podium_cluster: podium.Cluster, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(
        "podium.ui.inputs.state_inputs.time", SimpleNamespace(time=lambda: 4e9 + 0.5)
    )
    loaded = podium.load(kubeconfig=podium_cluster.kubeconfig)
    assert loaded._state.start_s == 4e9


def test_no_extra_is_needed_to_import_it() -> None:
    without = "sys.modules['aiohttp'] = sys.modules['pandas'] = None"
    code = f"import sys; {without}; import podium.ui.library"
    subprocess.run([sys.executable, "-c", code], check=True)


def test_tables_are_named_as_in_json(cluster: LoadedCluster) -> None:
    pytest.importorskip("pandas")
    plan = cluster.plan(apply=ORANGE)
    (victim,) = plan.to_pandas("preemptions.victims").to_dict("records")
    assert victim["pdbViolation"] is plan.preemptions[0].victims[0].pdb_violation
    assert victim["pod"] == "default/green-5"
    assert victim["preemptions.node"] == "worker-6"
    assert plan.to_pandas("pending").empty


def test_a_simulation_has_its_lines() -> None:
    pytest.importorskip("pandas")
    lines = podium.simulate(ROOT / "examples/scenarios/colours.yaml").to_pandas("lines")
    assert [*lines.columns] == ["seconds", "measure", "of", "name", "value"]


def test_a_comparison_and_a_sweep(tmp_path: Path) -> None:
    scenario = str(ROOT / "examples/scenarios/one-pod.yaml")
    found = podium.compare("default", "default", scenario, seeds=1, workers=1)
    assert found.pairs
    assert found.rows == "differences"
    text = {"apiVersion": "podium.dev/v1alpha1", "kind": "Sweep", "metadata": {"name": "s"}}
    spec = {"scenarios": [scenario], "seeds": 1, "settings": []}
    (tmp_path / "sweep.yaml").write_text(json.dumps({**text, "spec": spec}))
    with pytest.raises(PodiumError, match=r"sweep\.yaml"):
        podium.sweep(tmp_path / "sweep.yaml")


@pytest.mark.parametrize(
    ("ask", "message"),
    [
        (lambda cluster: cluster.plan(aply="x"), "aply: unknown; is apply meant?"),
        (lambda cluster: cluster.plan(xyz=1), "xyz: unknown; arguments are validate, "),
        (lambda cluster: cluster.plan("x"), "'x': needs a keyword; positional arguments are none"),
        (lambda cluster: cluster.explain(), "pod: is missing"),
        (lambda cluster: cluster.plan(seeds="3"), "seeds: must be a whole number, but is '3'"),
        (lambda cluster: cluster.plan(seeds=0), "seeds: must be at least 1, but is 0"),
        (lambda cluster: cluster.plan(repair=1), "repair: must be a bool, but is 1"),
        (lambda cluster: cluster.plan(until=("x" * 80,)), "until: must be .*, but is a tuple"),
        (lambda cluster: cluster.plan(drain=5), "drain: must be a text, a path or several, but"),
        (lambda cluster: cluster.plan(plugin=7), "plugin: must be a text such as ./cheap.py:Cheap"),
        (
            lambda cluster: cluster.plan(plugin=Nameless),
            "^plugin Nameless: .* isn't a plugin class with a name",
        ),
        (lambda cluster: cluster.plan(until=-1), "^until -1: must be a duration"),
        (lambda cluster: cluster.explain({}), r"^pod: must be a text \(\[NAMESPACE/\]POD"),
        (
            lambda cluster: cluster.plan(scheduler_config={"kind": "Policy"}),
            r"^scheduler_config: documents\[0\]\.kind: ",
        ),
        (lambda _: podium.load(3), "^state: must be a file, a directory, an object or several"),
        (lambda cluster: cluster.plan(validate="x"), "validate: must be one of strict, warn, igno"),
        (lambda cluster: cluster.plan(until="x"), "^until x: must be a duration such as 90s"),
        (lambda cluster: cluster.plan(scale="x"), "^scale x: expected KIND/NAME=REPLICAS"),
        (lambda cluster: cluster.plan(set_values="a=b"), "^set_values needs helm"),
        (lambda cluster: cluster.plan(apply="nowhere.yaml"), "nowhere.yaml: can't be read"),
        (lambda cluster: cluster.plan(drain="n"), "the state has no Node n"),
        (lambda cluster: cluster.explain("nobody"), "there is no pod default/nobody"),
        (lambda cluster: cluster.plan().to_pandas("x"), "there is no list x; lists are workloads,"),
        (lambda _: podium.load("nowhere"), "nowhere: can't be read"),
        (
            lambda _: podium.simulate("x", recording=RECORDING),
            "^recording can't be combined with a scenario",
        ),
    ],
)
def test_mistakes(
    cluster: LoadedCluster, ask: Callable[[LoadedCluster], object], message: str
) -> None:
    with pytest.raises(PodiumError, match=message):
        ask(cluster)


class Nameless:
    pass


class NowhereButWorker4(ArrayPlugin):
    name = "NowhereButWorker4"
    reason = "node(s) weren't worker-4"

    def filter_nodes(self, pod, nodes):
        return nodes.label("kubernetes.io/hostname") == "worker-4"


def test_values_may_be_classes_documents_and_numbers(cluster: LoadedCluster) -> None:
    configuration = {"apiVersion": "kubescheduler.config.k8s.io/v1", "kind": CONFIGURATION_KIND}
    written = {**configuration, "profiles": [{"schedulerName": "mine"}]}
    (missed,) = cluster.plan(apply=ORANGE, scheduler_config=written).ignored
    assert missed.scheduler_name == "default-scheduler"
    (placed,) = cluster.plan(apply=ORANGE, plugin=NowhereButWorker4).placements
    assert placed.node == "worker-4"
    whole = cluster.plan(apply=ORANGE)
    for until in (600, 600.0, "10m"):
        assert cluster.plan(apply=ORANGE, until=until).placements == whole.placements
    assert cluster.plan(apply=ORANGE, until=0.5).until_seconds == 0.5


def test_tables_have_their_columns_without_rows(cluster: LoadedCluster) -> None:
    plan = cluster.plan()
    assert not len(plan.to_pandas("preemptions.victims"))
    columns = [*cluster.plan(apply=ORANGE).to_pandas("preemptions.victims").columns]
    assert [*plan.to_pandas("preemptions.victims").columns] == columns
    assert {"preemptions.preemptor", "pod", "priority"} <= {*columns}
    assert {"pod", "message"} <= {*plan.to_pandas("pending").columns}


def test_without_pandas_the_error_says_what_to_install(
    cluster: LoadedCluster, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "pandas", None)
    with pytest.raises(PodiumError, match=r"pip install 'podium\[pandas\]'"):
        cluster.plan().to_pandas()


def test_notebooks_show_names_as_they_are() -> None:
    shown = podium.load(node("n")).plan(apply=pod("p", schedulerName=HOSTILE))._repr_html_()
    assert "alert(1)" in shown
    assert HOSTILE not in shown


def test_notebooks_complete_what_the_package_offers() -> None:
    assert {"load", "simulate", "Cluster"} < set(dir(podium))
    assert all(getattr(podium, name) for name in dir(podium))
