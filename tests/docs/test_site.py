"""The site of the documentation: its made pages are there, and its links lead somewhere."""

import importlib.util
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

from podium.ui.command_line.main import COMMANDS
from tests.conftest import ROOT
from website import reference
from website.hooks import linked, slug

CONFIG = ROOT / "website/mkdocs.yml"


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


def test_anchors_are_those_of_code_forges() -> None:
    assert slug("What `podium plan` does – and why?") == "what-podium-plan-does--and-why"


def test_nothing_is_fetched_and_the_menu_leads_somewhere() -> None:
    text = CONFIG.read_text()
    assert "://" not in text
    config = yaml.safe_load(text)
    assert config["theme"]["font"] is False
    (tasks,) = (one["How to"] for one in config["nav"] if "How to" in one)
    pages = [page for task in tasks for page in task.values()]
    assert [page for page in pages if not (ROOT / "docs" / page).is_file()] == ["contrib.md"]


@pytest.mark.soak
def test_the_site_is_built(tmp_path: Path) -> None:
    if importlib.util.find_spec("material") is None:
        pytest.skip("MkDocs Material isn't installed")
    command = [sys.executable, "-m", "mkdocs", "build", "-q", "-f", str(CONFIG)]
    subprocess.run([*command, "-d", str(tmp_path)], check=True)
    html = [path.read_text() for path in tmp_path.rglob("*.html")]
    assert len(html) > 100
    assert not [one for one in html if 'src="http' in one or 'rel="stylesheet" href="http' in one]
