"""What is asked on call of a page of 500 nodes: each answer is a search or a few clicks away."""

from collections.abc import Iterator

import pytest

import podium
from tests.objects import budget, container, node, pod, priority_class, workload
from tests.ui.dashboard.browser.conftest import Opened, Shot
from tests.ui.dashboard.browser.seeing import has
from tests.ui.dashboard.browser.test_cluster import Running

GPU = "nvidia.com/gpu"


@pytest.fixture(scope="module")
def link() -> Iterator[str]:
    nodes = [node(f"node-{number:03}", "8") for number in range(500)]
    for one in nodes[::10]:
        one["status"]["allocatable"][GPU] = "8"
    state = [*nodes, priority_class("urgent", 1000), budget("web", minAvailable=500)]
    for number, one in enumerate(nodes):
        state.append(pod(f"web-{number:03}", "5", on=one["metadata"]["name"], app="web"))
    amounts = {GPU: "7"}
    resources = {"requests": amounts, "limits": amounts}
    full = {"containers": [container("1", resources=resources)]}
    state.append(pod("train", on="node-310", **full))
    with podium.Cluster(manifests=state, insecure_http=True, seed=1) as cluster:
        cluster.advance(5)
        running = Running(cluster)
        cluster.apply(pod("payments", "6", priorityClassName="urgent"))
        cluster.advance(60)
        checkout = workload("Deployment", "checkout", replicas=3)
        checkout["spec"]["template"]["spec"]["nodeSelector"] = {"disk": "nvme"}
        cluster.apply(pod("huge", "64"), checkout)
        cluster.advance(600)
        yield running.link


def test_who_preempted_a_pod_that_is_gone(link: str, opened: Opened) -> None:
    page = opened(link)
    page.reload()
    has(page.locator("#lately"), "preempted by default/payments")
    page.locator("#search").fill("web-000")
    page.keyboard.press("Enter")
    for text in ("It is gone", "is preempted", "default/payments", "0 left", "nothing owns it"):
        has(page.locator("main"), text)
    rivals = page.get_by_role("region", name="Victim and preemptor")
    has(rivals, "default/web-0000CPU 5")
    has(rivals, "default/payments1,000CPU 6")


def test_which_node_is_fullest_by_gpu(link: str, opened: Opened) -> None:
    page = opened(link)
    page.get_by_role("link", name="Table").click()
    # Once usage is read, its columns move the others.
    has(page.locator("thead").first, "CPU used")
    page.get_by_role("button", name=GPU).click()
    has(page.locator("tbody tr").first, "node-310")
    has(page.locator("tbody tr").first, "7 of 8")
    page.locator("#search").fill("gpu")
    found = page.get_by_role("option")
    has(found.nth(0), "node-310 node, nvidia.com/gpu 7 of 8")
    has(found.nth(1), "default/train requests 7, node-310")


def test_which_budget_was_violated_last_and_by_whom(link: str, opened: Opened) -> None:
    page = opened(link)
    has(page.locator("#budgets"), "violated")
    has(page.locator("#budgets"), "by payments")
    page.locator("#budgets").get_by_role("link", name="web").click()
    has(page.locator("main"), "default/payments")


def test_why_a_pod_waits_on_500_nodes(link: str, opened: Opened) -> None:
    page = opened(link)
    page.locator("#queue-unschedulable").get_by_role("link", name="huge").click()
    has(page.locator(".told").first, "500 nodes")
    has(page.locator(".told").first, "needs 64 CPU")


def test_which_deployment_is_down(link: str, opened: Opened, shot: Shot) -> None:
    page = opened(link)
    has(page.locator(".down"), "✕ 1 workload is down")
    page.locator(".down").get_by_role("link", name="checkout").click()
    for text in ("checkout Deployment in default", "✕ down", "0 of 3", "3 pending"):
        has(page.locator("main"), text)
    has(page.locator("main"), "didn't match Pod's node affinity/selector")
    has(page.locator(".told"), "asks for disk=nvme")
    shot(page, "deployment-down")
    page.get_by_role("region", name="Its pods").get_by_role("link").first.click()
    page.locator(".facts").get_by_role("link", name="Deployment/checkout").click()
    has(page.locator("h1"), "checkout Deployment")
