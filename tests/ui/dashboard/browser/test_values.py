"""The page in a browser, fed with made-up values: many nodes, odd texts, a server that goes."""

from collections.abc import Iterator
from random import Random

import pytest
from msgspec import Raw
from msgspec.json import encode

from podium.ui.dashboard.views import Budget, NodeUsage, PriorityClass, Step
from tests.ui.dashboard.browser.conftest import Opened, Shot
from tests.ui.dashboard.browser.seeing import has, matches, says, selected
from tests.ui.dashboard.browser.served_values import (
    ServedValues,
    disruption,
    entry,
    node,
    pod,
    view,
    workload,
)

HOSTILE = "<img src=x onerror=alert(1)><script>alert(2)'\"&amp;\u202e"
CLASSES = [PriorityClass(name=name, value=value) for name, value in (("web", 20000), ("batch", 1))]
POOLS = ("general", "memory", "gpu")


@pytest.fixture(scope="module")
def many() -> Iterator[ServedValues]:
    random = Random(1)
    nodes = [
        node(f"node-{number}", zone=f"zone-{number % 3 + 1}", pool=POOLS[number % 7 % 3])
        for number in range(5000)
    ]
    classes = {"web": 20000, "batch": 1}
    pods = []
    for number in range(50_000):
        name = random.choice(("web", "batch"))
        cpu = random.choice((200, 300, 500))
        where = nodes[number // 10].name
        pods.append(
            pod(
                f"{name}-{number}",
                where,
                requests={"cpu": cpu, "memory": 1 << 30},
                priority_class=name,
                priority=classes[name],
            )
        )
    steps = [
        Step(number=number + 2, at_s=number + 1.0, gone_pods=[pods[number].uid])
        for number in range(200)
    ]
    with ServedValues(view(nodes, pods, live=False, priority_classes=CLASSES), steps) as served:
        yield served


def test_5000_nodes_are_aggregated_and_zoomed_into(
    many: ServedValues, opened: Opened, shot: Shot
) -> None:
    page = opened(many.link)
    says(selected(page), "zone-1, 1,667 nodes")
    has(page.locator(".totals"), "5,000 nodes, 49,800 pods")
    shot(page, "5000-nodes")
    page.keyboard.press("ArrowRight")
    says(selected(page), "zone-2, 1,667 nodes")
    page.keyboard.press("Enter")
    says(selected(page), "pool general")
    page.keyboard.press("Enter")
    says(selected(page), "zone zone-2", "CPU")
    page.keyboard.press("Escape")
    says(selected(page), "pool general")
    page.keyboard.press("Escape")
    says(selected(page), "zone-2, 1,667 nodes")


def test_a_finished_run_is_slid_through(many: ServedValues, opened: Opened) -> None:
    page = opened(many.link)
    has(page.locator(".connection"), "Finished run")
    has(page.locator("#step"), "step 200 of 200")
    slider = page.get_by_role("slider", name="Time")
    slider.fill("100")
    has(page.locator("#step"), "step 100 of 200")
    has(page.locator(".totals"), "49,900 pods")
    slider.press("ArrowLeft")
    has(page.locator(".totals"), "49,901 pods")
    page.get_by_role("button", name="To the end").click()
    has(page.locator(".totals"), "49,800 pods")
    slider.fill("198")
    page.get_by_role("button", name="Play").click()
    has(page.locator("#step"), "step 200 of 200")
    page.get_by_role("button", name="Play").wait_for()


def test_texts_stay_texts(opened: Opened) -> None:
    odd = pod(
        HOSTILE,
        namespace=HOSTILE,
        owner=HOSTILE,
        message=HOSTILE,
        priority_class=HOSTILE,
        queue="unschedulable",
    )
    nodes = [node(HOSTILE, zone=HOSTILE, pool=HOSTILE, taints=[HOSTILE], pressure=[HOSTILE])]
    begun = view(
        nodes,
        [odd, pod("inside", HOSTILE)],
        title=HOSTILE,
        entries=[entry(0, HOSTILE, HOSTILE, HOSTILE)],
        priority_classes=[PriorityClass(name=HOSTILE, value=1)],
        budgets=[
            Budget(namespace=HOSTILE, name=HOSTILE, allowed=0, healthy=1, desired=1, expected=1)
        ],
    )
    with ServedValues(begun, text=HOSTILE) as served:
        page = opened(served.link)
        says(selected(page), HOSTILE)
        for where in (".title", "#queue-unschedulable", "#budgets", "#pressure", ".entries"):
            has(page.locator(where), HOSTILE)
        page.keyboard.press("t")
        has(page.locator("table.nodes"), HOSTILE)
        page.locator("table.nodes a").click()
        has(page.locator("h1"), HOSTILE)
        has(page.locator("pre"), HOSTILE)
        page.get_by_role("link", name="default/inside").click()
        has(page.locator(".told"), HOSTILE)
        has(page.locator(".of-one"), HOSTILE)
        page.keyboard.press("/")
        page.keyboard.type("img")
        has(page.locator("#found"), HOSTILE)
        assert page.locator("img, body script").count() == 0


def test_a_lost_connection_is_told_and_found_again(opened: Opened, shot: Shot) -> None:
    steps = [Step(number=2, at_s=1, pods=[pod("first", "node-1")])]
    with ServedValues(view([node("node-1")]), steps) as served:
        page = opened(served.link)
        connection = page.locator(".connection")
        has(connection, "Live")
        has(page.locator(".totals"), "1 pod")
        served.stop()
        has(connection, "Connection lost")
        has(page.get_by_role("alert"), "The server doesn't answer. It may have been stopped")
        shot(page, "connection-lost")
        served.start()
        has(connection, "Live")
        served.push(Step(number=3, at_s=2, pods=[pod("second", "node-1")]))
        has(page.locator(".totals"), "2 pods")
        # One that doesn't know the steps any more has the page begin again.
        served.stop()
        served.begun, served.steps = view([node("node-1"), node("node-2")]), []
        served.start()
        has(page.locator(".totals"), "2 nodes, 0 pods")
        has(connection, "Live")


def test_a_token_that_is_not_valid_has_a_field_for_another(opened: Opened, shot: Shot) -> None:
    with ServedValues(view([node("node-1")])) as served:
        page = opened(f"{served.link}x")
        has(page.locator("form.trouble"), "The token isn't valid")
        shot(page, "sign-in")
        has(page.locator("form.trouble"), "with --detach ~/.local/state/podium/up")
        page.get_by_label("Link or token").fill(served.link)
        page.get_by_role("button", name="Sign in").click()
        says(selected(page), "node-1")
        assert page.title() == "Picture · values"
        assert page.evaluate("location.hash") == ""


def test_equal_lines_are_one_with_a_count_and_both_times(opened: Opened) -> None:
    waits = [entry(at, "FailedScheduling", "web", "0/1 nodes are available") for at in (5, 65)]
    other = entry(70, "PodBound", "other", "pod other is bound to node-1")
    with ServedValues(view([node("node-1")], at_s=90, entries=[*waits, other])) as served:
        page = opened(served.link)
        lines = page.locator(".entries li")
        has(lines.first, "00:01:10 1:10")
        has(lines.last, "00:01:05 1:05")
        has(lines.last, "0/1 nodes are available 2 ×")
        assert lines.count() == 2
        has(page.locator(".panels"), "No pod waits.")


def test_many_lines_of_a_kind_are_one_and_disruptions_stand_on_top(opened: Opened) -> None:
    nodes = [node(f"node-{number}") for number in range(500)]
    entries = [entry(20, "RegisteredNode", one.name, "is registered", "Node") for one in nodes]
    web = Budget(namespace="default", name="web", allowed=0, healthy=2, desired=2, expected=3)
    begun = view(nodes, at_s=90, entries=entries, disruptions=1, budgets=[web])
    with ServedValues(begun) as served:
        served.disrupted = [disruption(1, pod("web-1", "node-1"), cause="Drained", budgets=[web])]
        page = opened(served.link)
        lines = page.locator(".entries li")
        has(lines.first, "drained")
        has(lines.last, "500 nodesnode-499 and 499 others")
        assert lines.count() == 2
        has(page.locator("#budgets"), "violated 00:00:00: web-1 drained")
        preempted = [
            disruption(number, pod(f"web-{number}"), preemptor=f"default/first-{number % 2}")
            for number in range(2, 10)
        ]
        served.push(Step(number=2, at_s=91, disruptions=[Raw(encode(one)) for one in preempted]))
        has(
            lines.first,
            "8 podsdefault/web-9 and 7 others, since 00:00:00 by default/first-1 and 1 other",
        )


def test_workloads_stand_the_worst_first_each_with_its_reason(opened: Opened, shot: Shot) -> None:
    web = Budget(namespace="default", name="web", allowed=0, healthy=1, desired=2, expected=3)
    long = "recommendations-trainer-embeddings-v2-with-a-name-as-long-as-there-may-be"
    workloads = [
        workload("well", 3),
        workload("batch", 0, kind="Job", pending=3, namespace="jobs"),
        workload("web", 1, unready=1, budgets=["web"]),
        workload(long, 0, pending=1, note="exceeded quota: cpu, requested: 4, used: 8, limited: 8"),
        workload("report", 0, 0, kind="Job", note="failed: Job has reached the backoff limit"),
        workload("idle", 0, 0),
        workload("agent", 0, kind="DaemonSet", unready=3),
    ]
    agent = {"owner": "DaemonSet/agent", "state": "unready", "message": "CrashLoopBackOff"}
    waits = "0/1 nodes are available: 1 Insufficient cpu."
    pods = [
        *(pod(f"agent-{number}", "node-1", **agent) for number in range(3)),
        pod("waits", owner=f"Deployment/{long}", message=waits, queue="unschedulable"),
        pod("web-2", "node-1", state="bound"),
    ]
    begun = view([node("node-1")], pods, at_s=90, workloads=workloads, budgets=[web], disruptions=1)
    with ServedValues(begun) as served:
        lost = pod("web-1", "node-1")
        served.disrupted = [disruption(1, lost, budgets=[web], preemptor="default/first")]
        page = opened(served.link)
        has(page.locator(".down"), "✕ 2 workloads are down, 1 is below budget")
        shot(page, "workloads-down")
        page.get_by_role("link", name="Workloads").click()
        rows = page.locator("table.workloads tbody tr")
        expected = (
            ("DaemonSet/agent", "✕ down", "0 / 3", "3 CrashLoopBackOff"),
            (long, "✕ down", f"1 pending, 2 not created, exceeded quota: cpu, .* {waits}"),
            (
                "web",
                "✕ below budget",
                "1 starting, 1 not created1 preempted lately, by default/first",
            ),
            ("Job/report", "✕ failed", "0 / 0", "failed: Job has reached the backoff limit"),
            ("Job/batch jobs", "below desired", "3 pending"),
            ("Deployment/idle", "well", "0 / 0"),
            ("Deployment/well", "well", "3 / 3"),
        )
        for number, texts in enumerate(expected):
            for text in texts:
                matches(rows.nth(number), text)
        assert rows.count() == len(expected)
        shot(page, "workloads")
        page.locator("#search").fill("jobs")
        has(page.get_by_role("option").first, "jobs namespace, 1 workload")
        page.keyboard.press("Enter")
        has(page.locator("h1"), "in jobs")
        assert rows.count() == 1
        page.locator("#search").fill("web")
        has(page.get_by_role("option").first, "default/web Deployment, below budget")
        page.keyboard.press("Enter")
        for text in (
            "Deployment in default",
            "✕ below budget",
            "0 left (1 of 3 healthy, 2 needed)",
        ):
            has(page.locator("main"), text)
        has(page.get_by_role("region", name="Its pods"), "default/web-2boundnode-1")
        has(page.locator(".entries").first, "default/web-1is preempted by default/first")
        shot(page, "workload")
        served.push(Step(number=2, at_s=91, workloads=[workload("web", 3)]))
        has(page.locator(".facts"), "well")
        served.push(Step(number=3, at_s=92, gone_workloads=["default/Deployment/web"]))
        has(page.locator("main"), "It isn't there at the time that is shown.")
        page.get_by_role("slider", name="Time").press("Home")
        has(page.locator(".facts"), "✕ below budget")


def test_boxes_fill_by_any_resource_and_names_keep_what_tells_them_apart(
    opened: Opened, shot: Shot
) -> None:
    gpu, domain = "nvidia.com/gpu", ".eu-west-1.compute.internal"
    room = {"cpu": 96_000, "memory": 1 << 40, gpu: 8, "ephemeral-storage": 1 << 40, "pods": 110}
    nodes = [node(f"ip-10-0-{n % 9}-{n}{domain}", allocatable=room) for n in range(20)]
    nodes[3] = node(nodes[3].name, ready=False, allocatable=room)
    nodes[4] = node(nodes[4].name, cordoned=True, pressure=["MemoryPressure"], allocatable=room)
    name = "recommendations-trainer-embeddings-v2-7d4b9c6f8-"
    pods = [
        pod(f"{name}x{n}", nodes[n].name, requests={"cpu": 8000, gpu: n % 8 + 1}) for n in range(20)
    ]
    pods[5] = pod(pods[5].name, nodes[5].name, requests={gpu: 6}, state="bound")
    pods[6] = pod(pods[6].name, nodes[6].name, requests={gpu: 7}, state="terminating")
    pods += [
        pod(f"{name}n", nominated_node=nodes[6].name, queue="unschedulable", requests={gpu: 4}),
        pod(f"{name}stuck", queue="unschedulable", priority=1, requests={gpu: 16}),
    ]
    with ServedValues(view(nodes, pods)) as served:
        page = opened(served.link)
        says(selected(page), "nvidia.com/gpu 1 of 8", "ephemeral storage 0 of 1 Ti")
        has(page.locator("#queue-unschedulable li").first, "stuck")
        page.get_by_label("Filled by").select_option("nvidia.com/gpu")
        has(page.locator(".legend"), "Filled by requested nvidia.com/gpu")
        shot(page, "gpus")
        page.keyboard.press("t")
        page.get_by_role("button", name="nvidia.com/gpu").click()
        has(page.locator("table.nodes tbody tr").first, "8 of 8 100 %")


def test_what_nodes_use_stands_beside_what_their_pods_request(opened: Opened, shot: Shot) -> None:
    names = [f"node-{number}" for number in range(200)]
    nodes = [node(name, zone=f"zone-{number % 2}") for number, name in enumerate(names)]
    pods = [pod(f"web-{name}", name, requests={"cpu": 3000}) for name in names]
    with ServedValues(view(nodes, pods)) as served:
        cpu = [40 + 18 * number for number in range(199)]
        served.used = NodeUsage(nodes=names[:-1], cpu=cpu, memory=[6 << 30] * 199)
        page = opened(served.link)
        says(selected(page), "zone-0, 100 nodes, CPU 300 of 400, 182 used")
        has(page.locator(".legend"), "used now")
        shot(page, "usage-of-zones")
        page.keyboard.press("Enter")
        says(selected(page), "CPU 3 of 4, 40m used, memory 0 of 16 Gi, 6 Gi used")
        page.keyboard.press("+")
        page.keyboard.press("+")
        shot(page, "usage")
        page.keyboard.press("t")
        page.get_by_role("button", name="CPU used").click()
        has(page.locator("table.nodes tbody tr").first, "node-198")
        has(page.locator("table.nodes tbody tr").first, "3.6 90 %")
        shot(page, "usage-table")
        # The past isn't known.
        served.push(Step(number=2, at_s=1, pods=[pod("new", names[0])]))
        has(page.locator(".totals"), "201 pods")
        page.get_by_role("slider", name="Time").press("Home")
        page.get_by_role("button", name="CPU used").wait_for(state="detached")


def test_disruptions_are_fetched_to_the_last_and_go_on_with_steps(
    opened: Opened, shot: Shot
) -> None:
    with ServedValues(view([node("node-1")], at_s=700, disruptions=9)) as served:
        served.disrupted = [
            disruption(number, pod(f"web-{number}", "node-1"), at_s=60.0 * number)
            for number in range(3, 10)
        ]
        page = opened(served.link)
        page.get_by_role("button", name="preempted").click()
        lines = page.locator(".entries li")
        has(lines.last, "00:03:00 3:00")
        has(lines.first, "default/web-9")
        has(page.locator(".timeline"), "Of the disruptions, the last 7 are kept.")
        has(page.locator("#lately"), "preempted with 6 others of Deployment/web; 7 not replaced")
        replaced = disruption(9, pod("web-9", "node-1"), at_s=540, replacement="default/web-11")
        evicted = disruption(
            10,
            pod("web-10", "node-1"),
            at_s=600,
            cause="Drained",
            group="evicted",
            clause="is evicted, as its node is drained",
        )
        kept = [Raw(encode(one)) for one in (replaced, evicted)]
        served.push(Step(number=2, at_s=701, disruptions=kept))
        has(page.locator("#lately"), "preempted with 6 others of Deployment/web; 6 not replaced")
        page.get_by_role("button", name="evicted").click()
        has(lines.last, "default/web-10")
        assert lines.count() == 1
        shot(page, "many-disruptions")
        page.locator("#lately").get_by_role("link", name="web-9").click()
        has(page.locator(".ends"), "default/web-11")
