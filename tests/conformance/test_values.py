"""The values of `podium.api` against recorded decisions of kube-scheduler and the kubelet.

A recorded decision tells what each plugin made of taints, affinity and requests; these tests
recompute one of those at a time from the objects alone, with no scheduler in between.
"""

import gzip
import json
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from podium.api.errors import aggregate
from podium.api.objects import key, labels, name
from podium.api.pods import is_finished
from podium.api.priority import is_critical, is_mirror, is_node_critical, is_static
from podium.api.qos import qos_class, stored_or_computed_qos
from podium.api.resources import (
    SCORING_DEFAULTS,
    pod_requests,
    pod_scoring_requests,
    resource_amount,
)
from podium.api.selectors.labels import SelectorError, label_selector
from podium.api.selectors.node_selector import preferred_terms, required_node_affinity
from podium.api.taints import NO_EXECUTE, NO_SCHEDULE, untolerated
from podium.api.values.quantity import (
    NANOS_PER_UNIT,
    Format,
    Quantity,
    QuantityError,
    ceil_value,
    nanos,
    parse_quantity,
)

Obj = Mapping[str, Any]

EVICTION_RECORDS = ("eviction-tables/tables.jsonl.gz", "eviction-random/random.jsonl.gz")
SCENARIOS = (
    "basic", "mixed", "images", "nodeaffinity", "odd", "ports", "preempt", "spread", "taints",
)  # fmt: skip
# The order in which v1.36 asks its filters, as far as these tests go: the first no is recorded.
FILTERS = (
    "NodeUnschedulable",
    "NodeName",
    "TaintToleration",
    "NodeAffinity",
    "NodePorts",
    "NodeResourcesFit",
)
SCORED = ("cpu", "memory")


class Case(NamedTuple):
    """One pod's decision against the initial state of its scenario."""

    scenario: Obj
    pod: Obj
    decision: Obj

    @property
    def nodes(self) -> dict[str, Obj]:
        return {name(node): node for node in self.scenario["nodes"]}

    def pods_on(self, node_name: str) -> list[Obj]:
        return [
            pod
            for pod in self.scenario.get("pods") or ()
            if pod["spec"].get("nodeName") == node_name and not is_finished(pod)
        ]

    def asked(self, plugin: str) -> Iterator[tuple[str, list[str] | None]]:
        """The nodes that got as far as this filter, with its reasons or None for a yes."""
        for node_name in self.decision["feasible"]:
            yield node_name, None
        for node_name, verdict in (self.decision["filter"] or {}).items():
            by = verdict["plugin"]
            if by == plugin:
                yield node_name, verdict["reasons"]
            elif by and (by not in FILTERS or FILTERS.index(by) > FILTERS.index(plugin)):
                yield node_name, None


@cache
def records(path: Path) -> list[tuple[Obj, Obj]]:
    with gzip.open(path, "rt") as lines:
        return [(r["input"], r["output"]) for r in map(json.loads, lines)]


def eviction_records(shared: Path, kind: str) -> list[tuple[Any, Obj]]:
    """The inputs of one kind with their answers."""
    found = [
        (given[kind], answer)
        for path in EVICTION_RECORDS
        for given, answer in records(shared / path)
        if kind in given
    ]
    assert found
    return found


def cases(shared: Path) -> Iterator[Case]:
    """All decisions that depend on nothing but the nodes, the pods on them and the pod."""
    for suite in SCENARIOS:
        for scenario, answer in records(shared / "differential" / f"{suite}.jsonl.gz"):
            nominations = (
                (pod.get("status") or {}).get("nominatedNodeName")
                for pod in scenario.get("pods") or ()
            )
            if scenario.get("profile") or any(nominations):
                continue
            pods = scenario["pending"][:1] if scenario.get("sequence") else scenario["pending"]
            for pod, decision in zip(pods, answer["decisions"], strict=False):
                assert key(pod) == decision["pod"]
                yield Case(scenario, pod, decision)


def test_qos_class(shared_conformance: Path) -> None:
    for pod, answer in eviction_records(shared_conformance, "qos"):
        got = (stored_or_computed_qos(pod), qos_class(pod))
        assert got == (answer["qosClass"], answer["computed"]), answer["id"]


def test_qos_class_in_oom_records(shared_conformance: Path) -> None:
    for given, answer in eviction_records(shared_conformance, "oom"):
        assert stored_or_computed_qos(given["pod"]) == answer["qosClass"], answer["id"]


def test_critical_pods(shared_conformance: Path) -> None:
    judges: dict[str, Callable[[Obj], bool]] = {
        "critical": is_critical,
        "nodeCritical": is_node_critical,
        "static": is_static,
        "mirror": is_mirror,
    }
    for pod, answer in eviction_records(shared_conformance, "critical"):
        got = {field: judge(pod) for field, judge in judges.items()}
        assert got == {field: answer[field] for field in judges}, answer["id"]


def test_threshold_quantities(shared_conformance: Path) -> None:
    printed = 0
    for given, answer in eviction_records(shared_conformance, "thresholdQuantity"):
        text = given["value"]
        if "error" in answer and not text.endswith("%"):
            with pytest.raises(QuantityError) as caught:
                parse_quantity(text)
            assert caught.value.error.message == answer["error"]
        elif "error" not in answer:
            # What a percentage comes to is the kubelet's to compute; printing it is ours.
            share = Quantity(answer["value"] * NANOS_PER_UNIT, Format.BINARY_SI)
            quantity = share if text.endswith("%") else parse_quantity(text)
            assert ceil_value(quantity.nanos) == answer["value"]
            assert str(quantity) == answer["quantity"]
            printed += 1
    assert printed


