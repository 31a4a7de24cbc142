"""Hints tell of all that changes a rejecting plugin's mind, but where v1.36 has gaps.

The first property is the strict one. From it follows the second, which is what it is for: pods
that sleep, as in the scheduling queue, until one of those who rejected them takes an event for
help, never sleep while they fit, if none of the plugins with gaps rejected them.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from hypothesis import given, note
from hypothesis import strategies as st

from podium.scheduler.framework.cluster_events import EventHint
from podium.scheduler.framework.cycle.diagnosis import rejecting_plugins
from podium.scheduler.framework.evaluation.filtering import Filtering, Narrowing
from podium.scheduler.framework.interface import CycleError
from podium.scheduler.queue.hints import registered_events
from podium.scheduler.scheduler import Scheduler
from podium.scheduler.snapshot.pod_info import PodInfo
from tests.properties import clusters, volume_clusters
from tests.properties.clusters import Obj
from tests.properties.happenings import Happening, Happenings, updated_itself
from tests.properties.mirrors import loaded
from tests.properties.volume_clusters import Dice

PROFILE = "default-scheduler"
# Whose hints of v1.36 miss events that change their minds; docs/queueing-hints.md says which.
WITH_GAPS = {
    "InterPodAffinity",
    "NodeVolumeLimits",
    "PodTopologySpread",
    "VolumeBinding",
    "VolumeRestrictions",
}
STEPS = 10
SCENES = 2


class Scene:
    """A cluster, pods that want to get into it, and what happens."""

    def __init__(self, seed: int) -> None:
        note(f"scene of seed {seed}")
        self.dice = dice = Dice(seed)
        drawn = clusters.scenario(dice)
        drawn["pods"] = [pod for pod in drawn["pods"] if "nodeName" in pod["spec"]]
        related = [clusters.related_pod(dice, f"r{index}") for index in range(2)]
        self.scheduler, scenario = loaded(drawn)
        self.waiting = [self.renew(pod) for pod in (*scenario.pending, *related)]
        self._happenings = Happenings(self.scheduler, dice, lambda name: clusters.pod(dice, name))

    def renew(self, obj: Obj) -> PodInfo:
        """A waiting pod as it is now; nominations would make room that no event tells of."""
        return self.scheduler.pending({**obj, "status": {}})

    def happen(self) -> Iterator[Happening]:
        yield from self.dice.one(*[self._happenings.pods] * 2, self._happenings.nodes)()


class VolumeScene(Scene):
    """The same with volumes of all sorts."""

    def __init__(self, seed: int) -> None:
        note(f"scene of seed {seed}")
        self.dice = dice = Dice(seed)
        drawn = volume_clusters.scene(dice)
        self.scheduler = Scheduler(every_node=True)
        pods = [
            {**pod, "spec": {**pod["spec"], "nodeName": name}}
            for name, placed in drawn.world.pods.items()
            for pod in placed
        ]
        self.scheduler.load(drawn.world.nodes, pods, drawn.world.objects)
        self.waiting = [self.renew(drawn.pod), self.renew(volume_clusters.pod(dice, "q"))]
        self._happenings = Happenings(
            self.scheduler, dice, lambda name: volume_clusters.pod(dice, name)
        )

    def happen(self) -> Iterator[Happening]:
        happenings = self._happenings
        yield from self.dice.one(
            *[happenings.objects] * 4, *[happenings.pods] * 2, happenings.nodes
        )()


def seeds_of(scene: type[Scene]) -> st.SearchStrategy[Iterator[Scene]]:
    return st.integers(0, 2**48).map(lambda seed: (scene(seed + n) for n in range(SCENES)))


def registrations(scheduler: Scheduler) -> dict[str, Sequence[EventHint]]:
    pipeline = scheduler.pipelines[PROFILE]
    plugins = (*pipeline.pre_enqueue, *pipeline.pre_filter, *pipeline.filter)
    return {p.name: registered_events(p) for p in plugins}


@dataclass
class Minds:
    """What the plugins think of a pod.

    Attributes:
        nodes: that there are.
        rejected: by plugin, the nodes that it rejects, whether or not others do, too.
        refused: one plugin rejects all of them, so that nobody else was asked.
    """

    nodes: set[str]
    rejected: dict[str, set[str]]
    refused: bool = False

    def accepted(self, plugin: str) -> set[str] | None:
        """The nodes that a plugin doesn't reject; None if it wasn't asked."""
        if self.refused and plugin not in self.rejected:
            return None
        return self.nodes - self.rejected.get(plugin, set())


def minds(scheduler: Scheduler, pod: PodInfo) -> Minds:
    """Raises CycleError: a plugin couldn't tell."""
    names = {row: name for name, row in scheduler.snapshot.row_of.items()}
    nodes = set(names.values())
    filtering = Filtering(scheduler.pipelines[PROFILE], scheduler.snapshot, pod)
    if not filtering.pre_filter.is_success:
        return Minds(nodes, {filtering.pre_filter.plugin: nodes}, refused=True)
    rejected: dict[str, set[str]] = {}
    for state, codes in zip(filtering.states, filtering.codes, strict=True):
        for plugin in state.plugins if isinstance(state, Narrowing) else [state.plugin]:
            known = rejected.setdefault(plugin, set())
            known.update(name for row, name in names.items() if codes[row])
    return Minds(nodes, rejected)


