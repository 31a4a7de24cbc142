"""The house style, as far as a program can judge it.

Each rule is a function from one source file to its offences, `line: what`. The first half of the
tests shows that a rule catches what it should; the second half applies all of them.
"""

import ast
import builtins
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
CODE_FOLDERS = ("podium", "tests", "benchmarks", "website")
TEXT_FOLDERS = (*CODE_FOLDERS, "docs", "examples", "contrib")
TEXT_SUFFIXES = {".py", ".md", ".toml", ".txt", ".yaml", ".yml", ".json", ".sh"}
# Data from elsewhere and large goldens aren't prose of ours.
TEXT_SIZE_MAX = 300_000

# Packages that may read clocks and draw randomness: the outermost ones.
OUTER_PACKAGES = (
    "ui",
    "simulation/benchmarks",
    "cluster/embedded",
    "cluster/drivers",
    "apiserver/http",
    "api/process",
)
CLOCKS_AND_DICE = re.compile(
    r"""
    time\.(time|time_ns|monotonic|monotonic_ns|perf_counter|perf_counter_ns|sleep)
    | datetime\.datetime\.(now|utcnow|today) | datetime\.date\.today
    | random\.(?!Random$)\w+
    | numpy\.random\.(?!(Generator|BitGenerator|SeedSequence|PCG64|default_rng)$)\w+
    | secrets\.\w+ | os\.urandom | uuid\.uuid[14]
    """,
    re.VERBOSE,
)
# The brackets keep the patterns from finding themselves.
LEFTOVER_MARK = re.compile(r"\b([T]ODO|[F]IXME|[X]XX)\b")
WORKPLACE = re.compile(r"[/]work/|[/]root/|[p]ypi\.org|[p]ythonhosted")


@dataclass(frozen=True)
class Source:
    """One Python file: its path from the top of the repository, its text, its syntax tree.

    Attributes:
        nodes: all of the tree, the module first.
    """

    path: str
    text: str
    tree: ast.Module
    nodes: tuple[ast.AST, ...]

    @property
    def is_package_code(self) -> bool:
        return self.path.startswith("podium/")

    def is_in(self, *packages: str) -> bool:
        return any(self.path.startswith((f"podium/{p}/", f"podium/{p}.py")) for p in packages)


Rule = Callable[[Source], Iterator[str]]


def parse(path: str, text: str) -> Source:
    tree = ast.parse(text)
    return Source(path, text, tree, tuple(ast.walk(tree)))


def clocks_and_dice(source: Source) -> Iterator[str]:
    """Any mention counts, not only a call: a clock handed on is a clock read."""
    if not source.is_package_code or source.is_in(*OUTER_PACKAGES):
        return
    origins = dict(_imported_names(source.nodes))
    for name in origins.values():
        if CLOCKS_AND_DICE.fullmatch(name):
            yield f"1: imports {name}"
    for node in source.nodes:
        if isinstance(node, ast.Attribute):
            name = _dotted(node, origins)
            if name is not None and CLOCKS_AND_DICE.fullmatch(name):
                yield f"{node.lineno}: {name}"


def _imported_names(nodes: Iterable[ast.AST]) -> Iterator[tuple[str, str]]:
    """Each name bound by an import, with the dotted name it stands for."""
    for node in nodes:
        if isinstance(node, ast.Import):
            for alias in node.names:
                top = alias.name.partition(".")[0]
                yield (alias.asname, alias.name) if alias.asname else (top, top)
        elif isinstance(node, ast.ImportFrom) and node.module:
            for alias in node.names:
                yield alias.asname or alias.name, f"{node.module}.{alias.name}"


def _dotted(node: ast.expr, origins: dict[str, str]) -> str | None:
    if isinstance(node, ast.Name):
        return origins.get(node.id)
    if isinstance(node, ast.Attribute):
        owner = _dotted(node.value, origins)
        return None if owner is None else f"{owner}.{node.attr}"
    return None


def importing_plugins_package(source: Source) -> Iterator[str]:
    """Only the profile names all plugins; a package that imported them would name them too."""
    if source.path != "podium/scheduler/plugins/__init__.py":
        return
    for node in source.nodes:
        if isinstance(node, ast.Import | ast.ImportFrom):
            yield f"{node.lineno}: imports"


