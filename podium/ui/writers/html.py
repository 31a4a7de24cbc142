"""Presentations as one self-contained HTML file, without scripts, fonts or network."""

from base64 import b64encode
from collections.abc import Iterable, Iterator
from html import escape

from podium.api.presentation import (
    Bars,
    Block,
    Branch,
    Bullets,
    Cell,
    Paragraph,
    Picture,
    Piece,
    Presentation,
    Table,
    Tone,
    Toned,
    Tree,
)

_NAME_LENGTH_MAX = 32
_POLICY = "default-src 'none'; style-src 'unsafe-inline'; img-src data:"
# Colour-blind readers can distinguish these colours.
_STYLE = """
:root { color-scheme: light dark; --text: #1b1f24; --back: #fff; --line: #d0d7de;
  --head: #f3f5f7; --good: #0550ae; --bad: #a33a00; --waiting: #6e4b9e; }
@media (prefers-color-scheme: dark) { :root { --text: #e6edf3; --back: #0d1117; --line: #30363d;
  --head: #161b22; --good: #79c0ff; --bad: #ffa657; --waiting: #d2a8ff; }
  img { filter: invert(0.93) hue-rotate(180deg); } }
body { font: 15px/1.5 system-ui, sans-serif; color: var(--text); background: var(--back);
  max-width: 75rem; margin: 2rem auto; padding: 0 1rem; }
h1 { font-size: 1.5rem; } h3 { font-size: 1rem; }
h2, summary { font-size: 1.15rem; font-weight: 600; margin-top: 1.5rem; }
summary { cursor: pointer; }
.headline { font-size: 1.1rem; font-weight: 600; }
.table { overflow-x: auto; } img { max-width: 100%; background: #fff; }
table { border-collapse: collapse; font-size: 0.9rem; }
th, td { border: 1px solid var(--line); padding: 0.3rem 0.6rem; text-align: left;
  vertical-align: top; overflow-wrap: break-word; }
th { background: var(--head); white-space: nowrap; } .name { white-space: nowrap; }
.good { color: var(--good); } .bad { color: var(--bad); font-weight: 600; }
.waiting { color: var(--waiting); } .faint { opacity: 0.6; }
@media print { :root { color-scheme: light; --text: #000; --back: #fff; --line: #999; --head: #eee;
    --good: #0550ae; --bad: #a33a00; --waiting: #6e4b9e; } img { filter: none; }
  body { font-size: 10pt; margin: 0; } .table { overflow: visible; }
  tr, .bar { break-inside: avoid; }
  details::details-content { content-visibility: visible; block-size: auto; }
  * { print-color-adjust: exact; } }
"""
PICTURE_STYLE = """
.bars { display: grid; grid-template-columns: minmax(5rem, max-content) repeat(var(--columns), 1fr);
  gap: 0.2rem 0.8rem; align-items: center; font-size: 0.85rem; }
.bars b { font-weight: 600; } .bar { display: flex; height: 1.4rem; overflow: hidden;
  border: 1px solid #8886; border-radius: 3px; min-width: 3rem; }
.bar i { font-style: normal; overflow: hidden; white-space: nowrap; text-overflow: ellipsis;
  box-sizing: border-box; padding: 0 0.2rem; border-right: 1px solid #8886; color: inherit;
  background: #8882; font-weight: 400; }
.bar i.gap { background: none; border: 0; padding: 0; }
.bar i.good { background: #0a6fd655; } .bar i.waiting { background: #8a63c044; }
.bar i.bad { background: repeating-linear-gradient(45deg, #e0700066 0 5px, #e0700022 5px 10px); }
.tree, .tree ul { list-style: none; margin: 0; padding-left: 1.2rem; }
.tree ul { border-left: 2px solid #8886; margin-left: 0.6rem; }
.tree li::before { content: "→ "; opacity: 0.6; }
"""
# Inside a page with colours of its own; the class `podium` keeps the styles to this part.
_FRAGMENT_STYLE = """
.podium summary { cursor: pointer; font-weight: 600; } .podium img { max-width: 100%; }
.podium td, .podium th { text-align: left; vertical-align: top; overflow-wrap: break-word; }
.podium .name { white-space: nowrap; }
.podium .bad { color: #c24400; font-weight: 600; } .podium .good { color: #1f75d1; }
.podium .waiting { color: #8a63c0; } .podium .faint { opacity: 0.6; }
"""


