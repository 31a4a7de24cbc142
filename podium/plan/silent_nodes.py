"""Nodes that fall silent in the course of a plan: when they are tainted, or why they aren't."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from podium.api.objects import Object, labels
from podium.api.pod_specs import tolerations_of
from podium.api.taints import NO_EXECUTE, tolerates
from podium.api.well_known import ZONE_LABEL
from podium.documents.report import Report
from podium.simulation.timeline_sentences import clock

if TYPE_CHECKING:
    from podium.plan.play import Play

_UNREACHABLE = "node.kubernetes.io/unreachable"
_TAINT = f"{_UNREACHABLE}:{NO_EXECUTE}"


@dataclass(frozen=True, slots=True, kw_only=True)
class SilentNode(Report):
    """A node that has fallen silent, as it is in the end.

    Attributes:
        node: its name.
        tainted_at_s: since when its pods are evicted unless they tolerate that, in seconds since
            the plan began; None if they aren't.
        on_hold: why nothing is evicted from its zone; empty if that isn't so.
    """

    node: str
    tainted_at_s: float | None = None
    on_hold: str = ""

    def why_pod_stays(self, pod: Object, end_s: float) -> str:
        """Why a pod is still on the node when the plan ends, at `end_s`."""
        taint = {"key": _UNREACHABLE, "effect": NO_EXECUTE}
        tolerations = [one for one in tolerations_of(pod["spec"]) if tolerates(one, taint)]
        spans = [one.get("tolerationSeconds") for one in tolerations]
        limits_s = [int(span) for span in spans if span is not None]
        if tolerations and not limits_s:
            return "it tolerates that without end"
        if self.tainted_at_s is None:
            if self.on_hold:
                return f"nothing is evicted, as {self.on_hold}"
            return f"its node has no {NO_EXECUTE} taint before the plan's end, {clock(end_s)}"
        due_s = self.tainted_at_s + min(limits_s, default=0)
        return f"it tolerates that until {clock(due_s)}, and the plan ends at {clock(end_s)}"


def silent_nodes(play: "Play") -> Iterator[SilentNode]:
    """The nodes that have fallen silent in a play that is over."""
    for node in play.changer.silenced_s:
        tainted_at_s: float | None = None
        on_hold, found = "", play.cluster.store.get("Node", "", node)
        zone = labels(found).get(ZONE_LABEL, "") if found is not None else ""
        for entry in play.observer.entries[play.entries_before :]:
            details = entry.details
            if entry.type == "EvictionsOnHold" and details["zone"] == zone:
                place = f"of zone {zone}" if zone else "without a zone"
                nodes = f"{details['notReady']} of {details['nodes']} nodes {place}"
                on_hold = f"{nodes} aren't ready"
            elif entry.type == "EvictionsGoOn" and details["zone"] == zone:
                on_hold = ""
            elif entry.name == node and details.get("taint") == _TAINT:
                tainted_at_s = entry.at_s if entry.type == "NodeTainted" else None
        yield SilentNode(node=node, tainted_at_s=tainted_at_s, on_hold=on_hold)
