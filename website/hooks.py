"""Makes the pages of the site that nobody writes, and leads links to what is on it.

Pages about commands, schemas and Python come from the code, the gallery from the examples and from
what their commands print.
"""

import posixpath
import re
import sys
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from website.reference import gallery_pages, reference_pages  # noqa: E402

CONFIG = Path(__file__).with_name("mkdocs.yml")
_ABOVE = {
    "README.md": "index.md",
    "CONTRIBUTING.md": "contributing.md",
    "CHANGELOG.md": "changelog.md",
    "contrib/README.md": "contrib.md",
    "examples/README.md": "gallery/index.md",
}
_LINK = re.compile(r"(?<!!)\[((?:[^\[\]]|\[[^\]]*\])+)\]\(([^)\s]+)\)")
_FENCE = re.compile(r"^(```|~~~)")
_PLACES = {page: path for path, page in _ABOVE.items()}


def made_pages() -> dict[str, str]:
    """Each page that isn't in `docs`, by its path on the site."""
    pages = {page: (ROOT / path).read_text() for path, page in _ABOVE.items()}
    return pages | gallery_pages() | reference_pages()


def on_config(config: Any) -> Any:
    """Headings have the anchors that code forges give them; made pages stand in the menu."""
    config.mdx_configs.setdefault("toc", {})["slugify"] = slug
    made = made_pages()
    config.extra["made"] = made
    menu = CONFIG.read_text()
    others = [path.name for path in (ROOT / "docs").glob("*.md") if f" {path.name}\n" not in menu]
    if others:
        config.nav.append({"More": sorted(others)})
    folders = (("Gallery", "gallery/"), ("Reference", "reference/"))
    for title, folder in folders:
        found = sorted((one for one in made if one.startswith(folder)), key=_rank)
        config.nav.append({title: found})
    for title, folder in (("Rules of lint", "lint"), ("Decisions", "decisions")):
        pages = sorted(path.name for path in (ROOT / "docs" / folder).glob("*.md"))
        listed = [f"{folder}/{name}" for name in pages if f"{folder}/{name}" != "lint/README.md"]
        config.nav.append({title: listed})
    return config


def _rank(page: str) -> tuple[bool, str]:
    return not page.endswith("index.md"), page


def on_files(files: Any, config: Any) -> Any:
    """The made pages are files among the others."""
    from mkdocs.structure.files import File

    for path, text in config.extra["made"].items():
        files.append(File.generated(config, path, content=text))
    return files


def on_page_markdown(markdown: str, page: Any, config: Any, **_: Any) -> str:
    """Lead each link to where its target is on the site; what isn't there loses its link."""
    known = set(config.extra["made"]) | {
        path.relative_to(ROOT / "docs").as_posix() for path in (ROOT / "docs").rglob("*.md")
    }
    return linked(markdown, page.file.src_uri, known)


def linked(markdown: str, page: str, known: set[str]) -> str:
    """The text of a page with links that lead somewhere on the site."""
    source = _source_of(page)

    def replaced(found: re.Match[str]) -> str:
        text, target = found.groups()
        if "://" in target or target.startswith(("#", "mailto:")):
            return found[0]
        path, _, anchor = target.partition("#")
        place = posixpath.normpath(posixpath.join(posixpath.dirname(source), path))
        shown = _page_of(place)
        # A wrong link within the documentation is left for MkDocs to find.
        if shown not in known and not place.startswith("docs/"):
            return text
        if shown not in known:
            return found[0]
        relative = posixpath.relpath(shown, posixpath.dirname(page) or ".")
        return f"[{text}]({relative}{'#' + anchor if anchor else ''})"

    lines, is_code = [], False
    for line in markdown.split("\n"):
        is_fence = bool(_FENCE.match(line.lstrip()))
        is_code ^= is_fence
        lines.append(line if is_code or is_fence else _LINK.sub(replaced, line))
    return "\n".join(lines)


def _source_of(page: str) -> str:
    """Where what a page of the site shows is in the repository."""
    if page in _PLACES:
        return _PLACES[page]
    if page.startswith("gallery/"):
        return f"examples/{Path(page).stem}/README.md"
    return f"docs/{page}"


def _page_of(place: str) -> str:
    """The page of the site that shows a place of the repository."""
    if place in _ABOVE:
        return _ABOVE[place]
    if place.startswith("docs/"):
        inside = place.removeprefix("docs/")
        return {"schemas": "reference/schemas.md"}.get(inside, inside)
    name = re.fullmatch(r"(?:examples/([\w-]+)(?:/README\.md)?|tests/cases/([\w-]+)\.md)", place)
    if name:
        return f"gallery/{name[1] or name[2]}.md"
    return {"examples": "gallery/index.md", "contrib": "contrib.md"}.get(place, place)


def slug(text: str, separator: str = "-") -> str:
    """The anchor of a heading, as code forges make it."""
    kept = re.sub(r"[^\w\- ]", "", text.strip().lower())
    return kept.replace(" ", separator)
