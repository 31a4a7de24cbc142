"""Mutations change one place each, by seed."""

import ast
from itertools import zip_longest
from pathlib import Path

import pytest

from tests.conftest import ROOT
from tests.mutants.__main__ import drawn
from tests.mutants.mutations import mutations

SOURCES = (
    "podium/scheduler/queue/in_flight.py",
    "podium/controllers/daemon_set/daemon_set_state.py",
)


def mutants(source: str) -> list[str]:
    return [mutation.applied(source) for mutation in mutations("m.py", source)]


@pytest.mark.parametrize(
    ("source", "others"),
    [
        ("a < b", ["a <= b"]),
        ("a == b is c", ["a != b is c", "a == b is not c"]),
        ("f(a - b)", ["pass", "f(a + b)"]),
        ("x = [a // b]", ["x = [a * b]"]),
        ("x = 7", ["x = 8", "x = 6"]),
        ("x = True", ["x = False"]),
        ("x = c - (a + b)", ["x = c + (a + b)", "x = c - ((a - b))"]),
        (
            "x = a == (not (b + c))",
            ["x = a != (not b + c)", "x = a == ((b + c))", "(not ((b - c)))"],
        ),
        ("x = a or b", ["x = a and b", "x = (not a) or b", "x = a or (not b)"]),
        ("x = max(a)", ["x = min(a)"]),
        ("x = y if z else w", ["x = y if not z else w"]),
        ("x = [a for a in b if a.c]", ["x = [a for a in b if not a.c]"]),
        ("x = 'ü' < y", ["x = 'ü' <= y"]),
        ("x += y", ["x -= y", "pass"]),
        ("x.y = z", ["pass"]),
        ("x = z", []),
        ("def f():\n    return x", []),
        ("def f():\n    if x:\n        return y", ["if not x:", "pass"]),
        ("for x in y:\n    continue", ["pass"]),
        ("raise ValueError(1)", ["pass"]),
        ("x: A[1] = f'{1}'", []),
        ("assert x < y", []),
        ("Alias = A | B", []),
        ("zip(a, strict=True)", ["pass"]),
        ("class A(B, frozen=True):\n    'Text.'", []),
    ],
)
def test_places_and_what_stands_there_instead(source: str, others: list[str]) -> None:
    found = mutants(source)
    assert len(found) >= len(others)
    for mutant, other in zip_longest(found, others):
        assert other in mutant


@pytest.mark.parametrize("path", SOURCES)
def test_each_changes_one_place_and_is_another_program(path: str) -> None:
    source = (ROOT / path).read_text()
    unchanged = ast.dump(ast.parse(source))
    found = mutations(path, source)
    assert len(found) > 10
    assert len(set(found)) == len(found)
    for mutation in found:
        mutant = mutation.applied(source)
        assert ast.dump(ast.parse(mutant)) != unchanged
        after = len(source.encode()) - mutation.end
        assert mutant.encode()[: mutation.start] == source.encode()[: mutation.start]
        assert mutant.encode()[-after:] == source.encode()[-after:]


def test_a_seed_draws_the_same_and_a_larger_count_begins_alike() -> None:
    few, more = (drawn(ROOT, ["apiserver/store"], 1, count) for count in (5, 10))
    assert len(more) == 10
    assert more[:5] == few
    assert drawn(ROOT, ["apiserver/store"], 2, 5) != few
    with pytest.raises(FileNotFoundError, match="podium/nowhere"):
        drawn(ROOT, ["nowhere"], 1, 5)


def test_functions_that_move_to_another_file_stay_in_the_draw(tmp_path: Path) -> None:
    first = "def f(a, b):\n    return a < b\n"
    second = "def g(a, b):\n    if a:\n        return b\n    return a < b\n"
    third = "def f(a, b):\n    return a < b\n"
    before = {"old/one.py": first, "old/two.py": second, "old/three.py": third}
    after = {"old/one.py": "c = 7\n", "new/all.py": second + first, "new/three.py": third}
    draws = []
    for number, files in enumerate((before, after)):
        for name, source in files.items():
            path = tmp_path / str(number) / "podium" / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(source)
        packages = sorted({name.partition("/")[0] for name in files})
        draws.append([m.text for m in drawn(tmp_path / str(number), packages, 1, 100)])
    drawn_before, drawn_after = draws
    assert len(drawn_before) == 5
    assert [text for text in drawn_after if text not in ("8", "6")] == drawn_before
