"""The binding cycle: order of plugins, roll-back, and pods that Permit makes wait."""

import pytest

from podium.scheduler.config.load import load_configuration
from podium.scheduler.framework.cycle.binding import PERMIT_TIMEOUT_S_MAX, BindingCycle, Permit
from podium.scheduler.framework.interface import Permission
from podium.scheduler.framework.pipeline import ByShape, Pipeline
from podium.scheduler.framework.status import SUCCESS, Code, Status, unschedulable
from podium.scheduler.plugin_registry import plugin_factories
from podium.scheduler.plugins.priority_sort import PrioritySort
from podium.scheduler.scheduler import Scheduler
from podium.scheduler.snapshot.pod_classes import PodClasses
from podium.scheduler.snapshot.pod_info import PodInfo, pending_pod
from podium.scheduler.snapshot.snapshot import Snapshot

WAIT = Status(Code.WAIT)


class Recorder:
    """A plugin of every later extension point that writes down what it is asked."""

    def __init__(self, name: str, log: list[str], **answers: Status | Permission) -> None:
        self.name = name
        self._log = log
        self._answers = answers

    def _say(self, step: str) -> Status:
        self._log.append(f"{self.name} {step}")
        answer = self._answers.get(step, SUCCESS)
        assert isinstance(answer, Status)
        return answer

    def reserve(self, pod: PodInfo, node_name: str) -> Status:
        return self._say("reserve")

    def unreserve(self, pod: PodInfo, node_name: str) -> None:
        self._say("unreserve")

    def permit(self, pod: PodInfo, node_name: str) -> Permission:
        answer = self._answers.get("permit", Permission())
        assert isinstance(answer, Permission)
        return answer

    def pre_bind(self, pod: PodInfo, node_name: str) -> Status:
        return self._say("pre_bind")

    def bind(self, pod: PodInfo, node_name: str) -> Status:
        return self._say("bind")

    def post_bind(self, pod: PodInfo, node_name: str) -> None:
        self._say("post_bind")


def cycle_of(*plugins: Recorder) -> BindingCycle:
    return BindingCycle(
        Pipeline(
            "default-scheduler",
            PrioritySort(None),
            ByShape(Snapshot()),
            reserve=plugins,
            permit=plugins,
            pre_bind=plugins,
            bind=plugins,
            post_bind=plugins,
        )
    )


@pytest.fixture
def pod() -> PodInfo:
    return pending_pod({"metadata": {"name": "p", "uid": "u"}, "spec": {}}, PodClasses())


def test_all_steps_run_in_order_and_only_one_plugin_binds(pod: PodInfo) -> None:
    log: list[str] = []
    cycle = cycle_of(Recorder("a", log, bind=Status(Code.SKIP)), Recorder("b", log))
    assert cycle.reserve(pod, "n").is_success
    assert cycle.permit(pod, "n").status.is_success
    assert cycle.bind(pod, "n").is_success
    assert log == [
        *("a reserve", "b reserve"),
        *("a pre_bind", "b pre_bind"),
        *("a bind", "b bind"),
        *("a post_bind", "b post_bind"),
    ]


def test_a_failed_reserve_unreserves_all_plugins_last_first(pod: PodInfo) -> None:
    log: list[str] = []
    cycle = cycle_of(Recorder("a", log, reserve=unschedulable("no")), Recorder("b", log))
    assert cycle.reserve(pod, "n") == unschedulable("no", plugin="a")
    assert log == ["a reserve", "b unreserve", "a unreserve"]


@pytest.mark.parametrize("step", ["pre_bind", "bind"])
def test_a_failure_on_the_way_to_bound_unreserves(pod: PodInfo, step: str) -> None:
    log: list[str] = []
    cycle = cycle_of(Recorder("a", log, **{step: Status(Code.ERROR, ("broken",))}))
    point = {"pre_bind": "PreBind", "bind": "Bind"}[step]
    assert cycle.bind(pod, "n") == Status(Code.ERROR, (f'running {point} plugin "a": broken',), "a")
    assert log[-1] == "a unreserve"


def test_nobody_binding_is_an_error(pod: PodInfo) -> None:
    status = cycle_of(Recorder("a", [], bind=Status(Code.SKIP))).bind(pod, "n")
    assert status == Status(Code.ERROR, ("no bind plugin bound the pod",))


def test_a_pod_waits_for_each_plugin_for_its_own_time(pod: PodInfo) -> None:
    cycle = cycle_of(
        Recorder("a", [], permit=Permission(WAIT, 5.0)),
        Recorder("b", [], permit=Permission(WAIT, 9.0)),
    )
    assert cycle.permit(pod, "n") == Permit(WAIT, {"a": 5.0, "b": 9.0})


def test_waits_are_capped(pod: PodInfo) -> None:
    cycle = cycle_of(Recorder("a", [], permit=Permission(WAIT, 1e9)))
    assert cycle.permit(pod, "n").waits_s == {"a": PERMIT_TIMEOUT_S_MAX}


def test_one_denial_outweighs_all_waits(pod: PodInfo) -> None:
    cycle = cycle_of(
        Recorder("a", [], permit=Permission(WAIT, 5.0)),
        Recorder("b", [], permit=Permission(unschedulable("quorum"))),
    )
    assert cycle.permit(pod, "n").status == unschedulable("quorum", plugin="b")


def test_a_pod_that_is_denied_gives_its_room_back() -> None:
    scheduler = Scheduler(load_configuration([], plugin_factories().keys()).configuration)
    node = {"metadata": {"name": "n"}, "status": {"allocatable": {"cpu": "1", "pods": "9"}}}
    scheduler.load([node], [])
    denial = Recorder("gang", [], permit=Permission(unschedulable("quorum")))
    scheduler.binding["default-scheduler"] = cycle_of(denial)
    pod = scheduler.pending({"metadata": {"name": "p"}, "spec": {"containers": []}})
    status = scheduler.commit(pod, "n", "default-scheduler")
    assert status == unschedulable("quorum", plugin="gang")
    assert scheduler.snapshot.pods_on[scheduler.snapshot.row_of["n"]] == []
