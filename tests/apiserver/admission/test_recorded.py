"""Defaulting and admission together make of a pod what kube-apiserver v1.36 made of it."""

from collections.abc import Iterator
from typing import Any

from podium.api.quantity import QuantityError, parse_quantity
from podium.apiserver.admission.priority import PriorityAdmission
from podium.apiserver.admission.runtime_class import RuntimeClassAdmission
from podium.apiserver.admission.tolerations import add_default_tolerations
from podium.apiserver.defaulting import apply_defaults
from podium.apiserver.refusal import Refusal

Obj = dict[str, Any]

# What other plugins decide, and a field that the API drops and Podium keeps.
ELSEWHERE = ("limits/", "quota/", "namespace/", "pod/unknown-field")


def admitted(pod: Obj, classes: dict[str, Obj], runtime_classes: dict[str, Obj]) -> Any:
    result: Any = PriorityAdmission(classes.values()).admit(apply_defaults(pod))
    if isinstance(result, Refusal):
        return result
    result = add_default_tolerations(result)
    return RuntimeClassAdmission(runtime_classes.values()).admit(result)


def with_classes(exchanges: list[Any]) -> Iterator[tuple[Any, dict[str, Obj], dict[str, Obj]]]:
    """Each exchange with the priority and runtime classes that there were by then."""
    scenario = ""
    there: dict[str, dict[str, Obj]] = {}
    for exchange in exchanges:
        if exchange.scenario != scenario:
            scenario, there = exchange.scenario, {"PriorityClass": {}, "RuntimeClass": {}}
        yield exchange, there["PriorityClass"], there["RuntimeClass"]
        objects = there.get(exchange.obj["kind"])
        if objects is not None and exchange.method == "POST" and exchange.code == 201:
            objects[exchange.name] = exchange.answer
        elif objects is not None and exchange.method == "DELETE":
            objects.pop(exchange.name, None)


def plain(value: Any, field: str = "") -> Any:
    """Without empty fields, and amounts in their canonical form."""
    if isinstance(value, dict):
        fields = {name: plain(entry, field or name) for name, entry in value.items()}
        return {name: entry for name, entry in fields.items() if entry not in (None, {}, [])}
    if isinstance(value, list):
        return [plain(entry) for entry in value]
    try:
        return str(parse_quantity(value)) if field in ("resources", "overhead") else value
    except QuantityError:
        return value


def test_pods_become_what_they_became(exchanges: list[Any]) -> None:
    compared = 0
    for exchange, classes, runtime_classes in with_classes(exchanges):
        created = exchange.method == "POST" and exchange.code == 201
        if (
            created
            and exchange.obj["kind"] == "Pod"
            and not exchange.scenario.startswith(ELSEWHERE)
        ):
            pod = admitted(exchange.obj, classes, runtime_classes)
            assert plain(pod["spec"]) == plain(exchange.answer["spec"]), exchange.scenario
            compared += 1
    assert compared > 40


def test_pods_are_refused_in_the_same_words(exchanges: list[Any]) -> None:
    compared = 0
    for exchange, classes, runtime_classes in with_classes(exchanges):
        refused = exchange.method == "POST" and exchange.code == 403
        if (
            refused
            and exchange.obj["kind"] == "Pod"
            and not exchange.scenario.startswith(ELSEWHERE)
        ):
            answer = admitted(exchange.obj, classes, runtime_classes)
            assert answer == Refusal("Forbidden", exchange.answer["message"]), exchange.scenario
            compared += 1
    assert compared >= 7


def test_a_second_default_class_is_refused_in_the_same_words(exchanges: list[Any]) -> None:
    compared = 0
    for exchange, classes, _ in with_classes(exchanges):
        if exchange.method == "POST" and exchange.obj["kind"] == "PriorityClass":
            answer = PriorityAdmission(classes.values()).admit_class(exchange.obj)
            refused = exchange.code == 403
            assert isinstance(answer, Refusal) == refused, exchange.scenario
            if isinstance(answer, Refusal):
                assert answer.message == exchange.answer["message"]
                compared += 1
    assert compared == 1
