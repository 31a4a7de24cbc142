"""The dashboard's page as it is committed: built from its sources, and unable to make markup."""

import re
from hashlib import sha256

from tests.conftest import ROOT

SOURCES = ROOT / "dashboard"
PAGE = ROOT / "podium/ui/dashboard/page"
SETTINGS = ("build.js", "package-lock.json", "package.json", "tsconfig.json")
MARKUP = re.compile(
    r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|createContextualFragment|DOMParser"
    r"|\beval\(|new Function"
)


def test_the_page_is_built_from_its_sources() -> None:
    paths = [*(SOURCES / name for name in SETTINGS), *(SOURCES / "src").iterdir()]
    built_from = {
        path.relative_to(SOURCES).as_posix(): sha256(path.read_bytes()).hexdigest()
        for path in paths
    }
    listed = (PAGE / "sources.sha256").read_text().splitlines()
    digests = {path: digest for digest, path in (line.split("  ") for line in listed)}
    assert digests == built_from, "`make page` builds it anew"


def test_no_source_makes_markup_of_text() -> None:
    sources = {path.name: path.read_text() for path in (SOURCES / "src").iterdir()}
    assert "main.tsx" in sources
    assert {
        name: MARKUP.findall(text) for name, text in sources.items() if MARKUP.search(text)
    } == {}


def test_the_index_has_no_script_or_style_of_its_own() -> None:
    index = (PAGE / "index.html").read_text()
    assert "require-trusted-types-for 'script'" in index
    assert re.findall(r"<script[^>]*>(?!</script>)|<style|\s(?:style|on\w+)=", index) == []


def test_nothing_comes_from_elsewhere() -> None:
    names = ("package-lock.json", "package.json", ".npmrc")
    texts = [(SOURCES / name).read_text() for name in names]
    texts += [path.read_text() for path in PAGE.iterdir()]
    addresses = {found for text in texts for found in re.findall(r"https?://[^\s\"'`]+", text)}
    # The names of XML's vocabularies; nobody fetches them.
    assert {one for one in addresses if "//www.w3.org/" not in one} == set()
