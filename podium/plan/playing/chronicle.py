"""What happens to pods while a plan is played, moment by moment."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from podium.api.disruption import disruption_reason
from podium.api.meta import is_finished, is_terminating, key, uid
from podium.control.effects import Effect
from podium.control.events import Change, Event, Synced
from podium.controllers.kit.pods import is_ready
from podium.plan.outcome import Happening, Moment
from podium.plan.state import node_name

Object = Mapping[str, Any]


class Chronicle:
    """The machine that watches pods.

    Attributes:
        moments: what happened, in order.
        pods: all pods as they were last seen, by uid; those that are gone, too.
        lost: uids of pods that were disrupted, in order, with what did it and when; not of those
            that were on their way out when the plan began.
        present: uids of those that are still there.

    Args:
        start_s: when the plan begins, in seconds since the epoch.
    """

    name = "plan"
    kinds = frozenset({"Pod"})

    def __init__(self, start_s: float) -> None:
        self.moments: list[Moment] = []
        self.pods: dict[str, Object] = {}
        self.lost: dict[str, tuple[str, float]] = {}
        self.present: set[str] = set()
        self._start_s = start_s
        self._synced = False
        self._leaving: set[str] = set()

    def step(self, event: Event, now_s: float) -> Sequence[Effect]:
        """Take down what happens to a pod."""
        if isinstance(event, Synced):
            self._synced = True
        elif isinstance(event, Change):
            self._see(event, round(now_s - self._start_s, 3))
        return ()

    def next_wakeup_s(self) -> float | None:
        """Never: it only watches."""
        return None

    def _see(self, change: Change, at_s: float) -> None:
        pod = change.new if change.new is not None else change.old
        if pod is None:
            return
        self.pods[uid(pod)] = pod
        if change.new is None:
            self.present.discard(uid(pod))
        else:
            self.present.add(uid(pod))
        if not self._synced:
            if is_terminating(pod):
                self._leaving.add(uid(pod))
            return
        if change.new is None or is_terminating(pod) or is_finished(pod):
            self._lose(pod, at_s)
        for happening, detail in _happenings(change.old, change.new):
            self.moments.append(Moment(at_s, happening, key(pod), uid(pod), node_name(pod), detail))

    def _lose(self, pod: Object, at_s: float) -> None:
        reason = disruption_reason(pod)
        if reason and uid(pod) not in self.lost and uid(pod) not in self._leaving:
            self.lost[uid(pod)] = (reason, at_s)


def _happenings(old: Object | None, new: Object | None) -> Iterator[tuple[Happening, str]]:
    """What a change says, and a word about why."""
    if new is None:
        yield Happening.GONE, ""
        return
    if old is None:
        yield Happening.CREATED, ""
    before: Object = old or {}
    if node_name(new) and not node_name(before):
        yield Happening.BOUND, ""
    if is_terminating(new) and not is_terminating(before):
        yield Happening.TERMINATING, disruption_reason(new)
    if is_finished(new) and not is_finished(before):
        status = new["status"]
        done = Happening.FAILED if status["phase"] == "Failed" else Happening.SUCCEEDED
        yield done, str(status.get("reason") or "")
    if is_ready(new) and not is_ready(before) and not is_terminating(new):
        yield Happening.READY, ""
