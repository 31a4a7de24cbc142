"""Errors name the field and the bad value, in Kubernetes' words."""

from podium.api.errors import FieldError, InvalidValueError, aggregate


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
