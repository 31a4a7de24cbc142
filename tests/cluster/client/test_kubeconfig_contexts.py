"""The contexts of kubeconfigs."""

from pathlib import Path

import pytest

from podium.cluster.client.kubeconfig_contexts import context_names, namespace_of

FIRST = """
contexts:
- {name: shop, context: {cluster: c, namespace: shop}}
- {name: bare, context: {cluster: c}}
"""
SECOND = """
current-context: shop
contexts:
- {name: shop, context: {cluster: c, namespace: hidden}}
- {name: other, context: {cluster: c, namespace: there}}
"""


@pytest.fixture
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[Path]:
    paths = [tmp_path / name for name in ("first", "second", "broken", "nowhere")]
    for path, text in zip(paths, (FIRST, SECOND, "contexts: 3"), strict=False):
        path.write_text(text)
    monkeypatch.setenv("KUBECONFIG", ":".join(map(str, paths)))
    return paths


def test_the_first_file_that_has_a_context_counts(files: list[Path]) -> None:
    assert namespace_of(None, None) == "shop"
    assert namespace_of(None, "other") == "there"
    assert (namespace_of(None, "bare"), namespace_of(None, "unknown")) == ("", "")
    assert context_names(None) == ["shop", "bare", "other"]


def test_a_file_that_is_named_counts_alone(files: list[Path]) -> None:
    assert namespace_of(str(files[1]), None) == "hidden"
    assert namespace_of(str(files[0]), None) == ""
    assert context_names(str(files[2])) == []


def test_usually_it_is_in_the_home_directory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / ".kube").mkdir()
    (tmp_path / ".kube" / "config").write_text(SECOND)
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.delenv("KUBECONFIG", raising=False)
    assert namespace_of(None, None) == "hidden"
