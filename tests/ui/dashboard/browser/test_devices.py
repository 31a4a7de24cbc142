"""Devices in a browser: how full nodes are of them, who has each, and what a pod's claims have."""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import pytest

import podium
from tests.device_objects import API, device, device_class, resource_slice
from tests.objects import HOST, Obj, node, pod, priority_class
from tests.ui.dashboard.browser.conftest import Opened, Shot
from tests.ui.dashboard.browser.seeing import has, says, selected
from tests.ui.dashboard.browser.test_cluster import Running

if TYPE_CHECKING:
    from playwright.sync_api import Page

GPUS, NICS = "gpu.example.com devices", "nic.example.com devices"
OF_GPU = 'device.attributes["gpu.example.com"]'
IS_GPU = f'device.driver == "gpu.example.com" && {OF_GPU}'
HOT: Obj = {"key": "gpu.example.com/overheated", "effect": "NoSchedule"}


def claim(name: str, class_name: str, selector: str = "", **exactly: Any) -> Obj:
    selectors = [{"cel": {"expression": selector}}] if selector else []
    request = {"deviceClassName": class_name, "selectors": selectors, **exactly}
    devices = {"requests": [{"name": class_name, "exactly": request}]}
    return {
        "apiVersion": API,
        "kind": "ResourceClaim",
        "metadata": {"name": name, "namespace": "default"},
        "spec": {"devices": devices},
    }


def user(name: str, claim_name: str, on: str = "", **spec: Any) -> Obj:
    spec |= {"nodeSelector": {HOST: on}} if on else {}
    return pod(name, "1", resourceClaims=[{"name": "own", "resourceClaimName": claim_name}], **spec)


def part(board: str, gib: int, number: int) -> Obj:
    taken = [{"counterSet": board, "counters": {"memory": {"value": f"{gib}Gi"}}}]
    return {**device(f"{board}-{gib}g-{number}", model="a100", gib=gib), "consumesCounters": taken}


def state() -> Iterator[Obj]:
    """Nodes with whole GPUs, partitioned ones and an incomplete pool, and a NIC that is shared."""
    for number in range(1, 7):
        yield node(f"node-{number}", "16")
    yield priority_class("serving", 1000)
    yield device_class("gpu", f'{IS_GPU}.model == "h100"')
    yield device_class("part", f'{IS_GPU}.model == "a100"')
    yield device_class("nic", 'device.driver == "nic.example.com"')
    gpus = [device(f"gpu-{number}", model="h100", numa=number // 4) for number in range(8)]
    yield resource_slice("node-1", [{**gpus[0], "taints": [HOT]}, *gpus[1:]])
    yield resource_slice("node-2", gpus)
    boards = ("board-0", "board-1")
    counters = [{"name": one, "counters": {"memory": {"value": "80Gi"}}} for one in boards]
    yield resource_slice("boards", [], pool="node-3", count=2, sharedCounters=counters)
    sizes = ((80, 1), (40, 2), (20, 4))
    parts = [part(one, gib, n) for one in boards for gib, many in sizes for n in range(many)]
    yield resource_slice("parts", parts, pool="node-3", count=2)
    yield resource_slice("node-4", gpus[:1], count=2)
    nic = {**device("eth-1", {"bandwidth": "100G"}), "allowMultipleAllocations": True}
    yield resource_slice("nics", [nic], pool="node-2", driver="nic.example.com")


@pytest.fixture(scope="module")
def link() -> Iterator[str]:
    with podium.Cluster(manifests=[*state()], insecure_http=True, seed=1) as cluster:
        running = Running(cluster)
        cluster.apply(
            claim("gpus-of-train", "gpu", count=6),
            user("train", "gpus-of-train", "node-2"),
            claim("team", "gpu", count=2),
            user("notebook-1", "team", "node-1"),
            user("notebook-2", "team", "node-1"),
            claim("half", "part", f"{OF_GPU}.gib == 40"),
            user("embed", "half"),
            claim("quarter", "part", f"{OF_GPU}.gib == 20"),
            user("classify", "quarter"),
            claim("net", "nic", capacity={"requests": {"bandwidth": "25G"}}),
            user("fetch", "net"),
        )
        cluster.advance(10)
        cluster.apply(
            claim("gpus-of-llm", "gpu", count=8),
            user("llm", "gpus-of-llm", priorityClassName="serving"),
        )
        cluster.advance(10)
        yield running.link


def follow(page: "Page", place: str) -> None:
    page.evaluate("place => { location.hash = place }", f"#/{place}")
    has(page.locator("h1"), place.rpartition("/")[2])


def test_boxes_and_the_table_count_devices(link: str, opened: Opened, shot: Shot) -> None:
    page = opened(link)
    says(selected(page), "node-1", f"{GPUS} 2 of 8")
    page.get_by_label("Filled by").select_option(GPUS)
    has(page.locator(".legend"), f"Filled by allocated {GPUS}")
    shot(page, "devices")
    page.keyboard.press("t")
    page.get_by_role("button", name=GPUS).click()
    fullest = page.locator("table.nodes tbody tr").first
    for text in ("node-2", "6 of 8 75 %", "0.25 of 1 25 %"):
        has(fullest, text)
    # Partitions count as the share of a GPU that they take.
    has(page.locator("table.nodes"), "0.75 of 2 38 %")
    shot(page, "devices-table")
    page.locator("#search").fill("gpu")
    has(page.locator("#found li").first, f"node-2 node, {GPUS} 6 of 8")
    has(page.locator("#found"), "default/train has 6, node-2")


def test_a_node_has_its_devices_with_the_pods_that_use_them(
    link: str, opened: Opened, shot: Shot
) -> None:
    page = opened(link)
    says(selected(page), "node-1")
    devices = page.get_by_role("region", name="Devices")
    for name, texts in {
        "node-1": (
            "overheated:NoSchedule",
            "model=h100, numa=1",
            "default/notebook-2",
            "claim team",
        ),
        "node-2": ("gpu-7", "75G of 100G bandwidth", "25G bandwidth, claim net"),
        "node-3": ("board-0-40g-0", "too little memory left", "default/embed"),
    }.items():
        follow(page, f"nodes/{name}")
        for text in texts:
            has(devices, text)
        shot(page, f"devices-of-{name}")
    follow(page, "nodes/node-4")
    has(page.locator("main"), "Pool gpu.example.com/node-4 is incomplete.")


def test_a_pod_has_its_claims_with_their_devices(link: str, opened: Opened, shot: Shot) -> None:
    page = opened(link)
    says(selected(page), "node-1")
    claims = page.get_by_role("region", name="Claims")
    follow(page, "pods/default/notebook-1")
    for text in (
        "2 of class gpu",
        "gpu: gpu-1, gpu-2 of gpu.example.com/node-1",
        "default/notebook-2",
    ):
        has(claims, text)
    shot(page, "claims")
    follow(page, "pods/default/llm")
    has(claims, "none yet")
    has(page.locator(".told"), "request gpu of claim gpus-of-llm needs 8 devices of class gpu")
    shot(page, "claims-of-a-pending-pod")
