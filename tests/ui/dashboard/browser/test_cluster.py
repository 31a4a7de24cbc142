"""The page in a browser, of a cluster that runs: what it shows, what it is asked, what it does."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

import podium
from podium.apiserver.http.users import kept_tokens
from podium.ui.dashboard.embedded_dashboard import mount_dashboard
from podium.ui.dashboard.views import presented
from tests.conftest import ROOT
from tests.objects import pod
from tests.ui.dashboard.browser.conftest import SCREENSHOTS, Opened, Shot
from tests.ui.dashboard.browser.seeing import has, says, selected
from tests.ui.dashboard.browser.served_values import ServedValues, node, view

if TYPE_CHECKING:
    from playwright.sync_api import Page

EXAMPLE = ROOT / "examples/best-practice"
ORANGE = EXAMPLE / "orange.yaml"
HOSTILE = "<img src=x onerror=alert(1)>"


class Running:
    """A cluster whose clock stands still, and its dashboard."""

    def __init__(self, cluster: podium.Cluster) -> None:
        self.cluster = cluster
        embedded = cluster._running()
        self.link = cluster._call(lambda: mount_dashboard(embedded))
        self.tokens = kept_tokens(Path(embedded.directory.path) / "tokens")


@pytest.fixture
def running() -> Iterator[Running]:
    with podium.Cluster(manifests=[EXAMPLE / "state"], insecure_http=True, seed=1) as cluster:
        cluster.advance(1)
        yield Running(cluster)


def test_it_loads(running: Running, opened: Opened, shot: Shot) -> None:
    page = opened(running.link)
    says(selected(page), "control-1", "1 pod")
    has(page.locator(".connection"), "Live")
    has(page.locator("#budgets"), "blue")
    has(page.locator(".legend"), "cat-3 30,000")
    # A class that was deleted; pods keep the priority that it gave them.
    has(page.locator(".legend"), "launch 25,000")
    assert running.tokens.reader not in page.url
    shot(page, "cluster")


def test_a_preemption_is_seen_and_its_decision_read(
    running: Running, opened: Opened, shot: Shot
) -> None:
    page = opened(running.link)
    says(selected(page), "control-1")
    running.cluster.apply(ORANGE)
    running.cluster.advance(2)
    has(page.locator(".entries"), "preempted")
    has(page.locator("#queue-unschedulable"), "nominated to worker-6")
    shot(page, "preemption")
    page.locator("#queue-unschedulable a").click()
    for text in ("took worker-6 of 6 candidates", "default/green-5", "not the fewest victims"):
        has(page.locator(".told").first, text)
    for text in ("NodeResourcesFit", "needs 1500m CPU, 0 of 4 free", "terminating pod"):
        has(page.locator(".told").last, text)
    shot(page, "decision")
    running.cluster.advance(60)
    has(page.locator(".facts"), "worker-6")
    has(page.locator(".facts"), "running")
    page.get_by_role("link", name="worker-6").first.click()
    has(page.locator("h1"), "worker-6")
    for text in ("default/green-5is preempted by default/orange", "is bound to worker-6"):
        has(page.locator(".entries"), text)
    page.keyboard.press("Escape")
    page.locator("#budgets").get_by_role("link", name="green").click()
    has(page.locator(".entries").first, "with 3 left: is preempted by default/orange")


def test_a_victim_keeps_its_page_when_it_is_gone(
    running: Running, opened: Opened, shot: Shot
) -> None:
    running.cluster.apply(ORANGE)
    running.cluster.advance(600)
    page = opened(running.link)
    lately = page.locator("#lately")
    has(lately, "default/green-5")
    has(lately, "preempted by default/orange")
    shot(page, "lately-disrupted")
    page.reload()
    page.get_by_role("button", name="preempted").click()
    has(page.locator(".entries"), "is preempted by default/orange")
    page.keyboard.press("/")
    page.keyboard.type("green-5")
    has(page.locator("#found"), "preempted")
    page.keyboard.press("Enter")
    has(page.locator(".page"), "It is gone")
    for text in ("is preempted", "default/orange", "3 left", "nothing owns it"):
        has(page.locator(".ends"), text)
    for text in ("took worker-6 of 6 candidates", "not the fewest victims"):
        has(page.locator(".told"), text)
    shot(page, "victim")
    page.locator(".ends").get_by_role("link", name="default/orange").click()
    has(page.locator("h1"), "orange")
    has(page.locator(".victims"), "default/green-5")
    shot(page, "preemptor")
    page.go_back()
    page.locator(".ends").get_by_role("link", name="default/green").click()
    has(page.locator(".entries").first, "is preempted by default/orange")


def test_manifests_are_planned_and_applied(running: Running, opened: Opened, shot: Shot) -> None:
    page = opened(running.link)
    says(selected(page), "control-1")
    page.keyboard.press("w")
    page.get_by_role("textbox", name="Manifests").fill("kind: [")
    page.get_by_role("button", name="Plan").click()
    has(page.get_by_role("alert"), "manifests")
    page.get_by_role("textbox", name="Manifests").fill(ORANGE.read_text())
    page.get_by_role("button", name="Plan").click()
    for text in ("default/green-5", "not the fewest victims"):
        has(page.locator(".told"), text)
    page.locator(".options summary").click()
    page.get_by_label("drain", exact=True).fill("worker-1\nworker-2")
    page.get_by_label("until", exact=True).fill("20s")
    page.get_by_role("button", name="Plan").click()
    has(page.locator(".told"), "node(s) were unschedulable")
    shot(page, "what-if")
    apply(page, running.tokens.reader)
    has(page.get_by_role("alert"), "forbidden")
    apply(page, running.tokens.admin)
    has(page.locator(".applied"), "created")
    running.cluster.advance(60)
    page.keyboard.press("Escape")
    says(selected(page), "control-1")
    has(page.locator(".entries"), "orange")


def apply(page: "Page", token: str) -> None:
    page.get_by_label("Administrator's token").fill(token)
    page.get_by_role("button", name="Apply", exact=True).click()


def test_time_is_slid_back(running: Running, opened: Opened) -> None:
    page = opened(running.link)
    total = page.locator(".totals")
    has(total, "8 nodes")
    before = total.inner_text()
    running.cluster.apply(ORANGE)
    running.cluster.advance(60)
    has(page.locator(".entries"), "is bound to worker-6")
    page.get_by_role("slider", name="Time").press("Home")
    has(page.locator(".connection"), "looking back")
    has(total, before)
    page.get_by_role("button", name="Back to now").click()
    has(page.locator(".entries"), "is bound to worker-6")


def test_keys_reach_everything(running: Running, opened: Opened, shot: Shot) -> None:
    running.cluster.apply(pod("odd", "100m", annotations={"says": HOSTILE}))
    running.cluster.advance(5)
    page = opened(running.link)
    says(selected(page), "control-1")
    page.keyboard.press("/")
    page.keyboard.type("default/odd")
    has(page.locator("#found"), "default/odd")
    page.keyboard.press("Enter")
    has(page.locator("h1"), "odd")
    has(page.locator(".told .headline"), "It is on worker-1")
    has(page.locator(".facts"), "UsesCPU 100m")
    page.locator(".told summary").click()
    has(page.get_by_role("region", name="Weighted scores"), "NodeResourcesFit")
    shot(page, "scores")
    page.get_by_text("Manifest", exact=True).click()
    has(page.locator("pre"), HOSTILE)
    assert page.locator("img").count() == 0
    page.keyboard.press("Escape")
    says(selected(page), "control-1")
    page.keyboard.press("ArrowRight")
    says(selected(page), "worker-1")
    page.keyboard.press("Enter")
    has(page.locator("h1"), "worker-1")
    has(page.get_by_role("region", name="Pressure"), "memory.available")
    has(page.get_by_role("region", name="Pods"), "CPU used")
    shot(page, "node")
    page.keyboard.press("t")
    has(page.locator("table.nodes"), "worker-7")
    page.get_by_role("searchbox", name="Filter Nodes").fill("worker")
    page.get_by_role("button", name=re.compile(r"^\W*CPU\W*$")).click()
    assert page.locator("th[aria-sort=descending]").inner_text() == "CPU"
    has(page.locator("table.nodes tbody tr").first, "4 of 4 100 %")
    assert page.locator("table.nodes tbody tr").count() == 7
    shot(page, "table")
    page.keyboard.press("?")
    has(page.locator("dialog"), "find a workload, pod or node")
    page.keyboard.press("Escape")
    page.keyboard.press("d")
    page.locator('html[data-theme="dark"]').wait_for(state="attached")


def test_a_budget_has_the_pods_that_it_covers(running: Running, opened: Opened, shot: Shot) -> None:
    page = opened(running.link)
    page.locator("#budgets").get_by_role("link", name="green").click()
    has(page.locator(".facts"), "5 of 5")
    has(page.get_by_role("region", name="Pods that it covers"), "default/green-1")
    assert page.title() == "default/green · podium up"
    shot(page, "budget")


def test_a_plan_opens_on_its_summary_and_offers_no_other(
    running: Running, opened: Opened, shot: Shot
) -> None:
    summary = presented(running.cluster.plan(str(ORANGE)).presentation())
    with ServedValues(view([node("node-1")], live=False, summary=summary)) as served:
        page = opened(served.link)
        has(page.locator("h1"), "Summary of values")
        has(page.locator(".told"), "default/green-5")
        assert page.get_by_role("link", name="What if").count() == 0
        shot(page, "summary")
        page.get_by_role("link", name="Picture").click()
        says(selected(page), "node-1")
        has(page.locator(".next"), "There are no pods.")


def test_a_saved_page_opens_without_a_server(
    running: Running, opened: Opened, tmp_path: Path
) -> None:
    page = opened(running.link)
    running.cluster.apply(ORANGE)
    running.cluster.advance(2)
    page.locator("#queue-unschedulable a").click()
    has(page.locator(".told").first, "took worker-6 of 6 candidates")
    with page.expect_download() as saving:
        page.get_by_role("button", name="Save").click()
    file = tmp_path / "saved.html"
    saving.value.save_as(file)
    assert saving.value.suggested_filename.startswith("default-orange-")
    text = file.read_text()
    assert len(text) < 1_000_000
    assert "<script" not in text
    page.goto(file.as_uri())
    has(page.locator(".told").first, "took worker-6 of 6 candidates")
    has(page.locator("th").first, "Node")
    assert not page.locator("button, a[href]").count()
    page.screenshot(path=SCREENSHOTS / "saved.png", full_page=True)
