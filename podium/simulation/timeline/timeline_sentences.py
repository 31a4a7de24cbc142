"""Entries as sentences; some say nothing that a reader of the story misses, and have none."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import groupby
from operator import attrgetter
from typing import Any

from msgspec.structs import replace

from podium.api.objects import DEFAULT_NAMESPACE
from podium.api.policy.disruption_target import cause_of_reason
from podium.api.presentation import Tone
from podium.simulation.timeline import TimelineEntry
from podium.simulation.timeline.pod_history import PodHistories, is_end

Phrase = str | Callable[[TimelineEntry], str]
"""What an entry says: a text with the names of details in braces, or what makes one."""

_SUBJECTS = {"PodDisruptionBudget": "budget"}
_USER = "user"

_TOLD_MAX = 20
_TOLD_OF_MANY = 5
_ALWAYS_TOLD = frozenset({"AssertionPassed", "AssertionFailed", "StepRefused", "StepFailed"})

_TONES = (
    ("PASSED", Tone.GOOD),
    ("FAILED", Tone.BAD),
    ("isn't drained", Tone.BAD),
    ("remedy: ", Tone.WAITING),
    ("is preempted", Tone.BAD),
    ("may not be evicted", Tone.BAD),
    ("can't be scheduled", Tone.WAITING),
    ("is bound to", Tone.GOOD),
)


def tone_of(line: str) -> Tone:
    """What a line of a story means for its reader."""
    return next((tone for words, tone in _TONES if words in line), Tone.NONE)


def sentences(entries: Iterable[TimelineEntry]) -> Iterator[tuple[float, str]]:
    """Put a timeline into sentences, each with its seconds since the start, in order.

    Of what happens to very many objects at one moment a few are told, and the others counted.
    """
    told_once = _with_retries_once(_with_repetitions_once([*entries]))
    for at_s, moment in groupby(told_once, key=attrgetter("at_s")):
        told = [(entry.type, text) for entry in moment if (text := sentence(entry))]
        counts = Counter(kind for kind, _ in told)
        seen: Counter[str] = Counter()
        for kind, text in told:
            seen[kind] += 1
            if counts[kind] <= _TOLD_MAX or kind in _ALWAYS_TOLD or seen[kind] < _TOLD_OF_MANY:
                yield at_s, text
            elif seen[kind] == _TOLD_OF_MANY:
                yield at_s, f"{text}; and likewise {counts[kind] - _TOLD_OF_MANY} more"


def _with_repetitions_once(entries: Sequence[TimelineEntry]) -> Iterator[TimelineEntry]:
    """All entries but those of pods that repeat what has become of another pod.

    The end of the first one has how often it was repeated, and until when.
    """
    known = PodHistories(entries).repetitions
    if not known.first:
        yield from entries
        return
    repeating = {entry.name for entry in entries if entry.uid in known.first}
    firsts = {entry.name for entry in entries if entry.uid in known.times}
    told: set[tuple[str, str]] = set()
    for entry in entries:
        if entry.uid in known.first:
            continue
        if entry.type == "Event" and (names := repeating.intersection(_names(entry))):
            # A pod of a StatefulSet has the name of the one before, whose events are told.
            event = str(entry.details["reason"]), str(entry.details["message"])
            if event in told or not names <= firsts:
                continue
            told.add(event)
        if entry.uid in known.times and is_end(entry):
            more = {"times": known.times.pop(entry.uid), "until": known.until_s[entry.uid]}
            entry = replace(entry, details={**entry.details, "repeated": more})
        yield entry


def _names(event: TimelineEntry) -> Iterator[str]:
    yield event.details["regarding"].get("name", "")
    for word in str(event.details["message"]).split():
        yield word.rpartition("/")[2].rstrip(",.")


def _with_retries_once(entries: Iterable[TimelineEntry]) -> Iterator[TimelineEntry]:
    """All entries, but of an eviction that is refused again and again the first refusal alone.

    It has how often the eviction was refused, until when, and the last reason.
    """
    refusals: dict[tuple[str, str, str], list[TimelineEntry]] = {}
    told: list[TimelineEntry | list[TimelineEntry]] = []
    for entry in entries:
        if entry.type != "EvictionRefused":
            told.append(entry)
            continue
        about = entry.namespace, entry.name, entry.uid
        if about in refusals:
            refusals[about].append(entry)
        else:
            refusals[about] = [entry]
            told.append(refusals[about])
    for one in told:
        if isinstance(one, TimelineEntry):
            yield one
        else:
            more = {"times": len(one), "until": one[-1].at_s, "last": _refusal(one[-1])}
            yield replace(one[0], details={**one[0].details, **more})


def sentence(entry: TimelineEntry) -> str:
    """Put an entry into a sentence; empty if it isn't worth one."""
    if entry.type == "Event":
        details = entry.details
        about = details["regarding"]
        who = subject(about.get("kind", "Pod"), about.get("namespace", ""), about.get("name", ""))
        preemption = details.get("preemption")
        if preemption is not None:
            return f"{who} is preempted {_preemption(preemption)}"
        if details["type"] != "Warning" or details["reason"] == "FailedScheduling":
            return ""
        return f"{who}: {details['reason']}: {details['message'].rstrip()}"
    said = _PHRASES[entry.type]
    phrase = said.format_map(entry.details) if isinstance(said, str) else said(entry)
    if not phrase or not entry.kind:
        return phrase
    if repeated := entry.details.get("repeated"):
        until = clock(repeated["until"])
        phrase += f"; so do {repeated['times']} made in its place, until {until}"
    return f"{subject(entry.kind, entry.namespace, entry.name)} {phrase}"


