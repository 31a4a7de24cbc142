"""Presentations: the same in Markdown and HTML, and no text means anything to either."""

from html.parser import HTMLParser

from podium.api.presentation import (
    Bars,
    Branch,
    Bullets,
    Paragraph,
    Piece,
    Presentation,
    Section,
    Table,
    Tone,
    Toned,
    Tree,
)
from podium.ui.writers.html import to_html
from podium.ui.writers.markdown import to_markdown

HOSTILE = "<script>alert(1)</script> | *x* [y](http://z) @team #1 `c` &lt; \\\nnext"
SHOWN = Presentation(
    "Title",
    "All is well.",
    [
        Section("What", [Paragraph("- no list"), Bullets(["1. one", HOSTILE])]),
        Section("Nothing", [Table(["A"], []), Bullets([]), Paragraph("")]),
        Section(
            "Detail",
            [Table(["A", "B"], [["x", Toned("y", Tone.BAD)], [HOSTILE, ""]], ["a note"])],
            is_detail=True,
        ),
    ],
)

PICTURES = Presentation(
    "Pictures",
    "",
    [
        Section("Bars", [Bars(("N", "B"), [(HOSTILE, [[Piece(HOSTILE, 0.5), Piece("", 0.5)]])])]),
        Section("Tree", [Tree([Branch("a", Tone.BAD, [Branch(HOSTILE)])])]),
        Section("Long", [Paragraph("secret")], is_long=True),
    ],
)


class Reader(HTMLParser):
    """Collects the tags and texts of a document."""

    def __init__(self) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.texts: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        assert not any(name.startswith("on") for name, _ in attrs)

    def handle_data(self, data: str) -> None:
        self.texts.append(data)


def test_html_shows_every_text_as_it_is() -> None:
    reader = Reader()
    reader.feed(to_html(SHOWN))
    assert HOSTILE in reader.texts
    assert reader.texts.count(HOSTILE) == 2
    assert {"script", "a", "img", "link"}.isdisjoint(reader.tags)
    assert reader.tags.count("details") == 1
    assert reader.tags.count("td") == 4
    assert "Nothing" not in reader.texts


def test_html_needs_nothing_else_and_knows_the_dark() -> None:
    text = to_html(SHOWN)
    assert "default-src &#x27;none&#x27;" in text
    assert "prefers-color-scheme: dark" in text
    assert "url(" not in text


def test_pictures_are_html_of_their_own() -> None:
    reader = Reader()
    reader.feed(to_html(PICTURES))
    assert reader.texts.count(HOSTILE) == 3
    assert {"script", "a", "img", "link"}.isdisjoint(reader.tags)
    assert "secret" in reader.texts
    assert 'style="width: 50.00%"' in to_html(PICTURES)


def test_comments_are_short() -> None:
    shown = to_markdown(PICTURES)
    assert "secret" not in shown
    assert "- a\n  - &lt;script" in shown
    rows = [[str(number), "x" * 900] for number in range(100)]
    tables = [Section(f"T{number}", [Table(["A", "B"], rows)]) for number in range(3)]
    long = to_markdown(Presentation("T", "", tables))
    assert "\nand 70 more\n" in long
    assert "Left out, as it is too long for a comment: T1, T2." in long
    assert len(long) < 60_000


def test_markdown() -> None:
    hostile = (
        "&lt;script&gt;alert(1)&lt;/script&gt; \\| \\*x\\* \\[y\\](http://z) &#64;team \\#1 "
        "\\`c\\` &amp;lt; \\\\ next"
    )
    assert to_markdown(SHOWN).splitlines() == [
        "## Title",
        "",
        "**All is well.**",
        "",
        "### What",
        "",
        "\\- no list",
        "",
        "- 1\\. one",
        f"- {hostile}",
        "",
        "<details><summary>Detail</summary>",
        "",
        "| A | B |",
        "| --- | --- |",
        "| x | y |",
        f"| {hostile} |  |",
        "",
        "a note",
        "",
        "</details>",
    ]
