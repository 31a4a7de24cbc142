"""CronJobs over time: when their Jobs start, how many run at once, and which are kept."""

from collections.abc import Iterator
from typing import Any

import pytest

import podium
from podium.api.values.times import timestamp
from podium.controllers.cron_job import CronJobController
from podium.machines.effects import Record
from podium.machines.events import Change, Synced, Woken
from tests.objects import workload


@pytest.fixture
def cluster() -> Iterator[podium.Cluster]:
    """A cluster at the beginning of an hour."""
    with podium.Cluster(nodes=1) as found:
        found.advance(3600 - found.now_s % 3600)
        yield found


def cron_job(schedule: str, takes: str = "30s", exits: int = 0, **spec: Any) -> Any:
    made = workload("Job", "report", backoffLimit=0)
    del made["spec"]["selector"], made["spec"]["manualSelector"]
    made["spec"]["template"]["metadata"] = {
        "annotations": {"podium.dev/run-duration": takes, "podium.dev/exit-code": str(exits)}
    }
    job = {"metadata": {"labels": {"of": "report"}}, "spec": made["spec"]}
    return {**made, "kind": "CronJob", "spec": {"schedule": schedule, "jobTemplate": job, **spec}}


def jobs(cluster: podium.Cluster) -> list[int]:
    """For which minute of the hour each Job was made."""
    names = [job["metadata"]["name"] for job in cluster.list("Job")]
    return [int(name.removeprefix("report-")) % 60 for name in names]


def status(cluster: podium.Cluster) -> Any:
    return cluster.get("CronJob", "report").get("status") or {}


def reasons(cluster: podium.Cluster) -> list[str]:
    return [event["reason"] for event in cluster.events(about="report")]


def test_a_job_each_time_and_no_more_of_them_than_are_kept(cluster: podium.Cluster) -> None:
    began_s = cluster.now_s
    cluster.apply(cron_job("*/10 * * * *"))
    cluster.advance(599)
    assert jobs(cluster) == []
    cluster.advance(3)
    (job,) = cluster.list("Job")
    assert job["metadata"]["labels"] == {"of": "report"}
    made_for = job["metadata"]["annotations"]["batch.kubernetes.io/cronjob-scheduled-timestamp"]
    assert made_for == timestamp(began_s + 600)
    assert job["metadata"]["ownerReferences"][0]["kind"] == "CronJob"
    assert [one["name"] for one in status(cluster)["active"]] == [job["metadata"]["name"]]
    assert status(cluster)["lastScheduleTime"] == made_for
    cluster.advance(60)
    assert "active" not in status(cluster)
    assert status(cluster)["lastSuccessfulTime"] > made_for
    assert reasons(cluster) == ["SuccessfulCreate", "SawCompletedJob"]
    cluster.advance(2400)
    assert jobs(cluster) == [30, 40, 50]
    assert "SuccessfulDelete" in reasons(cluster)


@pytest.mark.parametrize(
    ("policy", "running"), [("Allow", [10, 20, 30]), ("Forbid", [10]), ("Replace", [30])]
)
def test_jobs_that_take_longer_than_from_one_time_to_the_next(
    cluster: podium.Cluster, policy: str, running: list[int]
) -> None:
    cluster.apply(cron_job("*/10 * * * *", takes="10h", concurrencyPolicy=policy))
    cluster.advance(1860)
    assert jobs(cluster) == running
    assert len(status(cluster)["active"]) == len(running)
    assert ("JobAlreadyActive" in reasons(cluster)) == (policy == "Forbid")


def test_what_was_forbidden_starts_as_soon_as_it_may(cluster: podium.Cluster) -> None:
    cluster.apply(cron_job("*/10 * * * *", takes="15m", concurrencyPolicy="Forbid"))
    cluster.advance(600 + 900 + 10)
    assert jobs(cluster) == [10, 20]


def test_too_late_is_not_made_up_for(cluster: podium.Cluster) -> None:
    late = cron_job("*/10 * * * *", takes="15m", concurrencyPolicy="Forbid")
    late["spec"]["startingDeadlineSeconds"] = 60
    cluster.apply(late)
    cluster.advance(600 + 900 + 10)
    assert jobs(cluster) == [10]
    cluster.advance(300)
    assert jobs(cluster) == [10, 30]