def subject(kind: str, namespace: str, name: str) -> str:
    """An object as stories name it: the namespace only where it isn't the usual one."""
    called = _SUBJECTS.get(kind, kind.lower())
    place = "" if namespace in ("", DEFAULT_NAMESPACE) else f"{namespace}/"
    return f"{called} {place}{name}"


def clock(at_s: float) -> str:
    """A time of the story: `t+30s`, `t+1m30s`, `t+2h0m1.5s`."""
    return f"t+{span(at_s)}"


def span(seconds: float) -> str:
    """A duration as Go writes it, to the millisecond."""
    millis = round(seconds * 1000)
    minutes, rest = divmod(millis, 60_000)
    hours, minutes = divmod(minutes, 60)
    text = f"{rest / 1000:g}s"
    if hours:
        return f"{hours}h{minutes}m{text}"
    return f"{minutes}m{text}" if minutes else text


def _pod_created(entry: TimelineEntry) -> str:
    owner = entry.details.get("owner")
    by = f" for {owner['kind']} {owner['name']}" if owner else ""
    return f"is created{by} (priority {entry.details['priority']})"


def _workload_created(entry: TimelineEntry) -> str:
    if "replicas" in entry.details:
        return f"is created with {_count(entry.details['replicas'], 'replica')}"
    idle = entry.details.get("idle")
    return f"is created, and makes no pods: {idle}" if idle else "is created"


def _pod_bound(entry: TimelineEntry) -> str:
    waited_s = entry.details.get("overslept")
    why = "" if waited_s is None else f": {overslept(waited_s)}"
    return f"is bound to {entry.details['node']}{why}"


def overslept(waited_s: float) -> str:
    """Explain why a pod was tried that no event had woken for a number of seconds."""
    return (
        f"no event had woken it, and it was tried only because it had waited for {span(waited_s)}"
    )


def _pod_terminating(entry: TimelineEntry) -> str:
    node = entry.details.get("node")
    where = f" on {node}" if node else ""
    grace_s = entry.details["gracePeriodSeconds"]
    return f"terminates{where} ({_cause(entry)}, {grace_s} s grace)"