def test_taints(shared_conformance: Path) -> None:
    seen = set()
    for case in cases(shared_conformance):
        tolerations = case.pod["spec"].get("tolerations")
        for node_name, reasons in case.asked("TaintToleration"):
            taints = case.nodes[node_name]["spec"].get("taints")
            taint = untolerated(taints, tolerations, (NO_SCHEDULE, NO_EXECUTE))
            assert (taint is None) == (reasons is None), (case.scenario["id"], node_name)
            seen.add(taint is None)
    assert seen == {True, False}


def test_required_node_affinity(shared_conformance: Path) -> None:
    seen = set()
    for case in cases(shared_conformance):
        affinity = required_node_affinity(case.pod)
        for node_name, reasons in case.asked("NodeAffinity"):
            matches = affinity.matches(labels(case.nodes[node_name]), node_name)
            assert matches == (reasons is None), (case.scenario["id"], node_name)
            seen.add(matches)
    assert seen == {True, False}


def test_preferred_node_affinity(shared_conformance: Path) -> None:
    compared = 0
    for case in cases(shared_conformance):
        affinity = (case.pod["spec"].get("affinity") or {}).get("nodeAffinity") or {}
        terms = preferred_terms(affinity.get("preferredDuringSchedulingIgnoredDuringExecution"))
        scores = case.decision.get("scores") or {}
        raw = {
            node: sum(w for w, term in terms if term.matches(labels(case.nodes[node]), node))
            for node in scores
        }
        top = max(raw.values(), default=0) or 1
        for node, points in raw.items():
            expected = 2 * (100 * points // top)  # 2 is the plugin's weight
            assert scores[node].get("NodeAffinity", 0) == expected, (case.scenario["id"], node)
            compared += points > 0
    assert compared > 100


def test_requests_decide_what_fits(shared_conformance: Path) -> None:
    seen: dict[str, int] = defaultdict(int)
    for case in cases(shared_conformance):
        wanted = pod_requests(case.pod)
        for node_name, reasons in case.asked("NodeResourcesFit"):
            node, standing = case.nodes[node_name], case.pods_on(node_name)
            allocatable = {r: nanos(q) for r, q in node["status"]["allocatable"].items()}
            used: dict[str, int] = defaultdict(int)
            for pod in standing:
                for resource, amount in pod_requests(pod, use_status=True).items():
                    used[resource] += resource_amount(resource, amount)
            expected = [
                f"Insufficient {resource}"
                for resource, amount in wanted.items()
                if (want := resource_amount(resource, amount)) > 0
                and want > resource_amount(resource, allocatable.get(resource, 0)) - used[resource]
            ]
            if len(standing) + 1 > resource_amount("pods", allocatable.get("pods", 0)):
                expected.append("Too many pods")
            assert sorted(reasons or ()) == sorted(expected), (case.scenario["id"], node_name)
            for reason in expected or ["fits"]:
                seen[reason] += 1
    assert {"fits", "Too many pods", "Insufficient cpu", "Insufficient memory"} <= seen.keys()


def test_scoring_requests_decide_least_allocated(shared_conformance: Path) -> None:
    compared = 0
    for case in cases(shared_conformance):
        wanted = pod_requests(case.pod, default_missing=SCORING_DEFAULTS, pod_level=False)
        for node_name, scores in (case.decision.get("scores") or {}).items():
            allocatable = case.nodes[node_name]["status"]["allocatable"]
            total = dict.fromkeys(SCORED, 0)
            for requests in (wanted, *map(pod_scoring_requests, case.pods_on(node_name))):
                for resource in SCORED:
                    total[resource] += resource_amount(resource, requests[resource])
            capacity = {r: resource_amount(r, nanos(allocatable.get(r, 0))) for r in SCORED}
            counted = [r for r in SCORED if capacity[r]]
            free = sum(max(capacity[r] - total[r], 0) * 100 // capacity[r] for r in counted)
            expected = free // len(counted) if counted else 0
            assert scores.get("NodeResourcesFit", 0) == expected, (case.scenario["id"], node_name)
            compared += 1
    assert compared > 1000


def test_selector_errors(shared_conformance: Path) -> None:
    compared = 0
    for scenario, answer in records(shared_conformance / "tables" / "tables.jsonl.gz"):
        pods = {key(pod): pod for pod in scenario.get("pending") or ()}
        for decision in answer.get("decisions") or ():
            reasons = (decision.get("prefilter") or {}).get("reasons") or ()
            for reason in reasons:
                if reason.startswith("parsing pod: "):
                    assert selector_faults(pods[decision["pod"]]) == {reason.split(": ", 2)[2]}
                    compared += 1
    assert compared


def selector_faults(pod: Obj) -> set[str]:
    """What is wrong with the label selectors of a pod's affinity to pods."""
    faults = set()
    for kind in ("podAffinity", "podAntiAffinity"):
        terms = (pod["spec"]["affinity"].get(kind) or {}).values()
        for term in (term for group in terms for term in group):
            try:
                label_selector(term.get("podAffinityTerm", term).get("labelSelector"))
            except SelectorError as error:
                faults.add(str(error))
    return faults


def test_node_selector_errors(shared_conformance: Path) -> None:
    compared = 0
    for scenario, answer in records(shared_conformance / "tables" / "tables.jsonl.gz"):
        for pod, decision in zip(
            scenario.get("pending") or (), answer.get("decisions") or (), strict=False
        ):
            prefix = 'running PreScore plugin "NodeAffinity": '
            if (decision.get("error") or "").startswith(prefix):
                affinity = pod["spec"]["affinity"]["nodeAffinity"]
                raw = affinity["preferredDuringSchedulingIgnoredDuringExecution"]
                faults = [fault for _, term in preferred_terms(raw) for fault in term.error]
                assert prefix + aggregate(faults) == decision["error"]
                compared += 1
    assert compared
