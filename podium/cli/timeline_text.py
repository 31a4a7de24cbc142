"""What happens in the course of a plan: who loses a place, who comes again, and when."""

from collections.abc import Iterator, Mapping

from rich.text import Text

from podium.cli.output import Cell
from podium.plan.outcome import Disruption, Happening, Moment, Plan, Return, why_never

LINES_MAX = 20
_LOST, _WAITING, _PLACED = "red", "yellow", "green"

_SAYINGS = {
    Happening.CREATED: "{pod} is created",
    Happening.BOUND: "{pod} is bound to {node}",
    Happening.READY: "{pod} is ready on {node}",
    Happening.TERMINATING: "{pod} has to leave {node}",
    Happening.FAILED: "{pod} fails on {node}",
    Happening.SUCCEEDED: "{pod} has done its work on {node}",
    Happening.GONE: "{pod} is gone from {node}",
}

DISRUPTION_HEADINGS = ("POD", "NODE", "PRIORITY", "WHEN", "WHY", "DEPTH", "COMES AGAIN")


def time_text(at_s: float) -> str:
    """A time since the beginning of a plan."""
    return f"t+{round(at_s, 1):.12g}s"


def sleep_text(fits_on: str, tried_at_s: float | None) -> str:
    """What is to be said of a pod that waits for an event though it would fit; else empty."""
    if not fits_on or tried_at_s is None:
        return ""
    when = time_text(tried_at_s)
    return f"would fit on {fits_on} by now, but no event wakes it: it is tried at {when}"


def disruption_rows(plan: Plan, *, wide: bool) -> Iterator[tuple[Cell, ...]]:
    """A row for each pod that loses its place.

    Args:
        plan: that it loses it in.
        wide: name all pods, rather than the workloads that they belong to.
    """
    rows = (*plan.placements, *plan.pending, *plan.disruptions)
    workloads = {} if wide else {row.pod: row.workload for row in rows}
    for one in plan.disruptions:
        yield (
            Text(one.pod, style=_LOST),
            one.node,
            str(one.priority),
            time_text(one.at_s),
            _why(one, workloads),
            str(one.depth),
            _return(one, wide=wide),
        )


def timeline_lines(timeline: tuple[Moment, ...]) -> Iterator[str]:
    """The timeline as sentences; what goes at once just goes, unless there is a reason."""
    gone = {(one.uid, one.at_s) for one in timeline if one.happening is Happening.GONE}
    shown = [
        one
        for one in timeline
        if one.happening is not Happening.TERMINATING
        or (one.uid, one.at_s) not in gone
        or one.detail
        or one.by
    ]
    width = max((len(time_text(moment.at_s)) for moment in shown), default=0)
    for moment in shown:
        yield f"{time_text(moment.at_s):<{width}}  {_sentence(moment)}"


def _return(one: Disruption, *, wide: bool) -> Text:
    if one.comes_again is Return.SURPLUS:
        return Text("no: its workload has all the pods that it wants")
    if one.replacement:
        name = f"{one.replacement}, which " if wide else ""
        if not one.replaced_on:
            return Text(f"{name}is pending", style=_WAITING)
        when = "" if one.replaced_at_s is None else f", {time_text(one.replaced_at_s)}"
        return Text(f"{name}is on {one.replaced_on}{when}", style=_PLACED)
    match one.comes_again:
        case Return.CERTAIN:
            return Text("not yet", style=_WAITING)
        case Return.AFTER_NODE:
            return Text(f"only once {one.node} answers, or is deleted", style=_WAITING)
        case Return.UNKNOWN:
            return Text(f"not known of a {one.owner.partition(' ')[0]}", style=_WAITING)
    return Text(why_never(one), style=_LOST)


def _why(one: Disruption, workloads: Mapping[str, str]) -> str:
    by = workloads.get(one.by, one.by).removeprefix("Pod ")
    return f"gives way to {by}" if by else f"{one.cause.clause}{one.times}"


def _sentence(moment: Moment) -> str:
    text = _SAYINGS[moment.happening].format(pod=moment.pod, node=moment.node or "no node")
    if moment.happening is Happening.CREATED:
        return f"{text} in place of {moment.by}" if moment.by else text
    if moment.by:
        return f"{text}: {moment.by} needs the room"
    text = f"{text}: {moment.detail}" if moment.detail else text
    if moment.repeats:
        until = time_text(moment.repeated_until_s or 0.0)
        text += f"; so do {moment.repeats} made in its place, until {until}"
    return text
