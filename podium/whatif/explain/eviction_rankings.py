"""The order in which a kubelet would evict the pods of its node, with the keys of the order.

A state doesn't contain the usage of pods. They are assumed to use what they request, unless their
annotations script another usage.
"""

from typing import Annotated, Literal

from pydantic import PlainSerializer
from typing_extensions import TypedDict

from podium.api.documents.report import API_VERSION, Report
from podium.api.errors import PodiumError
from podium.api.objects import annotations, key, name, status_of, uid
from podium.api.pods import is_finished, node_name_of
from podium.api.priority import is_critical
from podium.api.resources import stored_or_computed_qos
from podium.api.values.times import epoch_s
from podium.kubelet.eviction.eviction_ranking import rank
from podium.kubelet.eviction.node_statistics import PodUsage
from podium.kubelet.eviction.signals import RESOURCES, Signal
from podium.kubelet.simulated.behaviour import BehaviourError
from podium.kubelet.simulated.scripted_usage import USAGE, usage_of
from podium.kubelet.simulated.stats_provider import usage_at
from podium.whatif.plan.plan_report import PodRow
from podium.whatif.plan.play import Play
from podium.whatif.plan.request import PlanRequest
from podium.whatif.plan.resource_pressure import with_usage

Keys = tuple[tuple[str, str], ...]


class KeyReport(TypedDict):
    """A key that pods are ordered by, and its value."""

    key: str
    value: str


class RankedPod(PodRow, kw_only=True):
    """A pod in the order of eviction."""

    qos_class: str
    """The QoS class of the pod."""
    spared: bool
    """Whether the pod is critical, so that the kubelet never evicts it."""
    usage_assumed: bool
    """Whether the pod's usage isn't known: it is assumed to use what it requests, and nothing of
    resources that can't be requested."""
    keys: Annotated[
        Keys,
        PlainSerializer(
            lambda keys: [{"key": title, "value": value} for title, value in keys],
            return_type=list[KeyReport],
        ),
    ]
    """Title and value of each key that pods are ordered by."""


class EvictionRanking(Report, kw_only=True):
    """The order of eviction on one node."""

    api_version: str = API_VERSION
    kind: Literal["EvictionRanking"] = "EvictionRanking"
    node: str
    """The name of the node."""
    signal: Signal
    """The eviction signal that falls below its threshold."""
    pods: tuple[RankedPod, ...]
    """The pods, the first to be evicted first."""


def rank_evictions(
    request: PlanRequest, node: str, signal: Signal = Signal.MEMORY_AVAILABLE
) -> EvictionRanking:
    """Rank the pods of a node in the order in which its kubelet would evict them."""
    play = Play(request)
    store = play.cluster.store
    if store.get("Node", "", node) is None:
        known = ", ".join(name(obj) for obj in store.list("Node").items) or "none"
        raise PodiumError(f"there is no node {node}; there are: {known}")
    now_s = play.cluster.driver.now_s
    pods = [
        obj for obj in store.list("Pod").items if node_name_of(obj) == node and not is_finished(obj)
    ]
    usage: dict[str, PodUsage] = {}
    for pod in pods:
        scripted = with_usage(pod, RESOURCES)
        started = status_of(pod).get("startTime")
        elapsed_s = max(now_s - epoch_s(started), 0.0) if started else 0.0
        try:
            usage[uid(pod)] = usage_at(pod, usage_of(scripted), elapsed_s, uid(pod))
        except BehaviourError as error:
            raise PodiumError(f"Pod {key(pod)}: {error}") from None
    owners = play.owners()
    ranked = []
    for one in rank(signal, pods, usage, request.eviction.filesystems, request.eviction.order):
        is_assumed = USAGE + signal.starved.annotation not in annotations(one.pod)
        ranked.append(
            RankedPod(
                **owners.row_of(one.pod),
                qos_class=stored_or_computed_qos(one.pod),
                spared=is_critical(one.pod),
                usage_assumed=is_assumed,
                # That its usage is known isn't said where it is only assumed.
                keys=tuple(
                    (title, "assumed" if is_assumed and title == "statistics" else text)
                    for title, text in one.keys
                ),
            )
        )
    return EvictionRanking(node=node, signal=signal, pods=tuple(ranked))