def test_after_a_pause_the_latest_of_what_was_missed_counts(cluster: podium.Cluster) -> None:
    cluster.apply(cron_job("* * * * *", suspend=True))
    cluster.advance(3 * 3600 + 30)
    assert jobs(cluster) == []
    cluster.apply(cron_job("* * * * *", suspend=False))
    cluster.advance(1)
    assert jobs(cluster) == [0]
    (told,) = cluster.events(reason="TooManyMissedTimes")
    assert told["message"].startswith("too many missed start times. Set or decrease")


def test_times_are_those_of_a_zone(cluster: podium.Cluster) -> None:
    cluster.apply(cron_job("0 12 * * *", timeZone="Asia/Kolkata"))
    cluster.advance(24 * 3600)
    (job,) = cluster.list("Job")
    made_for = job["metadata"]["annotations"]["batch.kubernetes.io/cronjob-scheduled-timestamp"]
    assert made_for.endswith("T12:00:00+05:30")
    assert status(cluster)["lastScheduleTime"].endswith("T06:30:00Z")


def test_jobs_of_others_are_told_of(cluster: podium.Cluster) -> None:
    (made,) = cluster.apply(cron_job("0 0 1 1 *"))
    owner = {key: made[key] for key in ("apiVersion", "kind")}
    owner |= {"name": "report", "uid": made["metadata"]["uid"], "controller": True}
    by_hand = {"name": "by-hand", "namespace": "default", "ownerReferences": [owner]}
    spec = made["spec"]["jobTemplate"]["spec"]
    cluster.apply({"apiVersion": "batch/v1", "kind": "Job", "metadata": by_hand, "spec": spec})
    cluster.advance(5)
    (told,) = cluster.events(reason="UnexpectedJob")
    assert told["message"] == "Saw a job that the controller did not create or forgot: by-hand"
    assert "active" not in status(cluster)


def test_a_job_that_is_refused_is_told_of(cluster: podium.Cluster) -> None:
    hard = {"count/jobs.batch": "0"}
    quota = {"name": "none", "namespace": "default"}
    cluster.apply(
        {"apiVersion": "v1", "kind": "ResourceQuota", "metadata": quota, "spec": {"hard": hard}},
        cron_job("*/10 * * * *"),
    )
    cluster.advance(601)
    (told, *_) = cluster.events(reason="FailedCreate")
    assert told["message"].startswith("Error creating job: ")


def test_of_a_job_that_is_there_already_no_failure_is_told(cluster: podium.Cluster) -> None:
    (made,) = cluster.apply(cron_job("*/10 * * * *"))
    minute = int(cluster.now_s) // 60 + 10
    metadata = {"name": f"report-{minute}", "namespace": "default"}
    spec = made["spec"]["jobTemplate"]["spec"]
    cluster.apply({"apiVersion": "batch/v1", "kind": "Job", "metadata": metadata, "spec": spec})
    cluster.advance(610)
    assert jobs(cluster) == [10]
    assert reasons(cluster) == []


def test_another_schedule_counts_from_its_next_time_on(cluster: podium.Cluster) -> None:
    cluster.apply(cron_job("0 * * * *"))
    cluster.advance(35 * 60)
    cluster.apply(cron_job("*/10 * * * *"))
    cluster.advance(4 * 60)
    assert jobs(cluster) == []
    cluster.advance(62)
    assert jobs(cluster) == [40]


def test_fewer_failed_jobs_are_kept(cluster: podium.Cluster) -> None:
    cluster.apply(cron_job("*/10 * * * *", exits=1))
    cluster.advance(1900)
    assert jobs(cluster) == [30]
    assert "lastSuccessfulTime" not in status(cluster)


@pytest.mark.parametrize(
    ("schedule", "zone", "reason", "note"),
    [
        ("61 * * * *", "UTC", "UnparseableSchedule", 'unparseable schedule: "61 * * * *" : '),
        ("* * * * *", "Moon/Base", "UnknownTimeZone", 'invalid timeZone: "Moon/Base": '),
    ],
)
def test_a_stored_schedule_that_no_api_server_would_admit_is_an_event(
    schedule: str, zone: str, reason: str, note: str
) -> None:
    stored = cron_job(schedule, timeZone=zone)
    stored["metadata"] |= {"uid": "report", "creationTimestamp": timestamp(0.0)}
    controller = CronJobController()
    controller.step(Change("CronJob", None, stored), 0.0)
    controller.step(Synced(), 0.0)
    (event,) = controller.step(Woken(), 0.0)
    assert isinstance(event, Record)
    assert (event.type, event.reason) == ("Warning", reason)
    assert event.note.startswith(note)
