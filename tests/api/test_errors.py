"""Errors name the field and the bad value, in Kubernetes' words."""

import pytest

from podium.api.errors import FieldError, InvalidValueError, aggregate


@pytest.mark.parametrize(
    ("path", "field", "joined"),
    [
        ("spec", "containers", "spec.containers"),
        ("spec.containers", "[0].name", "spec.containers[0].name"),
        ("", "spec", "spec"),
        ("spec", "", "spec"),
    ],
)
def test_fields_are_put_under_a_path(path: str, field: str, joined: str) -> None:
    assert FieldError(field, "x", "why").under(path).field == joined


def test_an_error_put_under_a_path_stays_of_its_class() -> None:
    class SpecialError(InvalidValueError):
        pass

    error = SpecialError(FieldError("cpu", "x", "why")).under("requests")
    assert type(error) is SpecialError
    assert str(error) == 'requests.cpu: Invalid value: "x": why'


def test_several_errors_become_one_text_without_repetitions() -> None:
    assert aggregate([]) == ""
    assert aggregate(["a"]) == "a"
    assert aggregate(["b", "a", "b"]) == "[b, a]"
