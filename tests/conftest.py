"""What all tests share: Hypothesis profiles, how tests are distributed, the recorded decisions."""

import asyncio
import inspect
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import settings

from podium.api.process.python_garbage_collection import collect_rarely, without_garbage_collection
from tests.distribution import Distribution, rank

PATIENCE_S = 60.0
"""How long a test that is a coroutine may take."""

ROOT = Path(__file__).resolve().parent.parent
CONFORMANCE = ROOT.parent / "shared" / "conformance"

# Ordinary runs repeat the same examples every time and on every machine; `make soak` draws new
# ones from its seed. A test that sets max_examples itself is deaf to the profile.
settings.register_profile("default", derandomize=True, deadline=None, max_examples=30)
settings.register_profile(
    "soak", derandomize=False, deadline=None, max_examples=5_000, print_blob=True
)
settings.load_profile("default")


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> Distribution:
    config.option.loadscopereorder = False
    return Distribution(config, log)


@pytest.hookimpl(tryfirst=True)
def pytest_pyfunc_call(pyfuncitem: pytest.Function) -> bool | None:
    """Run a test that is a coroutine in an event loop of its own."""
    test = pyfuncitem.obj
    if not inspect.iscoroutinefunction(test):
        return None
    fixtures = {name: pyfuncitem.funcargs[name] for name in inspect.signature(test).parameters}

    async def limited() -> None:
        async with asyncio.timeout(PATIENCE_S):
            await test(**fixtures)

    asyncio.run(limited())
    return True


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Iterator[None]:
    """Tests are thousands and stay to the end: nobody looks for garbage among them."""
    with without_garbage_collection():
        yield
    collect_rarely()


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Seeds from 0 on; those of soak are thousands, and aren't even made unless asked for."""
    is_asked_for = metafunc.config.option.markexpr != "not soak"
    for marker in metafunc.definition.iter_markers("seeds"):
        ordinary, soak = marker.args
        more = range(ordinary, soak if is_asked_for else ordinary + 1)
        marked = [pytest.param(seed, marks=pytest.mark.soak) for seed in more]
        metafunc.parametrize("seed", [*range(ordinary), *marked])


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    if hasattr(config, "workerinput"):
        items.sort(key=lambda item: rank(item.nodeid))


@pytest.fixture(scope="session")
def shared_conformance() -> Path:
    """The directory of recorded decisions, or a skip where the checkout stands alone."""
    if not CONFORMANCE.is_dir():
        pytest.skip(f"no recorded decisions: {CONFORMANCE} isn't a directory")
    return CONFORMANCE
