"""The entries of a timeline as sentences, without entries that are of no interest."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import groupby
from operator import attrgetter
from typing import Any

from msgspec.structs import replace

from podium.api.objects import DEFAULT_NAMESPACE
from podium.api.policy.disruption_target import cause_of_reason
from podium.api.presentation import Tone
from podium.api.values.message_words import count
from podium.scheduler.preemption.record import loss_text
from podium.simulation.timeline.facts import TimelineEntry
from podium.simulation.timeline.pod_history import PodHistories, is_end

Phrase = str | Callable[[TimelineEntry], str]
"""The phrase of an entry: a text with the names of details in braces, or a function."""

_SUBJECTS = {"PodDisruptionBudget": "budget"}

_SHOWN_MAX = 20
_SHOWN_OF_MANY = 5
_ALWAYS_SHOWN = frozenset({"AssertionPassed", "AssertionFailed", "StepRefused", "StepFailed"})

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
    """Return the tone, by which a line of the timeline is coloured."""
    return next((tone for words, tone in _TONES if words in line), Tone.NONE)


def sentences(entries: Iterable[TimelineEntry]) -> Iterator[tuple[float, str]]:
    """Describe a timeline in sentences, each with its seconds since the start, in order.

    If something happens to many objects at the same time, only some of them are named.
    """
    unrepeated = _with_retries_once(_with_repetitions_once([*entries]))
    for at_s, moment in groupby(unrepeated, key=attrgetter("at_s")):
        texts = [(entry.type, text) for entry in moment if (text := sentence(entry))]
        counts = Counter(kind for kind, _ in texts)
        seen: Counter[str] = Counter()
        for kind, text in texts:
            seen[kind] += 1
            is_short = counts[kind] <= _SHOWN_MAX or kind in _ALWAYS_SHOWN
            if is_short or seen[kind] < _SHOWN_OF_MANY:
                yield at_s, text
            elif seen[kind] == _SHOWN_OF_MANY:
                yield at_s, f"{text}; and likewise {counts[kind] - _SHOWN_OF_MANY} more"


def _with_repetitions_once(entries: Sequence[TimelineEntry]) -> Iterator[TimelineEntry]:
    """Leave out entries of pods that repeat the end of another, whose own says how often."""
    known = PodHistories(entries).repetitions
    if not known.first:
        yield from entries
        return
    repeating = {entry.name for entry in entries if entry.uid in known.first}
    firsts = {entry.name for entry in entries if entry.uid in known.times}
    events: set[tuple[str, str]] = set()
    for entry in entries:
        if entry.uid in known.first:
            continue
        if entry.type == "Event":
            reason, message = str(entry.details["reason"]), str(entry.details["message"])
            words = (word.rpartition("/")[2].rstrip(",.") for word in message.split())
            regarding = entry.details["regarding"].get("name", "")
            if names := repeating.intersection((regarding, *words)):
                # A pod of a StatefulSet has the name of the one before, whose events stay.
                if (reason, message) in events or not names <= firsts:
                    continue
                events.add((reason, message))
        if entry.uid in known.times and is_end(entry):
            more = {"times": known.times.pop(entry.uid), "until": known.until_s[entry.uid]}
            entry = replace(entry, details={**entry.details, "repeated": more})
        yield entry


def _with_retries_once(entries: Iterable[TimelineEntry]) -> Iterator[TimelineEntry]:
    """Leave out refusals of a pod's eviction but the first, which says how many there were."""
    refusals: dict[tuple[str, str, str], list[TimelineEntry]] = {}
    kept: list[TimelineEntry] = []
    for entry in entries:
        pod = entry.namespace, entry.name, entry.uid
        if entry.type == "EvictionRefused":
            refusals.setdefault(pod, []).append(entry)
        if entry.type != "EvictionRefused" or len(refusals[pod]) == 1:
            kept.append(entry)
    for entry in kept:
        if entry.type == "EvictionRefused":
            repeated = refusals[entry.namespace, entry.name, entry.uid]
            last = repeated[-1]
            more = {"times": len(repeated), "until": last.at_s, "last": _refusal(last)}
            entry = replace(entry, details={**entry.details, **more})
        yield entry


def sentence(entry: TimelineEntry) -> str:
    """Describe an entry in a sentence; empty if the entry is of no interest."""
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
    """Return the name of an object in sentences, with its namespace unless it is `default`."""
    noun = _SUBJECTS.get(kind, kind.lower())
    place = "" if namespace in ("", DEFAULT_NAMESPACE) else f"{namespace}/"
    return f"{noun} {place}{name}"


