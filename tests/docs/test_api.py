"""The session in the page on the API runs as it stands."""

import doctest

from tests.conftest import ROOT
from tests.docs.markdown import Block, parts

PAGE = ROOT / "docs/api.md"


def session() -> doctest.DocTest:
    blocks = [part for part in parts(PAGE.read_text()) if isinstance(part, Block)]
    text = "".join(block.text for block in blocks if block.title == "session")
    return doctest.DocTestParser().get_doctest(text, {}, PAGE.name, str(PAGE), 0)


def test_the_session_runs_as_it_stands() -> None:
    told = session()
    assert len(told.examples) > 20
    problems: list[str] = []
    result = doctest.DocTestRunner(verbose=False).run(told, out=problems.append)
    assert result.failed == 0, "\n".join(problems)
