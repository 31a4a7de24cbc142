"""The events of a play, collected in one pass over the entries of its observer."""

from collections import defaultdict

import msgspec

from podium.api.kinds.snapshot_kinds import Identity
from podium.api.nodes import NO_EXECUTE
from podium.api.objects import is_terminating
from podium.api.policy.disruption_budgets import BudgetStatus
from podium.api.values.message_words import count
from podium.controllers.job.completion_indexes import read_indexes, write_indexes
from podium.simulation.timeline.facts import TimelineEntry
from podium.simulation.timeline.pod_history import PodHistories, PodHistory
from podium.whatif.plan.plan_report import UNREACHABLE, Happening
from podium.whatif.plan.play import FAILED_CREATE, Play

_HAPPENINGS = {
    "PodCreated": Happening.CREATED,
    "PodBound": Happening.BOUND,
    "PodTerminating": Happening.TERMINATING,
    "PodFailed": Happening.FAILED,
    "PodSucceeded": Happening.SUCCEEDED,
    "PodReady": Happening.READY,
    "PodGone": Happening.GONE,
}
_IS_READY_NO_MORE = frozenset(
    {"PodNotReady", "PodTerminating", "PodFailed", "PodSucceeded", "PodGone"}
)
_ERROR = "Error creating: "
_TAINT = f"{UNREACHABLE}:{NO_EXECUTE}"


class JobFailure(msgspec.Struct, frozen=True):
    """The failure of a Job, or only of `indexes`, if any are given, while the Job goes on."""

    reason: str
    message: str
    at_s: float
    indexes: frozenset[int] = frozenset()


class Timeline:
    """The events of a play up to now.

    The histories, `created`, `refused` and the happenings of new pods cover the whole play,
    everything else the time since the changes. Times are in seconds since the plan began.
    """

    def __init__(self, play: Play) -> None:
        self.play = play
        self.store = play.cluster.store
        self.owners = play.owners()
        """The controllers of the pods, deleted ones included."""
        self.histories = PodHistories((), play.before.by_uid, self.store.get)
        self.created: dict[int, PodHistory] = {}
        """The pods that were created, by the index of the entry."""
        self.happenings: list[tuple[TimelineEntry, Happening]] = []
        """Entries with what happened to a pod, in order. A bound pod that is deleted at once has a
        happening for its termination, too."""
        self.readiness: list[tuple[float, str, bool]] = []
        """Time, uid of a pod, and whether it became ready or stopped being ready."""
        self.bound: dict[str, int] = {}
        """A number by pod, `namespace/name`, that grows in the order of the bindings."""
        self.budgets_before: dict[str, BudgetStatus] = {}
        self.budgets: dict[str, list[tuple[float, BudgetStatus]]] = defaultdict(list)
        self.job_failures: dict[Identity, JobFailure] = {}
        self.refused: dict[Identity, tuple[str, float]] = {}
        """By controller, the API's last message that refused a pod, and the first time."""
        self.tainted_s: dict[str, float] = {}
        """By unreachable node, since when its pods are evicted."""
        self.on_hold: dict[str, str] = {}
        """By zone, why no pods are evicted from its nodes."""
        before = play.before.by_uid.items()
        self._terminating = {uid for uid, pod in before if is_terminating(pod)}
        for number, entry in enumerate(play.observer.entries):
            is_before = number < play.entries_before
            self.histories.take(entry)
            if entry.kind == "Pod":
                self._take_pod(entry, number, is_before=is_before)
            elif entry.type == "BudgetChanged" and is_before:
                # What was counted first is of the pods as they are in the state.
                counts = BudgetStatus.of(entry.details)
                self.budgets_before.setdefault(f"{entry.namespace}/{entry.name}", counts)
            elif entry.type == "Event" or not is_before:
                self._take(entry)
        for budget, status in play.budgets_before.items():
            self.budgets_before.setdefault(budget, BudgetStatus.of(status))

    def _take_pod(self, entry: TimelineEntry, number: int, *, is_before: bool) -> None:
        happening = _HAPPENINGS.get(entry.type)
        if entry.type == "PodRunning" and entry.details.get("ready"):
            happening = Happening.READY
        if not is_before:
            if happening is Happening.READY:
                self.readiness.append((entry.at_s, entry.uid, True))
            elif entry.type in _IS_READY_NO_MORE:
                self.readiness.append((entry.at_s, entry.uid, False))
        if happening is None:
            return
        pod = self.histories.by_uid[entry.uid]
        if happening is Happening.CREATED:
            self.created[number] = pod
        elif happening is Happening.BOUND:
            self.bound[pod.pod] = number
        if is_before and not pod.is_new:
            return
        if happening is Happening.TERMINATING:
            self._terminating.add(entry.uid)
        elif happening is Happening.GONE and pod.node and entry.uid not in self._terminating:
            self.happenings.append((entry, Happening.TERMINATING))
        self.happenings.append((entry, happening))

    def _take(self, entry: TimelineEntry) -> None:
        job, details = (entry.kind, entry.namespace, entry.name), entry.details
        match entry.type:
            case "Event" if details.get("reason") == FAILED_CREATE:
                regarding = details["regarding"]
                owner = (regarding["kind"], regarding.get("namespace", ""), regarding["name"])
                _, since_s = self.refused.get(owner, ("", entry.at_s))
                self.refused[owner] = str(details["message"]).removeprefix(_ERROR), since_s
            case "BudgetChanged":
                moment = round(entry.at_s, 3), BudgetStatus.of(details)
                self.budgets[f"{entry.namespace}/{entry.name}"].append(moment)
            case "JobFailed":
                failure = JobFailure(details["reason"], details["message"], entry.at_s)
                self.job_failures[job] = failure
            case "JobIndexesFailed":
                known = self.job_failures.get(job)
                if known is None or known.indexes:
                    indexes = read_indexes(details["indexes"]) - read_indexes(details["before"])
                    at_s = entry.at_s
                    if known is not None:
                        indexes, at_s = known.indexes | indexes, known.at_s
                    words = "index {} has failed" if len(indexes) == 1 else "indexes {} have failed"
                    message = words.format(write_indexes(indexes))
                    self.job_failures[job] = JobFailure("FailedIndexes", message, at_s, indexes)
            case "EvictionsOnHold":
                place = f"of zone {details['zone']}" if details["zone"] else "without a zone"
                few = f"{details['notReady']} of {count(details['nodes'], 'node')} {place}"
                verb = "isn't" if details["notReady"] == 1 else "aren't"
                self.on_hold[details["zone"]] = f"{few} {verb} ready"
            case "EvictionsGoOn":
                self.on_hold.pop(details["zone"], None)
            case "NodeTainted" if details["taint"] == _TAINT:
                self.tainted_s[entry.name] = entry.at_s
            case "NodeUntainted" if details["taint"] == _TAINT:
                self.tainted_s.pop(entry.name, None)
