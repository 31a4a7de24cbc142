"""The distribution's Chromium, and what it must never say."""

import shutil
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

import pytest

from tests.conftest import ROOT
from tests.ui.dashboard.browser.seeing import PATIENCE_MS

if TYPE_CHECKING:
    from playwright.sync_api import Browser, ConsoleMessage, Page

SCREENSHOTS = ROOT / "build/screenshots"
NAMES = ("chromium", "chromium-browser", "google-chrome")
FLAGS = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)

Opened = Callable[[str], "Page"]
Shot = Callable[["Page", str], None]


# Of a module: while it runs, this thread has an event loop, which other tests couldn't bear.
@pytest.fixture(scope="module")
def browser() -> Iterator["Browser"]:
    path = next((found for name in NAMES if (found := shutil.which(name))), None)
    if path is None:
        pytest.skip("no Chromium: `make setup` installs it as root, `apt-get install chromium` too")
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=path, args=FLAGS, timeout=PATIENCE_MS)
        yield chromium
        chromium.close()


@pytest.fixture
def opened(browser: "Browser") -> Iterator[Opened]:
    """Opens a link; in the end, no page may have failed, or done what its policy forbids."""
    faults: list[str] = []

    def listen(message: "ConsoleMessage") -> None:
        if message.type == "error" and "Failed to load resource" not in message.text:
            faults.append(message.text)

    context = browser.new_context(
        viewport={"width": 1440, "height": 900}, color_scheme="light", reduced_motion="reduce"
    )
    context.set_default_timeout(PATIENCE_MS)

    def open_link(link: str) -> "Page":
        page = context.new_page()
        page.on("console", listen)
        page.on("pageerror", lambda error: faults.append(str(error)))
        page.on("dialog", lambda dialog: faults.append(dialog.message))
        page.goto(link)
        return page

    yield open_link
    context.close()
    assert not faults


@pytest.fixture
def shot() -> Shot:
    """Keeps what a page looks like, in light and in dark."""

    def keep(page: "Page", name: str) -> None:
        SCREENSHOTS.mkdir(parents=True, exist_ok=True)
        for scheme in ("dark", "light"):
            page.keyboard.press("d")
            page.locator(f'html[data-theme="{scheme}"]').wait_for(state="attached")
            page.screenshot(path=SCREENSHOTS / f"{name}-{scheme}.png", animations="disabled")

    return keep
