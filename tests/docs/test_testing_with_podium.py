"""The example in the page about testing runs as it stands, under pytest."""

from pathlib import Path

import pytest

from tests.conftest import ROOT
from tests.docs.markdown import Block, parts

PAGE = ROOT / "docs" / "testing-with-podium.md"

pytest_plugins = ["pytester"]


def test_the_example_runs(pytester: pytest.Pytester) -> None:
    blocks = [part for part in parts(PAGE.read_text()) if isinstance(part, Block)]
    example, manager = (block.text for block in blocks if block.language == "python")
    pytester.makepyfile(test_example=example)
    pytester.runpytest_subprocess("-p", "no:cacheprovider").assert_outcomes(passed=2)
    Path("chart").mkdir()
    Path("chart/pod.yaml").write_text(
        "{apiVersion: v1, kind: Pod, metadata: {name: p}, "
        "spec: {containers: [{name: c, image: i}]}}"
    )
    exec(compile(manager, str(PAGE), "exec"), {})
