"""What happens in the course of a plan: who loses a place, who comes again, and when."""

from collections.abc import Iterator

from podium.plan.outcome import Happening, Moment

_SAYINGS = {
    Happening.CREATED: "{pod} is created",
    Happening.BOUND: "{pod} is bound to {node}",
    Happening.READY: "{pod} is ready on {node}",
    Happening.TERMINATING: "{pod} has to leave {node}",
    Happening.FAILED: "{pod} fails on {node}",
    Happening.SUCCEEDED: "{pod} has done its work on {node}",
    Happening.GONE: "{pod} is gone from {node}",
}


def time_text(at_s: float) -> str:
    """A time since the beginning of a plan."""
    return f"t+{round(at_s, 1):.12g}s"


def sleep_text(fits_on: str, tried_at_s: float | None) -> str:
    """What is to be said of a pod that waits for an event though it would fit; else empty."""
    if not fits_on or tried_at_s is None:
        return ""
    when = time_text(tried_at_s)
    return f"would fit on {fits_on} by now, but no event wakes it: it is tried at {when}"


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
