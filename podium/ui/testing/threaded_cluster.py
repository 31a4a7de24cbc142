"""A cluster in a thread of the test process, with a clock that the test advances."""

import asyncio
import concurrent.futures
import reprlib
import threading
import time
from collections.abc import Callable, Coroutine, Iterable, Mapping, Sequence
from http import HTTPStatus
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self, TypeVar

from podium.api.errors import PodiumError, RefusedError
from podium.api.kinds.builtin_kinds import kind_of
from podium.api.objects import DEFAULT_NAMESPACE, Object, condition_of, key, part, spec_of
from podium.api.values.message_words import and_more
from podium.apiserver.registry import BUILT_IN, Registry
from podium.cluster.embedded.cluster import EmbeddedCluster, EmbeddedOptions
from podium.cluster.embedded.cluster_clock import STOPPED, parse_speed
from podium.cluster.embedded.defaults import ALL_CONTROLLERS, DEFAULT_NODES, NodeShape
from podium.cluster.embedded.in_process_client import InProcessClient
from podium.cluster.embedded.initial_objects import (
    InitialKinds,
    parse_shape,
    read_manifests,
    simulated_nodes,
)
from podium.cluster.embedded.kubeconfig import write_node_kubeconfig
from podium.cluster.virtual import SchedulerSetup
from podium.cluster.virtual.controller_list import chosen_controllers

if TYPE_CHECKING:
    from podium.ui.answers.plan_answer import PlanAnswer

_LOOK_S = 0.05
_PODS_TOLD = 5
Source = str | Path | Object
"""A manifest: a file, a directory, or an object."""
T = TypeVar("T")