class Strict:
    """A pod, and what plugins thought of it last."""

    def __init__(self, scheduler: Scheduler, pod: PodInfo) -> None:
        self._scheduler = scheduler
        self._registered = registrations(scheduler)
        self._minds = self._ask(pod)

    def follow(self, pod: PodInfo, happening: Happening) -> None:
        """Who rejected, and now accepts a node that it didn't accept, takes this for help."""
        before, self._minds = self._minds, self._ask(pod)
        if before is None or self._minds is None:
            return
        for plugin, rejected in before.rejected.items():
            then, now = before.accepted(plugin), self._minds.accepted(plugin)
            if plugin not in WITH_GAPS and rejected and now is not None and not now <= then:
                assert happening.helps(pod, self._registered[plugin]), (plugin, happening)

    def _ask(self, pod: PodInfo) -> Minds | None:
        try:
            return minds(self._scheduler, pod)
        except CycleError:
            return None


class Sleeper:
    """A pod that is tried again only when one of those who rejected it takes an event for help."""

    def __init__(self, scheduler: Scheduler, pod: PodInfo) -> None:
        self._scheduler = scheduler
        self._registered = registrations(scheduler)
        self._rejecting = rejecting_plugins(scheduler.decide(pod))

    def follow(self, pod: PodInfo, happening: Happening) -> None:
        """A pod that nobody has rejected, because it fits or for an error, is awake."""
        is_awake = not self._rejecting or any(
            happening.helps(pod, self._registered[plugin]) for plugin in self._rejecting
        )
        decision = self._scheduler.decide(pod)
        sleeps = not is_awake and bool(decision.node_name)
        assert not sleeps or self._rejecting & WITH_GAPS, (self._rejecting, happening)
        if is_awake:
            self._rejecting = set() if decision.node_name else rejecting_plugins(decision)


def live(scene: Scene, watch: type[Strict] | type[Sleeper]) -> None:
    watched = [watch(scene.scheduler, pod) for pod in scene.waiting]
    for _ in range(STEPS):
        for happening in scene.happen():
            for pod, watching in zip(scene.waiting, watched, strict=True):
                watching.follow(pod, happening)
        number = scene.dice.one(*range(len(scene.waiting)))
        if scene.dice.chance(25):
            update = updated_itself(scene.dice, scene.waiting[number].obj)
            scene.waiting[number] = scene.renew(update.new)
            watched[number].follow(scene.waiting[number], update)


@given(seeds_of(Scene))
def test_plugins_change_their_minds_openly(scenes: Iterator[Scene]) -> None:
    for scene in scenes:
        live(scene, Strict)


@given(seeds_of(VolumeScene))
def test_volume_plugins_change_their_minds_openly(scenes: Iterator[Scene]) -> None:
    for scene in scenes:
        live(scene, Strict)


@given(seeds_of(Scene))
def test_nobody_sleeps_while_it_fits(scenes: Iterator[Scene]) -> None:
    for scene in scenes:
        live(scene, Sleeper)


@given(seeds_of(VolumeScene))
def test_nobody_with_volumes_sleeps_while_it_fits(scenes: Iterator[Scene]) -> None:
    for scene in scenes:
        live(scene, Sleeper)