def clock(at_s: float) -> str:
    """Format seconds since the start: `t+30s`, `t+1m30s`, `t+2h0m1.5s`."""
    return f"t+{span(at_s)}"


def span(seconds: float) -> str:
    """Format a duration as Go does, to the millisecond."""
    millis = round(seconds * 1000)
    minutes, rest = divmod(millis, 60_000)
    hours, minutes = divmod(minutes, 60)
    text = f"{rest / 1000:g}s"
    if hours:
        return f"{hours}h{minutes}m{text}"
    return f"{minutes}m{text}" if minutes else text


def overslept(waited_s: float) -> str:
    """Explain why a pod was tried although no event woke it while it waited for `waited_s`."""
    return (
        f"no event had woken it, and it was tried only because it had waited for {span(waited_s)}"
    )


def _pod_phrase(entry: TimelineEntry) -> str:
    details, node = entry.details, entry.details.get("node")
    match entry.type:
        case "PodCreated":
            owner = details.get("owner")
            by = f" for {owner['kind']} {owner['name']}" if owner else ""
            return f"is created{by} (priority {details['priority']})"
        case "PodBound":
            waited_s = details.get("overslept")
            return f"is bound to {node}" + ("" if waited_s is None else f": {overslept(waited_s)}")
        case "PodRunning":
            ready = " and is ready" if details["ready"] else ", but isn't ready yet"
            return f"runs on {node}{ready}"
        case "PodFailed":
            reason, message = details.get("reason"), details.get("message")
            # An event before says why a node evicts a pod.
            texts = (reason,) if reason == "Evicted" else (reason, message)
            why = ": ".join(text for text in texts if text)
            return f"fails ({why})" if why else "fails"
    disruption, grace_s = str(details.get("disruption") or ""), details.get("gracePeriodSeconds")
    cause = "deleted" if entry.by == "user" else f"deleted by {entry.by}"
    if disruption:
        known = cause_of_reason(disruption)
        cause = disruption if known is None else known.participle
    if entry.type == "PodTerminating":
        where = f" on {node}" if node else ""
        return f"terminates{where} ({cause}, {grace_s} s grace)"
    if not node:
        return "is gone (it had no node)"
    if grace_s is not None:
        return f"is gone from {node} (terminated, {grace_s} s grace)"
    if details["phase"] in ("Succeeded", "Failed"):
        return f"is gone from {node} (it had {details['phase'].lower()})"
    return f"is gone from {node} ({cause}, at once)"


def _preemption(record: Mapping[str, Any]) -> str:
    preemptor = record["preemptor"]
    who = subject("Pod", preemptor["namespace"], preemptor["name"])
    text = f"by {who} (priority {preemptor['priority']}), which takes {record['node']}"
    if devices := record.get("devices"):
        text += f" with {count(devices, 'device')}"
    candidates = record["candidates"]
    if candidates == 1:
        text += ", the only candidate"
    elif record["alternatives"]:
        second = record["alternatives"][0]
        why = loss_text(second["lostAt"])
        text += f", the best of {candidates} candidates ({second['node']}: {why})"
    if violations := record["pdbViolations"]:
        verb = "breaks" if violations == 1 else "break"
        text += f"; {violations} of {len(record['victims'])} {verb} a budget"
    return text


def _policy_phrase(entry: TimelineEntry) -> str:
    details = entry.details
    match entry.type:
        case "WorkloadCreated":
            if "replicas" in details:
                return f"is created with {count(details['replicas'], 'replica')}"
            idle = details.get("idle")
            return f"is created, and makes no pods: {idle}" if idle else "is created"
        case "BudgetChanged":
            allowed = details["disruptionsAllowed"]
            if details["allowedBefore"] == allowed:
                return ""
            counts = (
                f"{details['currentHealthy']} of {details['expectedPods']} pods healthy, "
                f"{details['desiredHealthy']} needed"
            )
            noun = "disruption" if allowed == 1 else "disruptions"
            return f"allows {allowed or 'no'} {noun} ({counts})"
        case "EvictionsOnHold" | "EvictionsGoOn":
            zone = f"zone {details['zone']}" if details["zone"] else "its zone"
            if entry.type == "EvictionsGoOn":
                return f"lets evictions go on in {zone}"
            nodes = count(details["nodes"], "node")
            verb = "isn't" if details["notReady"] == 1 else "aren't"
            unready = f"{details['notReady']} of {nodes} there {verb} ready"
            return f"puts evictions on hold in {zone}: {unready}"
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


