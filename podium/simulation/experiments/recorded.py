"""A recording of a cluster, measured like a run."""

from collections.abc import Iterator

from podium.api.objects import name, namespace, uid
from podium.simulation.experiments.run import RunResult, result_of
from podium.simulation.experiments.series.series import RunSeries, run_series
from podium.simulation.experiments.series.usage_log import KINDS, UsageLog
from podium.simulation.recordings.recording_reader import Recording
from podium.simulation.runner.class_summary import summarize_classes
from podium.simulation.timeline import TimelineEntry
from podium.simulation.timeline.pod_facts import PodFacts
from podium.simulation.timeline.pod_history import PodHistories, PodHistory, pods_by_uid


def recorded_result(recording: Recording) -> RunResult:
    """Measures of a recording, as of a run."""
    entries = [*_entries(recording)]
    pods = [obj for obj in recording.state if obj.get("kind") == "Pod"]
    histories = list(PodHistories(entries, pods_by_uid(pods)))
    series = recorded_series(recording, histories)
    return result_of(summarize_classes(entries, pods), series, histories)


def recorded_series(recording: Recording, histories: list[PodHistory] | None = None) -> RunSeries:
    """The lines of a recording."""
    if histories is None:
        pods = [obj for obj in recording.state if obj.get("kind") == "Pod"]
        histories = list(PodHistories(_entries(recording), pods_by_uid(pods)))
    log = UsageLog()
    for known in recording.state:
        if known.get("kind") in KINDS:
            log.take(str(known["kind"]), known)
    log.write(0.0)
    for change in recording.changes:
        obj = change.new or change.old
        if change.kind in KINDS and obj is not None:
            log.take(change.kind, obj, gone=change.new is None)
            log.write(_passed_s(recording, change.at_s))
    return run_series(log, histories, _passed_s(recording, recording.ended_s))


def _passed_s(recording: Recording, at_s: float) -> float:
    return round(max(0.0, at_s - recording.started_s), 6)


def _entries(recording: Recording) -> Iterator[TimelineEntry]:
    facts = PodFacts()
    for change in recording.changes:
        obj = change.new or change.old
        if change.kind != "Pod" or obj is None:
            continue
        about = ("Pod", namespace(obj), name(obj))
        for fact in facts(change.old, change.new):
            at_s = _passed_s(recording, change.at_s)
            yield TimelineEntry(at_s, fact.type, *about, "", fact.details, uid(obj))