def _pod_gone(entry: TimelineEntry) -> str:
    node, grace_s = entry.details.get("node"), entry.details.get("gracePeriodSeconds")
    if not node:
        return "is gone (it had no node)"
    phase = entry.details["phase"]
    if grace_s is not None:
        return f"is gone from {node} (terminated, {grace_s} s grace)"
    if phase in ("Succeeded", "Failed"):
        return f"is gone from {node} (it had {phase.lower()})"
    return f"is gone from {node} ({_cause(entry)}, at once)"


def _cause(entry: TimelineEntry) -> str:
    reason = str(entry.details.get("disruption") or "")
    if reason:
        cause = cause_of_reason(reason)
        return reason if cause is None else cause.participle
    return "deleted" if entry.by == _USER else f"deleted by {entry.by}"


def _pod_running(entry: TimelineEntry) -> str:
    return f"runs on {entry.details['node']}" + (
        " and is ready" if entry.details["ready"] else ", but isn't ready yet"
    )


def _pod_failed(entry: TimelineEntry) -> str:
    reason, message = entry.details.get("reason"), entry.details.get("message")
    # An event has told before why a node evicts a pod.
    told = (reason,) if reason == "Evicted" else (reason, message)
    why = ": ".join(text for text in told if text)
    return "fails" + (f" ({why})" if why else "")


def _preemption(record: Mapping[str, Any]) -> str:
    preemptor = record["preemptor"]
    who = subject("Pod", preemptor["namespace"], preemptor["name"])
    text = f"by {who} (priority {preemptor['priority']}), which takes {record['node']}"
    candidates = record["candidates"]
    if candidates == 1:
        text += ", the only candidate"
    elif record["alternatives"]:
        second = record["alternatives"][0]
        lost = second["lostAt"] or "the order of names"
        text += f", the best of {candidates} candidates ({second['node']} loses at {lost})"
    if record["pdbViolations"]:
        text += f"; {record['pdbViolations']} of {len(record['victims'])} break a budget"
    return text


def _budget_changed(entry: TimelineEntry) -> str:
    details = entry.details
    if details["allowedBefore"] == details["disruptionsAllowed"]:
        return ""
    counts = (
        f"{details['currentHealthy']} of {details['expectedPods']} pods healthy, "
        f"{details['desiredHealthy']} needed"
    )
    allowed = details["disruptionsAllowed"]
    noun = "disruption" if allowed == 1 else "disruptions"
    return f"allows {allowed or 'no'} {noun} ({counts})"


def _eviction_refused(entry: TimelineEntry) -> str:
    details = entry.details
    why = _refusal(entry)
    text = f"may not be evicted: {why}"
    if "retryAfterSeconds" not in details:
        return text
    again = span(details["retryAfterSeconds"])
    if details.get("times", 1) == 1:
        return f"{text}; trying again in {again}"
    text = f"{text}; tried {details['times']} times, every {again}, until {clock(details['until'])}"
    return text if details["last"] == why else f"{text}, at last: {details['last']}"


def _refusal(entry: TimelineEntry) -> str:
    details = entry.details
    return f"{details['code']} {'; '.join(details['causes']) or details['message']}"


def _on_hold(entry: TimelineEntry) -> str:
    details = entry.details
    zone = f"zone {details['zone']}" if details["zone"] else "its zone"
    unready = f"{details['notReady']} of {_count(details['nodes'], 'node')} there aren't ready"
    return f"puts evictions on hold in {zone}: {unready}"


def _drain_started(entry: TimelineEntry) -> str:
    left = entry.details["leftAlone"]
    alone = f", {left} left alone" if left else ""
    return f"is drained: {_count(entry.details['pods'], 'pod')} to evict{alone}"


def _drain_finished(entry: TimelineEntry) -> str:
    evicted, took_s = entry.details["evicted"], entry.details["seconds"]
    return f"is drained after {span(took_s)} ({_count(evicted, 'pod')} evicted)"


