"""What is seen of a page, waited for: nothing here depends on how fast it comes."""

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from playwright.sync_api import Locator, Page

PATIENCE_MS = 120_000


def selected(page: "Page") -> "Locator":
    """The box that the arrows have come to."""
    return page.locator("#box-selected")


def says(locator: "Locator", *texts: str) -> None:
    """Wait until an element says all of it to those who can't see."""
    from playwright.sync_api import expect

    for text in texts:
        said = re.compile(re.escape(text))
        expect(locator).to_have_attribute("aria-label", said, timeout=PATIENCE_MS)


def has(locator: "Locator", text: str) -> None:
    """Wait until an element shows a text."""
    from playwright.sync_api import expect

    expect(locator).to_contain_text(text, timeout=PATIENCE_MS)


def matches(locator: "Locator", pattern: str) -> None:
    """Wait until an element shows a text that matches a pattern."""
    from playwright.sync_api import expect

    expect(locator).to_contain_text(re.compile(pattern), timeout=PATIENCE_MS)
