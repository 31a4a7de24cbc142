"""Jobs that are deleted when they have ended."""

from podium.controllers.garbage_collector import GarbageCollector
from podium.controllers.job.job_controller import JobController
from podium.controllers.ttl_after_finished import TTLAfterFinishedController
from tests.controllers.job.test_job_controller import job
from tests.controllers.worlds import World


def test_a_job_goes_with_its_pods_when_its_time_is_over() -> None:
    world = World(JobController, TTLAfterFinishedController, GarbageCollector)
    world.create(job(run="10s", ttlSecondsAfterFinished=30))
    world.run_until(39)
    assert len(world.all("Job")) == 1
    world.run_until(41)
    assert world.all("Job") == world.all("Pod") == []


def test_other_jobs_stay() -> None:
    world = World(JobController, TTLAfterFinishedController)
    world.create(job(run="10s"))
    world.run_until(10_000)
    assert len(world.all("Job")) == 1