def _step_phrase(entry: TimelineEntry) -> str:
    details = entry.details
    match entry.type:
        case "DrainStarted":
            left = details["leftAlone"]
            alone = f", {left} left alone" if left else ""
            return f"is drained: {count(details['pods'], 'pod')} to evict{alone}"
        case "DrainFinished":
            evicted = count(details["evicted"], "pod")
            return f"is drained after {span(details['seconds'])} ({evicted} evicted)"
        case "DrainFailed":
            stuck = f"; still there: {', '.join(details['pods'])}" if details["pods"] else ""
            lines = [f"isn't drained: {details['message']}{stuck}"]
            return "\n".join([*lines, *(f"remedy: {text}" for text in details["remedies"])])
        case "AssertionPassed":
            took_s = details["seconds"]
            waited = f" (after {span(took_s)})" if took_s else ""
            return f"PASSED: {details['assertion']}{waited}"
        case "AssertionFailed":
            return f"FAILED: {details['assertion']}, but {details['found']} ({details['step']})"
        case "StepRefused":
            is_expected = details["expected"]
            verdict = "is refused, as it should be" if is_expected else "FAILED, it is refused"
            return f"{details['step']} {verdict}: {details['code']} {details['message']}"
        case "FaultsSet":
            return "faults: " + ", ".join(f"{name} {rate:g}" for name, rate in details.items())
    return "" if details["created"] else "is applied"


_PHRASES: Mapping[str, Phrase] = {
    "PodCreated": _pod_phrase,
    "PodBound": _pod_phrase,
    "PodNominated": "is nominated to {node}",
    "PodNominationCleared": "loses its nomination to {node}",
    "PodUnschedulable": "can't be scheduled: {message}",
    "PodGated": "is held back by its scheduling gates",
    "PodPending": "",
    "PodRunning": _pod_phrase,
    "PodReady": "is ready",
    "PodNotReady": "isn't ready any more",
    "PodRestarted": "is restarted, {restarts} times so far",
    "PodSucceeded": "has done its work",
    "PodFailed": _pod_phrase,
    "PodUnknown": "is in an unknown state",
    "PodTerminating": _pod_phrase,
    "PodGone": _pod_phrase,
    "NodeCreated": "joins",
    "NodeGone": "is gone",
    "NodeReady": "is ready",
    "NodeNotReady": "isn't ready: {message}",
    "NodeUnknown": "isn't heard of any more: {message}",
    "NodeCondition": "has {condition} {status}",
    "NodeTainted": "is tainted {taint}",
    "NodeUntainted": "is no longer tainted {taint}",
    "EvictionsOnHold": _policy_phrase,
    "EvictionsGoOn": _policy_phrase,
    "NodeCordoned": "is cordoned",
    "NodeUncordoned": "is uncordoned",
    "BudgetCreated": "",
    "BudgetChanged": _policy_phrase,
    "BudgetSyncFailed": "can't be computed, and so allows no disruption: {message}",
    "BudgetGone": "is gone",
    "WorkloadCreated": _policy_phrase,
    "WorkloadScaled": "is scaled from {before} to {replicas}",
    "RolloutStuck": "is stuck: {message}",
    "JobFailed": "fails, and its work is lost: {message}",
    "JobIndexesFailed": "has lost the work of its indexes {indexes}",
    "WorkloadGone": "is gone",
    "EvictionGranted": "",
    "EvictionRefused": _policy_phrase,
    "DrainStarted": _step_phrase,
    "DrainFinished": _step_phrase,
    "DrainFailed": _step_phrase,
    "Applied": _step_phrase,
    "Deleting": "",
    "Changing": "{what}",
    "FaultsSet": _step_phrase,
    "StepRefused": _step_phrase,
    "StepFailed": "{step} FAILED: {message}",
    "AssertionPassed": _step_phrase,
    "AssertionFailed": _step_phrase,
    "MachineRestarted": lambda entry: f"{entry.by} starts again",
    "MachineStopped": lambda entry: f"{entry.by} crashes",
}
"""The phrases of all types of entries; those without text have no sentence."""
