"""Writes the pages of the documentation site, those that nobody writes included.

Pages about commands, schemas and Python come from the code, the gallery from the examples and from
what their commands print. Sphinx makes a site of the pages.
"""

import posixpath
import re
import shutil
import sys
from collections.abc import Container, Iterable, Iterator
from pathlib import Path

import yaml

from website.reference import gallery_pages, reference_pages

ROOT = Path(__file__).resolve().parents[1]
MENU = Path(__file__).with_name("menu.yaml")
_ABOVE = {
    "README.md": "index.md",
    "CONTRIBUTING.md": "contributing.md",
    "CHANGELOG.md": "changelog.md",
    "contrib/README.md": "contrib.md",
    "examples/README.md": "gallery/index.md",
}
FOLDERS = {
    "Gallery": "gallery/",
    "Reference": "reference/",
    "Rules of lint": "lint/",
}
_LINK = re.compile(r"(?<!!)\[((?:[^\[\]]|\[[^\]]*\])+)\]\(([^)\s]+)\)")
_FENCE = re.compile(r"^(```|~~~)")
_PLACES = {page: path for path, page in _ABOVE.items()}


def made_pages() -> dict[str, str]:
    """Each page that isn't in `docs`, by its path on the site."""
    pages = {page: (ROOT / path).read_text() for path, page in _ABOVE.items()}
    return pages | gallery_pages() | reference_pages()


def write_pages(directory: Path) -> None:
    """Write all pages into a directory, replacing what it has."""
    docs = ROOT / "docs"
    written = {path.relative_to(docs).as_posix(): path.read_text() for path in docs.rglob("*.md")}
    pages = written | made_pages()
    pages["index.md"] += "".join(menu(pages))
    shutil.rmtree(directory, ignore_errors=True)
    for page, text in pages.items():
        path = directory / page
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(linked(text, page, pages.keys()))


def menu(pages: Iterable[str]) -> Iterator[str]:
    """The menu as toctree directives: tasks and background, then the pages of each folder."""
    sections: dict[str, dict[str, str]] = yaml.safe_load(MENU.read_text())
    listed = {page for section in sections.values() for page in section.values()} | {"index.md"}
    for title, section in sections.items():
        yield _toctree(title, [f"{name} <{page}>" for name, page in section.items()])
    others = sorted(page for page in pages if page not in listed)
    yield _toctree("More", [page for page in others if "/" not in page])
    for title, folder in FOLDERS.items():
        found = [page for page in others if page.startswith(folder)]
        yield _toctree(title, sorted(found, key=lambda page: (not page.endswith("index.md"), page)))


def _toctree(title: str, entries: list[str]) -> str:
    if not entries:
        return ""
    lines = "\n".join(entries)
    return f"\n```{{toctree}}\n:hidden:\n:caption: {title}\n\n{lines}\n```\n"


def linked(markdown: str, page: str, known: Container[str]) -> str:
    """The text of a page with links that lead somewhere on the site."""
    source = _source_of(page)

    def replaced(found: re.Match[str]) -> str:
        text, target = found.groups()
        if "://" in target or target.startswith(("#", "mailto:")):
            return found[0]
        path, _, anchor = target.partition("#")
        place = posixpath.normpath(posixpath.join(posixpath.dirname(source), path))
        shown = _page_of(place)
        if shown not in known:
            # A wrong link within the documentation is left for Sphinx to find.
            return found[0] if place.startswith("docs/") and place.endswith(".md") else text
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
        return "reference/schemas.md" if inside.startswith("schemas") else inside
    name = re.fullmatch(r"(?:examples/([\w-]+)(?:/README\.md)?|tests/cases/([\w-]+)\.md)", place)
    if name:
        return f"gallery/{name[1] or name[2]}.md"
    return {"examples": "gallery/index.md", "contrib": "contrib.md"}.get(place, place)


if __name__ == "__main__":
    write_pages(Path(sys.argv[1]))
