"""Kept answers about devices are those that an allocation on each node comes to, found anew."""

from collections import Counter
from collections.abc import Sequence
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from podium.api.devices.resource_claims import allocation_of
from podium.api.devices.resource_slices import resource_slice
from podium.api.objects import name
from podium.scheduler.devices.allocated_devices import AllocatedDevices
from podium.scheduler.devices.allocation_results import allocation_result
from podium.scheduler.devices.allocator import STEPS_MAX, Allocation, Allocator
from podium.scheduler.devices.claim_answers import ALLOCATED, Answer
from podium.scheduler.devices.claim_requests import AllocationError, ClaimRequests
from podium.scheduler.devices.published_devices import PoolView, PublishedDevices
from podium.scheduler.devices.selections import Selections
from tests.device_objects import Obj
from tests.properties.device_clusters import CLAIMS, SELECTORS, DeviceScene, device_scenes

SEEDS = st.integers(0, 2**32)


class Anew:
    """Allocations on nodes one by one, without anything that is kept or shared."""

    def __init__(self, scene: DeviceScene) -> None:
        slices = [resource_slice(one) for one in scene.listers.list("ResourceSlice")]
        self.published = PublishedDevices(scene.snapshot, slices)
        self.allocated = AllocatedDevices(scene.listers)
        self.allocated.follow()

    def found(self, requests: ClaimRequests, row: int) -> object:
        pools = self.published.views_of[row]
        selections = Selections(range(len(self.published.devices)))
        allocator = Allocator([requests], pools, self.allocated, selections, STEPS_MAX)
        try:
            found = allocator.allocate()
        except AllocationError as error:
            return error.message
        return chosen(found, pools) if isinstance(found, Allocation) else None


def chosen(found: Allocation, pools: Sequence[PoolView]) -> object:
    (devices,) = found.devices
    keys = [pools[one.spot[0]].devices[one.spot[1]].key for one in devices]
    return [
        (key, one.request.full_name, one.consumed) for key, one in zip(keys, devices, strict=True)
    ]


def kept(scene: DeviceScene, requests: ClaimRequests) -> list[tuple[Answer, object]]:
    answers = scene.manager.answers([requests])
    answers.refresh()
    found = []
    for row in scene.rows():
        answer = answers.answer(row)
        assert (answers.codes[row], answers.scores[row]) == (answer.code, answer.score)
        error = answers.errors.get(answer.code)
        devices = answer.allocation and chosen(answer.allocation, scene.manager.pools(row))
        found.append((answer, error.message if error else devices))
    return found


def allocate(
    scene: DeviceScene, claim: Obj, requests: ClaimRequests, row: int, answer: Answer
) -> None:
    assert answer.allocation is not None
    pools, node_name = scene.manager.pools(row), scene.snapshot.names[row]
    found = allocation_result(claim, requests, answer.allocation, 0, pools, node_name)
    scene.listers.set({**claim, "status": {"allocation": found}})


@given(SEEDS)
def test_kept_answers_are_those_found_anew(seed: int) -> None:
    for scene in device_scenes(seed):
        for _ in range(8):
            anew = Anew(scene)
            for claim_name in CLAIMS:
                claim = scene.listers.get("ResourceClaim", claim_name, "default")
                assert claim is not None
                if allocation_of(claim):
                    continue
                requests = scene.manager.requests_of(claim)
                answers = kept(scene, requests)
                assert [said for _, said in answers] == [
                    anew.found(requests, row) for row in scene.rows()
                ]
                rows = [row for row, (one, _) in enumerate(answers) if one.code == ALLOCATED]
                if rows and scene.dice.chance(50):
                    row = scene.dice.one(*rows)
                    allocate(scene, claim, requests, row, answers[row][0])
                    anew = Anew(scene)
            assert_nothing_is_allocated_twice(scene)
            scene.step()


def assert_nothing_is_allocated_twice(scene: DeviceScene) -> None:
    whole: Counter[tuple[str, str]] = Counter()
    for claim in scene.listers.list("ResourceClaim"):
        for result in (allocation_of(claim) or {}).get("devices", {}).get("results", ()):
            if not result.get("adminAccess") and "shareID" not in result:
                whole[result["pool"], result["device"]] += 1
    assert not whole or max(whole.values()) == 1


@given(SEEDS)
def test_an_allocation_is_found_wherever_there_is_one(seed: int) -> None:
    for scene in device_scenes(seed, plain=True):
        for _ in range(4):
            for claim_name in CLAIMS:
                claim = scene.listers.get("ResourceClaim", claim_name, "default")
                assert claim is not None
                if allocation_of(claim):
                    continue
                requests = scene.manager.requests_of(claim)
                answers = kept(scene, requests)
                for row, (answer, _) in enumerate(answers):
                    assert (answer.code == ALLOCATED) == is_possible(scene, claim, row)
                if answers[0][0].code == ALLOCATED:
                    allocate(scene, claim, requests, 0, answers[0][0])
            scene.step()


def is_possible(scene: DeviceScene, claim: Obj, row: int) -> bool:
    """Whether the node has devices for all requests, by trying out all choices."""
    taken = {
        (result["pool"], result["device"])
        for other in scene.listers.list("ResourceClaim")
        for result in (allocation_of(other) or {}).get("devices", {}).get("results", ())
    }
    reached = [one for one in scene.listers.list("ResourceSlice") if reaches(scene, one, row)]
    devices = [
        ((name(one), device["name"]), device)
        for one in reached
        if one["spec"]["pool"]["resourceSliceCount"] == 1
        for device in one["spec"]["devices"]
        if (name(one), device["name"]) not in taken
    ]
    wanted = [
        entry["exactly"]
        for entry in claim["spec"]["devices"]["requests"]
        for _ in range(entry["exactly"]["count"])
    ]
    constrained = "constraints" in claim["spec"]["devices"]

    def search(number: int, used: tuple[Any, ...], numa: object) -> bool:
        if number == len(wanted):
            return True
        return any(
            search(number + 1, (*used, key), device["attributes"]["numa"])
            for key, device in devices
            if key not in used
            and fits(wanted[number], device)
            and not (constrained and numa is not None and numa != device["attributes"]["numa"])
        )

    return search(0, (), None)


def fits(request: Obj, device: Obj) -> bool:
    expressions = [one["cel"]["expression"] for one in request.get("selectors", ())]
    if request["deviceClassName"] == "big":
        expressions.append(next(reversed(SELECTORS)))
    tolerated = "tolerations" in request or "taints" not in device
    return tolerated and all(SELECTORS[one](device) for one in expressions)


def reaches(scene: DeviceScene, published: Obj, row: int) -> bool:
    spec = published["spec"]
    if "nodeName" in spec:
        return bool(spec["nodeName"] == scene.snapshot.names[row])
    return "allNodes" in spec or scene.snapshot.labels_of(row)["zone"] == "z1"