def assertions_that_cannot_fail(source: Source) -> Iterator[str]:
    """An assertion whose value is true whatever happens: `a or "text"`, a tuple, a constant.

    `x == y or x` counts, too: it fails only where x is empty, which is not what it seems to say.
    """
    if source.is_package_code:
        return
    for node in source.nodes:
        if isinstance(node, ast.Assert) and _is_vacuous(node.test):
            yield f"{node.lineno}: this assertion can't fail"


def _is_vacuous(test: ast.expr) -> bool:
    if isinstance(test, ast.Constant | ast.Tuple | ast.JoinedStr):
        return bool(getattr(test, "value", True))
    if not (isinstance(test, ast.BoolOp) and isinstance(test.op, ast.Or)):
        return False
    *_, last = test.values
    compared = [ast.dump(side) for one in test.values[:-1] for side in ast.walk(one)]
    return _is_vacuous(last) or ast.dump(last) in compared


RAISES_SECTION = re.compile(r"^( *)Raises:\n((?:\1 +.*(?:\n|$)|\n)+)", re.MULTILINE)
RAISES_IN_A_SENTENCE = re.compile(r"\braises ([A-Z]\w+)")


def unknown_exceptions(source: Source) -> Iterator[str]:
    """Exceptions that a docstring names, and that neither Python, the package nor an import has."""
    if not source.is_package_code:
        return
    known = {*vars(builtins), *classes(), *dict(_imported_names(source.nodes))}
    for line, docstring in _docstrings(source):
        for name in _raised_names(docstring):
            if name.partition(".")[0] not in known:
                yield f"{line}: raises {name}, which isn't defined"


def _docstrings(source: Source) -> Iterator[tuple[int, str]]:
    for node in source.nodes:
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            docstring = ast.get_docstring(node)
            if docstring is not None:
                yield getattr(node, "lineno", 1), docstring


def _raised_names(docstring: str) -> Iterator[str]:
    for section in RAISES_SECTION.finditer(docstring):
        entries = [line for line in section[2].splitlines() if line.strip()]
        indent = min(len(line) - len(line.lstrip()) for line in entries)
        for entry in entries:
            if not entry[indent].isspace():
                yield from entry.strip().partition(":")[0].split(", ")
    yield from RAISES_IN_A_SENTENCE.findall(docstring)


def unknown_modules(source: Source) -> Iterator[str]:
    """Modules that a package's docstring names, as `x.py` or `x.function`, and doesn't have."""
    if not source.is_package_code or not source.path.endswith("/__init__.py"):
        return
    known = {path.stem for path in (ROOT / source.path).parent.iterdir()} | {"podium"}
    for name in re.findall(r"`([a-z_]+)\.[a-z_]+`", ast.get_docstring(source.tree) or ""):
        if name not in known:
            yield f"1: {name}.py isn't in the package"


RULES: tuple[Rule, ...] = (
    clocks_and_dice,
    importing_plugins_package,
    assertions_that_cannot_fail,
    unknown_exceptions,
    unknown_modules,
)


def found_in_text(pattern: re.Pattern[str], text: str) -> Iterator[str]:
    for number, line in enumerate(text.splitlines(), start=1):
        if match := pattern.search(line):
            yield f"{number}: {match.group()}"


@cache
def code() -> tuple[Path, ...]:
    return tuple(sorted(p for folder in CODE_FOLDERS for p in (ROOT / folder).rglob("*.py")))


@cache
def classes() -> frozenset[str]:
    """The names of all classes of the package."""
    texts = [path.read_text() for path in (ROOT / "podium").rglob("*.py")]
    return frozenset(name for text in texts for name in re.findall(r"(?m)^ *class (\w+)", text))


@cache
def offences() -> dict[Rule, list[str]]:
    """What each rule finds in all the code, a file after the other: the trees are large."""
    found: dict[Rule, list[str]] = {rule: [] for rule in RULES}
    for path in code():
        source = parse(path.relative_to(ROOT).as_posix(), path.read_text())
        for rule in RULES:
            found[rule] += [f"{source.path}:{offence}" for offence in rule(source)]
    return found


@cache
def texts() -> tuple[Path, ...]:
    inside = (p for folder in TEXT_FOLDERS for p in (ROOT / folder).rglob("*"))
    candidates = [*ROOT.iterdir(), *inside]
    return tuple(
        sorted(
            p
            for p in candidates
            if p.is_file()
            and (p.suffix in TEXT_SUFFIXES or p.name == "Makefile")
            and p.stat().st_size <= TEXT_SIZE_MAX
        )
    )


