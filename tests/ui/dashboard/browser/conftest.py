"""The distribution's Chromium, and what it must never say."""

import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
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

AXE = ROOT / "dashboard/node_modules/axe-core/axe.min.js"
FAULTS = Path(__file__).with_name("faults.js")
PHONE = "phone"
SIZES = {"": (1440, 900), "zoomed": (720, 450), PHONE: (390, 844)}

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
    for script in filter(Path.exists, (AXE, FAULTS)):
        context.add_init_script(path=script)

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
    """Looks at a page in each size, light and dark: it keeps what it sees, and finds fault with it.

    No page is wider than its screen, fingers meet their targets, and axe has nothing to say.
    """

    def keep(page: "Page", name: str) -> None:
        SCREENSHOTS.mkdir(parents=True, exist_ok=True)
        faults = []
        for size, (width, height) in SIZES.items():
            page.set_viewport_size({"width": width, "height": height})
            for scheme in ("dark", "light"):
                page.keyboard.press("d")
                page.locator(f'html[data-theme="{scheme}"]').wait_for(state="attached")
                view = "-".join(filter(None, (name, size, scheme)))
                path, is_phone = SCREENSHOTS / f"{view}.png", size == PHONE
                page.screenshot(path=path, animations="disabled", full_page=is_phone)
                faults += [(view, *one) for one in page.evaluate("faultsOf", is_phone)]
        page.set_viewport_size(dict(zip(("width", "height"), SIZES[""], strict=True)))
        assert not faults, "\n".join(map(str, faults))

    return keep