def to_html(presentation: Presentation) -> str:
    """Write a presentation as an HTML document; details are collapsed."""
    title = escape(presentation.title)
    parts = [
        "<!DOCTYPE html>",
        '<html lang="en">',
        "<head>",
        '<meta charset="utf-8">',
        f'<meta http-equiv="Content-Security-Policy" content="{escape(_POLICY)}">',
        '<meta name="viewport" content="width=device-width, initial-scale=1">',
        f"<title>{title}</title>",
        f"<style>{_STYLE}{PICTURE_STYLE}</style>",
        "</head>",
        "<body>",
        f"<h1>{title}</h1>",
    ]
    return "\n".join([*parts, *_body(presentation), "</body>", "</html>", ""])


def to_html_fragment(presentation: Presentation) -> str:
    """Write a presentation as a part of another page, such as a notebook."""
    title = f"<h3>{escape(presentation.title)}</h3>"
    style = f"<style>{_FRAGMENT_STYLE}{PICTURE_STYLE}</style>"
    return "\n".join([f'<div class="podium">{style}', title, *_body(presentation), "</div>"])


def _body(presentation: Presentation) -> Iterator[str]:
    if presentation.headline:
        yield f'<p class="headline">{escape(presentation.headline)}</p>'
    for section in presentation.filled_sections():
        title = escape(section.title)
        if section.is_detail:
            yield f"<details><summary>{title}</summary>"
        else:
            yield f"<section><h2>{title}</h2>" if title else "<section>"
        for block in section.blocks:
            yield from _block(block)
        yield "</details>" if section.is_detail else "</section>"


def _block(block: Block) -> Iterator[str]:
    match block:
        case Paragraph():
            yield f"<p{_class(block.tone)}>{escape(block.text)}</p>"
        case Bullets():
            yield "<ul>"
            for item in block.items:
                yield f"<li>{escape(item)}</li>"
            yield "</ul>"
        case Picture():
            data = b64encode(block.png).decode()
            yield f'<img alt="{escape(block.says)}" src="data:image/png;base64,{data}">'
        case Table():
            if block.title:
                yield f"<h3>{escape(block.title)}</h3>"
            yield '<div class="table"><table>'
            yield f"<thead>{_row('th', block.headers)}</thead>"
            yield "<tbody>"
            for row in block.rows:
                yield _row("td", row)
            yield "</tbody></table></div>"
            yield from _notes(block.notes)
        case Bars():
            yield f'<div class="bars" style="--columns: {len(block.headers) - 1}">'
            yield from (f"<b>{escape(header)}</b>" for header in block.headers)
            for name, columns in block.rows:
                yield f"<span>{escape(name)}</span>"
                for pieces in columns:
                    yield f'<span class="bar">{"".join(map(_piece, pieces))}</span>'
            yield "</div>"
            yield from _notes(block.notes)
        case Tree():
            yield _tree(block.branches, ' class="tree"')


def _notes(notes: Iterable[str]) -> Iterator[str]:
    for note in notes:
        yield f"<p>{escape(note)}</p>"


def _piece(piece: Piece) -> str:
    text, width = escape(piece.text), f'style="width: {100 * piece.share:.2f}%"'
    if not text:
        return f'<i class="gap" {width}></i>'
    return f'<i{_class(piece.tone)} {width} title="{text}">{text}</i>'


def _tree(branches: Iterable[Branch], kind: str = "") -> str:
    items = (
        f"<li><span{_class(branch.tone)}>{escape(branch.text)}</span>"
        f"{_tree(branch.branches) if branch.branches else ''}</li>"
        for branch in branches
    )
    return f"<ul{kind}>{''.join(items)}</ul>"


def _row(tag: str, cells: Iterable[Cell]) -> str:
    row = []
    for cell in cells:
        text, tone = str(cell), cell.tone if isinstance(cell, Toned) else Tone.NONE
        # Browsers would break a short name at its hyphens.
        is_name = "-" in text and text.count(" ") < 2 and len(text) <= _NAME_LENGTH_MAX
        kind = f"{tone} name".lstrip() if is_name else tone
        row.append(f"<{tag}{_class(kind)}>{escape(text)}</{tag}>")
    return f"<tr>{''.join(row)}</tr>"


def _class(kind: str) -> str:
    return f' class="{kind}"' if kind else ""
