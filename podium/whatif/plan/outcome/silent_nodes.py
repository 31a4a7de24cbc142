"""Nodes that fall silent in the course of a plan: when they are tainted, or why they aren't."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from podium.api.documents.report import Report
from podium.api.objects import Object, labels
from podium.api.pod_specs import tolerations_of
from podium.api.taints import NO_EXECUTE, tolerates
from podium.api.well_known import ZONE_LABEL
from podium.simulation.timeline.timeline_sentences import clock

if TYPE_CHECKING:
    from podium.whatif.plan.play import Play

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
    silent, store = play.changer.silenced_s, play.cluster.store
    tainted_s: dict[str, float] = {}
    on_hold: dict[str, str] = {}
    for entry in play.observer.entries[play.entries_before :] if silent else ():
        details = entry.details
        match entry.type:
            case "EvictionsOnHold":
                place = f"of zone {details['zone']}" if details["zone"] else "without a zone"
                few = f"{details['notReady']} of {details['nodes']} nodes {place}"
                on_hold[details["zone"]] = f"{few} aren't ready"
            case "EvictionsGoOn":
                on_hold.pop(details["zone"], None)
            case "NodeTainted" if details["taint"] == _TAINT:
                tainted_s[entry.name] = entry.at_s
            case "NodeUntainted" if details["taint"] == _TAINT:
                tainted_s.pop(entry.name, None)
    for node in silent:
        found = store.get("Node", "", node)
        zone = labels(found).get(ZONE_LABEL, "") if found is not None else ""
        yield SilentNode(node=node, tainted_at_s=tainted_s.get(node), on_hold=on_hold.get(zone, ""))