class Cluster:
    """A cluster with the Kubernetes API, which runs inside of `with`.

    Without `speed`, the clock stands still: what takes no time happens at once, everything else
    when `advance` is called.

    Args:
        nodes: number of simulated nodes, `podium-1` and so on; None for three, or none if the
            manifests have nodes.
        node_shape: more resources of nodes, such as `nvidia.com/gpu=1,ephemeral-storage=50Gi`.
        zones: number of zones, `zone-1` and so on, over which nodes are spread; 0 for none.
        manifests: files, directories or objects to load at the start.
        assume_healthy: whether pods and nodes of the manifests become healthy at the start.
        speed: `1x`, `10x` or `max`; None for a clock that stands still.
        data_dir: directory in which the cluster is kept; None to keep nothing.
        scheduler: whether Podium schedules the pods.
        controllers: controllers to run, as for `podium up --controllers`.
        insecure_http: whether the API is served without TLS.
        seed: seed of names, uids and other random choices.

    Raises:
        PodiumError: an argument is invalid, or, on entering, the cluster can't start.
    """

    def __init__(
        self,
        *,
        nodes: int | None = None,
        node_cpu: str = "4",
        node_memory: str = "16Gi",
        node_shape: str = "",
        zones: int = 0,
        manifests: Iterable[Source] = (),
        assume_healthy: bool = False,
        speed: str | None = None,
        data_dir: Path | None = None,
        scheduler: bool = True,
        controllers: Iterable[str] = (ALL_CONTROLLERS,),
        insecure_http: bool = False,
        seed: int = 0,
    ) -> None:
        resources = parse_shape(node_shape)
        shape = NodeShape(cpu=node_cpu, memory=node_memory, resources=resources, zones=zones)
        objects = _objects_of(manifests)
        if nodes is None:
            nodes = 0 if any(obj.get("kind") == "Node" for obj in objects) else DEFAULT_NODES
        self._options = EmbeddedOptions(
            objects=[*simulated_nodes(nodes, shape), *objects],
            data_dir=data_dir,
            port=0,
            is_insecure=insecure_http,
            speed=STOPPED if speed is None else parse_speed(speed),
            schedulers=(SchedulerSetup(stopwatch=time.perf_counter),) if scheduler else (),
            controllers=chosen_controllers(controllers),
            seed=seed,
            heals=assume_healthy,
        )
        self._embedded: EmbeddedCluster | None = None
        self._started: concurrent.futures.Future[None] = concurrent.futures.Future()
        self._ended: BaseException | None = None
        self._thread = threading.Thread(target=self._run, name="podium", daemon=True)

    @property
    def kubeconfig(self) -> Path:
        """The kubeconfig of the cluster."""
        return self._running().directory.kubeconfig

    def node_kubeconfig(self, name: str) -> Path:
        """Write a kubeconfig with which `podium node` joins as a node, and return its path."""
        return write_node_kubeconfig(self._running().directory.path, name)

    @property
    def url(self) -> str:
        """The URL of the API server."""
        return self._running().served.url

    @property
    def now_s(self) -> float:
        """The time in the cluster, in seconds since the epoch."""
        return self._call(self._running().backend.now_s)

    def advance(self, duration_s: float) -> None:
        """Advance the clock, and return when all that is due has happened; raises ValueError."""
        if not duration_s >= 0:
            raise ValueError(f"duration_s: {duration_s}: a clock can't go back; must be 0 or more")
        self._await(self._running().clock.advance(duration_s))

    def apply(self, *sources: Source) -> list[Object]:
        """Apply files, directories or objects, and return what is stored; raises RefusedError."""
        objects = _objects_of(sources, self._kinds())
        return self._acting(lambda actor: actor.apply(objects))

    def get(self, kind: str, name: str, namespace: str = DEFAULT_NAMESPACE) -> Object:
        """Return an object, such as `get("Pod", "web")`; raises RefusedError."""
        return self._acting(lambda actor: actor.get(kind, name, namespace))

    def pods(self, namespace: str | None = None, *, label: str = "") -> list[Object]:
        """Return pods, such as `pods(label="app=web")`; see `list`."""
        return self.list("Pod", namespace, label=label)

    def events(
        self, namespace: str | None = None, *, reason: str | None = None, about: str | None = None
    ) -> list[Object]:
        """Return Events, the earliest first.

        Args:
            namespace: None for all.
            reason: such as `FailedScheduling`; None for any.
            about: name of the object of the Event; None for any.
        """

        def told_at(event: Object) -> str:
            times = map(event.get, ("lastTimestamp", "eventTime", "firstTimestamp"))
            return str(next(filter(None, times), ""))

        found = [
            event
            for event in self.list("Event", namespace)
            if reason in (None, event.get("reason"))
            and about in (None, part(event, "involvedObject").get("name"))
        ]
        return sorted(found, key=told_at)

    def list(self, kind: str, namespace: str | None = None, *, label: str = "") -> list[Object]:
        """Return the objects of a kind, ordered by namespace and name; raises RefusedError."""
        return self._acting(lambda actor: actor.list(kind, namespace, label))

    def wait_for(
        self, condition: Callable[[], T], *, timeout_s: float = 60.0, step_s: float = 1.0
    ) -> T:
        """Let time pass until a condition is true, and return its value.

        A clock that stands still is moved step by step.

        Args:
            condition: returns a true value when it holds; a missing object means that it doesn't
                yet.
            timeout_s: longest time to wait, in seconds of the cluster.
            step_s: time between two checks, in seconds of the cluster.

        Raises:
            TimeoutError: the condition isn't true in that time; says what it returned last, and
                why pods aren't scheduled.
        """
        end_s = self.now_s + timeout_s
        self._await(self._running().clock.advance(0))
        while True:
            try:
                if result := condition():
                    return result
                last = f"its last value is {reprlib.repr(result)}"
            except RefusedError as refused:
                if refused.code != HTTPStatus.NOT_FOUND:
                    raise
                last = str(refused)
            left_s = end_s - self.now_s
            if left_s <= 0:
                unmet = f"the condition isn't true after {timeout_s:g} s: {last}"
                raise TimeoutError("\n".join([unmet, *self._unscheduled()]))
            if factor := self._options.speed.factor:
                time.sleep(min(min(step_s, left_s) / factor, _LOOK_S))
            else:
                self.advance(min(step_s, left_s))

    def _unscheduled(self) -> Sequence[str]:
        pods = [pod for pod in self.pods() if not spec_of(pod).get("nodeName")]
        reasons = ((condition_of(pod, "PodScheduled") or {}).get("message") for pod in pods)
        lines = [
            f"pod {key(pod)} isn't scheduled: {reason or 'no scheduler has tried it'}"
            for pod, reason in zip(pods, reasons, strict=True)
        ]
        return [*lines[:_PODS_TOLD], *and_more(len(lines) - _PODS_TOLD)]

    def plan(self, *sources: Source, **arguments: Any) -> "PlanAnswer":
        """Plan changes, as `podium plan` does; the cluster isn't changed.

        Args:
            sources: files, directories or objects to apply after all other changes.
            arguments: those of `podium.LoadedCluster.plan`, such as `until`, `drain` or `seeds`.
        """
        # Most tests plan nothing, and don't wait for it.
        from podium.ui.commands.arguments import errors_name_arguments, question_from
        from podium.ui.commands.moment import Moment
        from podium.ui.commands.plan import PlanQuestion
        from podium.whatif.plan.changes import Apply
        from podium.whatif.plan.request import LoadedState, PlanRequest

        applied = [_in_namespace(obj) for obj in _objects_of(sources, self._kinds())]
        state = LoadedState(self._acting(lambda actor: [*actor.everything()]))
        request = PlanRequest(state=state, changes=(Apply(applied),))
        with errors_name_arguments(PlanQuestion):
            asked = question_from(PlanQuestion, {"namespace": DEFAULT_NAMESPACE, **arguments})
            return asked.answer(Moment(request))

    def delete(
        self,
        kind: str,
        name: str,
        namespace: str = DEFAULT_NAMESPACE,
        *,
        grace_period_s: int | None = None,
    ) -> None:
        """Delete an object; a pod terminates within its grace period; raises RefusedError."""
        self._acting(lambda actor: actor.delete(kind, name, namespace, grace_period_s))

    def __enter__(self) -> Self:
        self._thread.start()
        try:
            self._started.result()
        except BaseException:
            self._thread.join()
            raise
        return self

    def __exit__(self, kind: Any, error: BaseException | None, trace: Any) -> None:
        if self._ended is None:
            self._loop.call_soon_threadsafe(self._stop.set)
        self._thread.join()
        self._embedded = None
        if self._ended is not None and error is None:
            raise self._ended

    def _run(self) -> None:
        async def live() -> None:
            self._loop, self._stop = asyncio.get_running_loop(), asyncio.Event()
            async with EmbeddedCluster(self._options) as embedded:
                self._embedded = embedded
                self._started.set_result(None)
                await embedded.alongside(self._stop.wait())

        try:
            asyncio.run(live())
        except BaseException as error:  # noqa: BLE001 - it is raised in the thread of the test
            if self._started.done():
                self._ended = error
            else:
                self._started.set_exception(error)

    def _kinds(self) -> Registry:
        return self._call(lambda: self._running().cluster.server.kinds)

    def _running(self) -> EmbeddedCluster:
        if self._embedded is None or self._ended is not None:
            raise PodiumError("the cluster doesn't run") from self._ended
        return self._embedded

    def _acting(self, act: Callable[[InProcessClient], T]) -> T:
        def acted() -> T:
            embedded = self._running()
            embedded.clock.catch_up()
            try:
                return act(InProcessClient(embedded.cluster))
            finally:
                embedded.backend.acted()

        return self._call(acted)

    def _call(self, function: Callable[[], T]) -> T:
        async def call() -> T:
            return function()

        return self._await(call())

    def _await(self, coroutine: Coroutine[Any, Any, T]) -> T:
        try:
            self._running()
            future = asyncio.run_coroutine_threadsafe(coroutine, self._loop)
        except BaseException:
            coroutine.close()
            raise
        try:
            return future.result()
        except concurrent.futures.CancelledError:
            self._thread.join()
            raise PodiumError(f"the cluster has stopped: {self._ended}") from self._ended


def _objects_of(sources: Iterable[Source], kinds: Registry = BUILT_IN) -> list[Object]:
    objects: list[Object] = []
    known = InitialKinds(kinds.of)
    for source in sources:
        if isinstance(source, Mapping):
            if known(source) is None:
                called = f"apiVersion {source.get('apiVersion')}, kind {source.get('kind')}"
                names = ", ".join(kind.key for kind in kinds)
                raise PodiumError(f"{called}: isn't served; the kinds are {names}")
            objects.append(source)
        else:
            manifests = read_manifests([str(source)], serves=known)
            objects += [loaded.obj for loaded in manifests.objects]
    return objects


def _in_namespace(obj: Object) -> Object:
    kind = kind_of(obj)
    if kind is None or not kind.namespaced or obj["metadata"].get("namespace"):
        return obj
    return {**obj, "metadata": {**obj["metadata"], "namespace": DEFAULT_NAMESPACE}}
