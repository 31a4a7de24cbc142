"""What all tests share: Hypothesis profiles and the way to the recorded decisions."""

from pathlib import Path

import pytest
from hypothesis import settings

ROOT = Path(__file__).resolve().parent.parent
CONFORMANCE = ROOT.parent / "shared" / "conformance"

# Ordinary runs repeat the same examples every time and on every machine; `make soak` draws new
# ones from its seed. A test that sets max_examples itself is deaf to the profile.
settings.register_profile("default", derandomize=True, deadline=None, max_examples=30)
settings.register_profile(
    "soak", derandomize=False, deadline=None, max_examples=5_000, print_blob=True
)
settings.load_profile("default")


@pytest.fixture(scope="session")
def shared_conformance() -> Path:
    """The directory of recorded decisions, or a skip where the checkout stands alone."""
    if not CONFORMANCE.is_dir():
        pytest.skip(f"no recorded decisions: {CONFORMANCE} isn't a directory")
    return CONFORMANCE
