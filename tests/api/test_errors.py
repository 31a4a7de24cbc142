"""Errors name the field and the bad value, in Kubernetes' words."""

import pytest

from podium.api.errors import ErrorKind, FieldError, InvalidValueError, aggregate, unsupported


@pytest.mark.parametrize(
    ("error", "text"),
    [
        (FieldError("spec.a", "1x", "must be b"), 'spec.a: Invalid value: "1x": must be b'),
        (FieldError("spec.a", 70000, "too high"), "spec.a: Invalid value: 70000: too high"),
        (FieldError("a", ["x", "y"], ""), 'a: Invalid value: ["x","y"]'),
        (FieldError("a", None, "why"), "a: Invalid value: null: why"),
        (FieldError("a", True, "why"), "a: Invalid value: true: why"),
        (FieldError("a", 'say "hé"', ""), 'a: Invalid value: "say \\"hé\\""'),
        (FieldError("", "x", "why"), 'Invalid value: "x": why'),
        (FieldError("a", "", "", ErrorKind.REQUIRED), "a: Required value"),
        (FieldError("a", "x", "may not", ErrorKind.FORBIDDEN), "a: Forbidden: may not"),
        (FieldError("a", "c", "", ErrorKind.DUPLICATE), 'a: Duplicate value: "c"'),
        (
            unsupported("operator", "Like", ("Equal", "Exists")),
            'operator: Unsupported value: "Like": supported values: "Equal", "Exists"',
        ),
    ],
)
def test_text(error: FieldError, text: str) -> None:
    assert str(error) == text


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
