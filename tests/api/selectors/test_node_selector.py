"""Node selectors and node affinity."""

from typing import Any

from podium.api.errors import aggregate
from podium.api.selectors.node_selector import (
    NodeSelectorTerm,
    node_selector,
    preferred_terms,
    required_node_affinity,
)

SSD = {"key": "disk", "operator": "In", "values": ["ssd"]}
NAMED = {"key": "metadata.name", "operator": "In", "values": ["n1"]}
BROKEN = {"key": "disk", "operator": "In", "values": []}


def selector(*terms: dict[str, Any]) -> Any:
    return node_selector({"nodeSelectorTerms": list(terms)})


def expressions(*found: dict[str, Any]) -> dict[str, Any]:
    return {"matchExpressions": list(found)}


def fields(*found: dict[str, Any]) -> dict[str, Any]:
    return {"matchFields": list(found)}


def test_terms_are_alternatives() -> None:
    found = selector(expressions(SSD), fields(NAMED))
    assert found.matches({"disk": "ssd"}, "n2")
    assert found.matches({}, "n1")
    assert not found.matches({}, "n2")


def test_a_node_without_a_name_is_not_judged_by_it() -> None:
    assert selector(fields(NAMED)).matches({}, "")


def test_terms_without_conditions_match_nothing() -> None:
    assert selector({}, expressions()).terms == ()
    assert not selector({}).matches({}, "n1")
    assert not selector().matches({}, "n1")
    assert not NodeSelectorTerm().matches({}, "n1")


def test_a_term_that_cannot_be_parsed_matches_nothing_and_tells_why() -> None:
    found = selector(expressions(BROKEN), expressions(SSD))
    assert found.matches({"disk": "ssd"}, "n1")
    assert aggregate(found.errors) == (
        "nodeSelectorTerms[0].matchExpressions[0].values: Invalid value: []: "
        "for 'in', 'notin' operators, values set can't be empty"
    )
    assert not selector(expressions(BROKEN)).matches({"disk": "ssd"}, "n1")


def test_preferred_terms() -> None:
    found = preferred_terms(
        [
            {"weight": 0, "preference": expressions(BROKEN)},
            {"weight": 7, "preference": expressions(SSD)},
            {"weight": 9, "preference": {}},
            {"weight": 3, "preference": fields(NAMED)},
        ]
    )
    assert [weight for weight, _ in found] == [7, 3]
    assert [term.matches({"disk": "ssd"}, "n2") for _, term in found] == [True, False]
    assert preferred_terms(None) == ()


def test_a_preferred_term_that_cannot_be_parsed_is_kept_with_its_error() -> None:
    ((weight, term),) = preferred_terms([{"weight": 2, "preference": expressions(BROKEN)}])
    assert weight == 2
    assert [fault.field for fault in term.error] == ["[0].matchExpressions[0].values"]
    assert not term.matches({"disk": "ssd"}, "n1")


def pod(node_selector: dict[str, str] | None, required: dict[str, Any] | None) -> dict[str, Any]:
    affinity = {"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": required}}
    return {"spec": {"nodeSelector": node_selector, "affinity": affinity}}


def test_without_demands_every_node_will_do() -> None:
    for bare in ({}, {"spec": {"affinity": None}}, pod(None, None), pod({}, None)):
        assert required_node_affinity(bare).matches({}, "n1")


def test_required_affinity_without_terms_matches_nothing() -> None:
    assert not required_node_affinity(pod(None, {"nodeSelectorTerms": []})).matches({}, "n1")