NOW = "from datetime import datetime\ndatetime.now(UTC)"
SHUFFLE = "import numpy as np\nnp.random.shuffle(a)"
PLUGINS = "podium/scheduler/plugins/__init__.py"
VACUOUS = "1: this assertion can't fail"


@pytest.mark.parametrize(
    ("rule", "path", "text", "offence"),
    [
        (clocks_and_dice, "podium/scheduler/a.py", "import time\ntime.time()", "2: time.time"),
        (clocks_and_dice, "podium/scheduler/a.py", "import time as t\nf(t.sleep)", "2: time.sleep"),
        (clocks_and_dice, "podium/a.py", "from time import time", "1: imports time.time"),
        (clocks_and_dice, "podium/a.py", "import random\nrandom.random()", "2: random.random"),
        (clocks_and_dice, "podium/a.py", NOW, "2: datetime.datetime.now"),
        (clocks_and_dice, "podium/a.py", SHUFFLE, "2: numpy.random.shuffle"),
        (importing_plugins_package, PLUGINS, "import a", "1: imports"),
        (assertions_that_cannot_fail, "tests/a.py", "assert a.b == [1] or a.b", VACUOUS),
        (assertions_that_cannot_fail, "tests/a.py", "assert (a, 'why')", VACUOUS),
        (
            unknown_exceptions,
            "podium/a.py",
            '"""Reads.\n\nRaises:\n    KeyError, LostError: why,\n        in two lines.\n"""',
            "1: raises LostError, which isn't defined",
        ),
        (
            unknown_exceptions,
            "podium/a.py",
            'def f():\n    """Reads; raises LostError."""',
            "1: raises LostError, which isn't defined",
        ),
        (
            unknown_modules,
            "podium/scheduler/__init__.py",
            '"""`lost.solve` is the way in."""',
            "1: lost.py isn't in the package",
        ),
    ],
)
def test_a_rule_catches(rule: Rule, path: str, text: str, offence: str) -> None:
    assert list(rule(parse(path, text))) == [offence]


@pytest.mark.parametrize(
    ("rule", "path", "text"),
    [
        (clocks_and_dice, "podium/ui/command_line/a.py", "import time\ntime.time()"),
        (clocks_and_dice, "podium/simulation/benchmarks/a.py", "import time\ntime.perf_counter()"),
        (clocks_and_dice, "podium/a.py", "import random\nrandom.Random(7).random()"),
        (clocks_and_dice, "podium/a.py", "def f(time):\n    return time.time"),
        (importing_plugins_package, "podium/scheduler/plugins/fit.py", "import numpy"),
        (assertions_that_cannot_fail, "tests/a.py", "assert a == 1 or b == 2"),
        (assertions_that_cannot_fail, "tests/a.py", "assert a or b"),
        (unknown_exceptions, "podium/a.py", '"""Raises:\n    KeyError: a.\n    PodiumError: b."""'),
        (unknown_exceptions, "podium/a.py", '"""Raises:\n    re.error: a."""\nimport re'),
        (
            unknown_modules,
            "podium/scheduler/__init__.py",
            '"""See `metrics.py` and `podium.whatif`."""',
        ),
    ],
)
def test_a_rule_lets_pass(rule: Rule, path: str, text: str) -> None:
    assert list(rule(parse(path, text))) == []


def test_text_patterns_catch() -> None:
    assert list(found_in_text(LEFTOVER_MARK, "a\n# TO" + "DO: b")) == ["2: TO" + "DO"]
    assert list(found_in_text(WORKPLACE, "see /wo" + "rk/main")) == ["1: /wo" + "rk/"]
    assert list(found_in_text(LEFTOVER_MARK, "mastodon")) == []


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.__name__)
def test_code(rule: Rule) -> None:
    assert ROOT / "podium/scheduler/scheduler.py" in code()
    assert not offences()[rule], "\n".join(offences()[rule])


@pytest.mark.parametrize("pattern", [LEFTOVER_MARK, WORKPLACE], ids=["leftovers", "workplace"])
def test_texts(pattern: re.Pattern[str]) -> None:
    assert ROOT / "README.md" in texts()
    found = [
        f"{path.relative_to(ROOT)}:{match}"
        for path in texts()
        for match in found_in_text(pattern, path.read_text())
    ]
    assert not found, "\n".join(found)


def test_a_name_leads_to_a_module() -> None:
    """A third module of one name is hard to tell from the other two in a search by name."""
    names = Counter(path.name for path in (ROOT / "podium").rglob("*.py"))
    assert {name for name, count in names.items() if count > 2} == {"__init__.py"}
