"""Made-up names look like Kubernetes' and never change."""

from itertools import islice

from hypothesis import given
from hypothesis import strategies as st

from podium.api.values.generated_names import (
    ALPHABET,
    HASH_LENGTH,
    NAME_LENGTH_MAX,
    SUFFIX_LENGTH,
    generated_names,
    template_hash,
)


def nothing(_: str) -> bool:
    return False


def test_names_are_the_same_every_time() -> None:
    names = list(islice(generated_names("web-", "ReplicaSet default/web", nothing), 3))
    assert names == ["web-bzlvb", "web-7g5df", "web-69v6b"]


def test_taken_names_are_passed_over() -> None:
    first, second = islice(generated_names("web-", "x", nothing), 2)
    assert next(generated_names("web-", "x", lambda name: name == first)) == second


@given(st.text("ab-", max_size=100))
def test_shape(base: str) -> None:
    name = next(generated_names(base, "owner", nothing))
    stem, suffix = name[:-SUFFIX_LENGTH], name[-SUFFIX_LENGTH:]
    assert len(name) <= NAME_LENGTH_MAX
    assert base.startswith(stem)
    assert set(suffix) <= set(ALPHABET)


def test_template_hash() -> None:
    assert template_hash({"a": 1, "b": 2}) == template_hash({"b": 2, "a": 1})
    assert template_hash({"a": 1}) != template_hash({"a": 2})
    assert len(template_hash({})) == HASH_LENGTH