def _drain_failed(entry: TimelineEntry) -> str:
    details = entry.details
    stuck = f"; still there: {', '.join(details['pods'])}" if details["pods"] else ""
    texts = [f"isn't drained: {details['message']}{stuck}"]
    return "\n".join([*texts, *(f"remedy: {text}" for text in details["remedies"])])


def _passed(entry: TimelineEntry) -> str:
    took_s = entry.details["seconds"]
    waited = f" (after {span(took_s)})" if took_s else ""
    return f"PASSED: {entry.details['assertion']}{waited}"


def _failed(entry: TimelineEntry) -> str:
    details = entry.details
    return f"FAILED: {details['assertion']}, but {details['found']} ({details['step']})"


def _refused(entry: TimelineEntry) -> str:
    details = entry.details
    verdict = "is refused, as it should be" if details["expected"] else "FAILED, it is refused"
    return f"{details['step']} {verdict}: {details['code']} {details['message']}"


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


_PHRASES: Mapping[str, Phrase] = {
    "PodCreated": _pod_created,
    "PodBound": _pod_bound,
    "PodNominated": "is nominated to {node}",
    "PodNominationCleared": "loses its nomination to {node}",
    "PodUnschedulable": "can't be scheduled: {message}",
    "PodGated": "is held back by its scheduling gates",
    "PodPending": "",
    "PodRunning": _pod_running,
    "PodReady": "is ready",
    "PodNotReady": "isn't ready any more",
    "PodRestarted": "is restarted, {restarts} times so far",
    "PodSucceeded": "has done its work",
    "PodFailed": _pod_failed,
    "PodUnknown": "is in an unknown state",
    "PodTerminating": _pod_terminating,
    "PodGone": _pod_gone,
    "NodeCreated": "joins",
    "NodeGone": "is gone",
    "NodeReady": "is ready",
    "NodeNotReady": "isn't ready: {message}",
    "NodeUnknown": "isn't heard of any more: {message}",
    "NodeCondition": "has {condition} {status}",
    "NodeTainted": "is tainted {taint}",
    "NodeUntainted": "is no longer tainted {taint}",
    "EvictionsOnHold": _on_hold,
    "EvictionsGoOn": lambda e: (
        "lets evictions go on in "
        + (f"zone {e.details['zone']}" if e.details["zone"] else "its zone")
    ),
    "NodeCordoned": "is cordoned",
    "NodeUncordoned": "is uncordoned",
    "BudgetCreated": "",
    "BudgetChanged": _budget_changed,
    "BudgetSyncFailed": "can't be computed, and so allows no disruption: {message}",
    "BudgetGone": "is gone",
    "WorkloadCreated": _workload_created,
    "WorkloadScaled": "is scaled from {before} to {replicas}",
    "RolloutStuck": "is stuck: {message}",
    "JobFailed": "fails, and its work is lost: {message}",
    "JobIndexesFailed": "has lost the work of its indexes {indexes}",
    "WorkloadGone": "is gone",
    "EvictionGranted": "",
    "EvictionRefused": _eviction_refused,
    "DrainStarted": _drain_started,
    "DrainFinished": _drain_finished,
    "DrainFailed": _drain_failed,
    "Applied": lambda e: "" if e.details["created"] else "is applied",
    "Deleting": "",
    "Changing": "{what}",
    "FaultsSet": lambda e: "faults: " + ", ".join(f"{k} {v:g}" for k, v in e.details.items()),
    "StepRefused": _refused,
    "StepFailed": "{step} FAILED: {message}",
    "AssertionPassed": _passed,
    "AssertionFailed": _failed,
    "MachineRestarted": lambda e: f"{e.by} starts again",
    "MachineStopped": lambda e: f"{e.by} crashes",
}
"""What happens, type by type."""
