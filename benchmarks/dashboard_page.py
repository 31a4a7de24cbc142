"""The dashboard's page in a browser: time to its first picture, and frames while much changes.

    python -m benchmarks.dashboard_page [--nodes 5000] [--pods 50000] [--changes-a-second 200]

Run it from the root of a checkout. The values are made up and served by this process, so that the
browser is measured. The first picture counts from the opening of the link, with the view on its
way; a frame is late if it comes more than 100 ms after the one before.
"""

import argparse
import shutil
import time
from collections.abc import Iterator
from itertools import count
from random import Random

from msgspec.structs import replace
from playwright.sync_api import Page, sync_playwright

from podium.ui.dashboard.feeds.feed import COALESCE_S
from podium.ui.dashboard.views import Node, Pod, PriorityClass, Step
from podium.ui.dashboard.workload_counts import WorkloadCounts
from tests.ui.dashboard.browser.conftest import FLAGS, NAMES
from tests.ui.dashboard.browser.served_values import ServedValues, entry, node, pod, view

CLASSES = {"web": 20_000, "api": 10_000, "batch": 1}
LATE_MS = 100
PAGES = {
    "zones": "#/",
    "workloads": "#/workloads",
    "a workload": "#/workloads/default/Deployment/web-1",
    "table": "#/table",
    "a node": "#/nodes/node-1",
}
OWNERS = 1_000
_PAINTED = "performance.getEntriesByName('painted')[0]?.toJSON()"
_FRAMES = """() => {
  globalThis.frames_ms = [];
  let before = performance.now();
  const frame = (now) => {
    frames_ms.push(now - before);
    before = now;
    requestAnimationFrame(frame);
  };
  requestAnimationFrame(frame);
}"""


def main() -> None:
    """Measure, and print what came of it."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--nodes", type=int, default=5_000)
    parser.add_argument("--pods", type=int, default=50_000)
    parser.add_argument("--changes-a-second", type=int, default=200)
    parser.add_argument("--seconds", type=float, default=15.0, help="of changes, on each page")
    parser.add_argument("--times", type=int, default=5, help="how often the page is opened")
    asked = parser.parse_args()
    nodes = [node(f"node-{n}", zone=f"zone-{n % 3}") for n in range(asked.nodes)]
    pods = [*_pods(nodes, asked.pods)]
    classes = [PriorityClass(name=name, value=value) for name, value in CLASSES.items()]
    path = next(found for name in NAMES if (found := shutil.which(name)))
    counts = WorkloadCounts()
    for one in pods:
        counts.pod_changed(None, one)
    begun = view(nodes, pods, priority_classes=classes, workloads=counts.take()[0])
    with ServedValues(begun) as served, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=FLAGS)
        firsts_s = []
        for _ in range(asked.times):
            with browser.new_page() as page:
                firsts_s.append(_first_picture_s(page, served.link))
        firsts = sorted(firsts_s)
        median = firsts[len(firsts) // 2]
        print(f"first picture: {median:.2f} s, from {firsts[0]:.2f} to {firsts[-1]:.2f}")
        page, numbers = browser.new_page(), count(begun.number + 1)
        _first_picture_s(page, served.link)
        page.evaluate(_FRAMES)
        for name, link in PAGES.items():
            page.evaluate("link => { location.hash = link; }", link)
            page.wait_for_timeout(1_000)
            frames_ms = _frames_ms(page, served, pods, counts, numbers, asked)
            late = sum(one > LATE_MS for one in frames_ms)
            print(
                f"{name}: {len(frames_ms)} frames, {late} late, the latest {max(frames_ms):.0f} ms"
            )
        browser.close()


def _pods(nodes: list[Node], number: int) -> Iterator[Pod]:
    random = Random(1)
    for n in range(number):
        name, cpu = random.choice([*CLASSES]), random.choice((200, 300, 400))
        requests = {"cpu": cpu, "memory": 1 << 30}
        where = nodes[n % len(nodes)].name
        yield pod(
            f"{name}-{n}",
            where,
            priority_class=name,
            priority=CLASSES[name],
            owner=f"Deployment/{name}-{n % OWNERS}",
            requests=requests,
        )


def _first_picture_s(page: Page, link: str) -> float:
    page.goto(link)
    while not (painted := page.evaluate(_PAINTED)):
        page.wait_for_timeout(10)
    return float(painted["startTime"] + painted["duration"]) / 1_000


def _frames_ms(
    page: Page,
    served: ServedValues,
    pods: list[Pod],
    counts: WorkloadCounts,
    numbers: Iterator[int],
    asked: argparse.Namespace,
) -> list[float]:
    random, each = Random(2), round(asked.changes_a_second * COALESCE_S)
    page.evaluate("() => { frames_ms.length = 0; }")
    end_s = time.monotonic() + asked.seconds
    while time.monotonic() < end_s:
        changed = []
        for place in random.sample(range(len(pods)), each):
            new = replace(pods[place], state=random.choice(("running", "bound", "terminating")))
            counts.pod_changed(pods[place], new)
            pods[place] = new
            changed.append(new)
        number = next(numbers)
        at_s = number * COALESCE_S
        entries = [entry(at_s, "PodChanged", one.name, f"is {one.state}") for one in changed]
        workloads, _ = counts.take()
        step = Step(number=number, at_s=at_s, pods=changed, workloads=workloads, entries=entries)
        served.push(step)
        page.wait_for_timeout(COALESCE_S * 1_000)
    found: list[float] = page.evaluate("frames_ms")
    return found


if __name__ == "__main__":
    main()
