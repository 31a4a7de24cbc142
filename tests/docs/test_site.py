"""The site of the documentation: its made pages are there, and its links lead somewhere."""

import importlib.util
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

from podium.ui.command_line.main import COMMANDS
from tests.conftest import ROOT
from website import pages, reference
from website.pages import linked


def test_every_command_has_a_page_with_its_options() -> None:
    pages = reference.reference_pages()
    assert {f"reference/{name}.md" for name in COMMANDS} < pages.keys()
    assert "--fail-on CONDITION" in pages["reference/plan.md"]
    assert "## PlanAnswer" in pages["reference/python.md"]
    assert '"Explanation"' in pages["reference/schemas.md"]


def test_the_gallery_has_pictures_of_plans() -> None:
    case = "$ podium plan -f examples/best-practice/state \\\n    --apply examples/best-practice/"
    assert 'title="green-5 in default, priority' in reference.picture(f"{case}orange.yaml\n")
    assert reference.picture("$ podium version\n") == ""


def test_links_lead_to_pages_of_the_site() -> None:
    known = {"index.md", "plans.md", "gallery/gated.md", "contrib.md"}
    text = "[a](../README.md#x) [b](plans.md) [c](../examples/gated) [d](../podium/api) [e](no.md)"
    assert linked(text, "tutorial.md", known) == (
        "[a](index.md#x) [b](plans.md) [c](gallery/gated.md) d [e](no.md)"
    )
    assert linked("[a](../../docs/plans.md)", "gallery/gated.md", known) == "[a](../plans.md)"
    assert linked("```\n[a](../x)\n```", "plans.md", known) == "```\n[a](../x)\n```"


def test_the_menu_leads_somewhere() -> None:
    sections = yaml.safe_load(pages.MENU.read_text())
    listed = [page for section in sections.values() for page in section.values()]
    written = [page for page in listed if (ROOT / "docs" / page).is_file()]
    assert {*listed} - {*written} == {"contrib.md", "contributing.md", "changelog.md"}
    assert "plans.md" in written


def test_pages_that_the_menu_leaves_out_follow_by_folder() -> None:
    text = "".join(pages.menu(["index.md", "plans.md", "new.md", "lint/a.md", "lint/index.md"]))
    assert ":caption: More\n\nnew.md\n" in text
    assert ":caption: Rules of lint\n\nlint/index.md\nlint/a.md\n" in text


@pytest.mark.soak
def test_the_site_is_built(tmp_path: Path) -> None:
    if importlib.util.find_spec("sphinx") is None:
        pytest.skip("Sphinx isn't installed")
    pages.write_pages(tmp_path / "pages")
    command = [sys.executable, "-m", "sphinx", "-q", "-W", "-c", str(ROOT / "website")]
    subprocess.run([*command, str(tmp_path / "pages"), str(tmp_path / "site")], check=True)
    html = [path.read_text() for path in (tmp_path / "site").rglob("*.html")]
    assert len(html) > 100
    assert not [one for one in html if 'src="http' in one or 'rel="stylesheet" href="http' in one]
