"""A cluster's context in the user's own kubeconfig."""

import threading
from pathlib import Path
from typing import Any

import pytest
import yaml

from podium.api.errors import PodiumError
from podium.cluster.embedded import kubeconfig
from podium.cluster.embedded.kubeconfig import merged, unmerge, usual_kubeconfig, write_kubeconfig

USERS = {
    "apiVersion": "v1",
    "kind": "Config",
    "clusters": [{"name": "eu", "cluster": {"server": "https://eu"}}],
    "users": [{"name": "me", "user": {"token": "t"}}],
    "contexts": [{"name": "prod", "context": {"cluster": "eu", "user": "me"}}],
    "current-context": "prod",
    "extensions": [{"name": "kept", "extension": {}}],
}


@pytest.fixture
def own(tmp_path: Path) -> Path:
    path = tmp_path / "own"
    write_kubeconfig(path, "https://127.0.0.1:1", "secret", None)
    return path


@pytest.fixture
def users(tmp_path: Path) -> Path:
    path = tmp_path / "users"
    path.write_text(yaml.safe_dump(USERS))
    return path


def read(path: Path) -> Any:
    return yaml.safe_load(path.read_text())


def test_the_context_comes_and_goes(own: Path, users: Path) -> None:
    for _ in range(2):
        with merged(own, users):
            found = read(users)
            assert found["current-context"] == "podium"
            assert [one["name"] for one in found["contexts"]] == ["prod", "podium"]
            assert found["users"][1] == {"name": "podium", "user": {"token": "secret"}}
            assert users.stat().st_mode & 0o077 == 0
        assert read(users) == USERS


def test_what_a_killed_cluster_has_left_goes(own: Path, users: Path) -> None:
    def leave_behind() -> None:
        with merged(own, users):
            left = users.read_text()
        users.write_text(left)

    leave_behind()
    with merged(own, users):
        pass
    assert read(users) == USERS
    leave_behind()
    other = own.with_name("other")
    write_kubeconfig(other, "https://127.0.0.1:2", "secret", None)
    unmerge(other, users)
    unmerge(own.with_name("nowhere"), users)
    assert read(users)["current-context"] == "podium"
    unmerge(own, users)
    assert read(users) == USERS


def test_what_a_killed_cluster_has_left_is_replaced(own: Path, users: Path) -> None:
    users.write_text(own.read_text().replace("secret", "stale"))
    with merged(own, users):
        assert [one["user"]["token"] for one in read(users)["users"]] == ["secret"]
    left = read(users)
    assert (left["contexts"], left["current-context"]) == ([], "")


def test_a_choice_that_was_made_meanwhile_stays(own: Path, users: Path) -> None:
    with merged(own, users):
        chosen = {**read(users), "current-context": "eu"}
        users.write_text(yaml.safe_dump(chosen))
    assert read(users)["current-context"] == "eu"


def test_a_file_that_is_not_there_is_made(own: Path, tmp_path: Path) -> None:
    with merged(own, tmp_path / ".kube" / "config"):
        assert read(tmp_path / ".kube" / "config")["current-context"] == "podium"


@pytest.mark.parametrize("content", ["[]", "contexts: 3", "contexts: [3]", "a: [", "3"])
def test_what_is_no_kubeconfig_is_left_alone(own: Path, users: Path, content: str) -> None:
    users.write_text(content)
    with pytest.raises(PodiumError, match="users: "), merged(own, users):
        raise AssertionError("it must not be entered")
    assert users.read_text() == content


def test_kubectl_is_waited_for(own: Path, users: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    lock = users.with_name("users.lock")
    lock.touch()
    timer = threading.Timer(0.1, lock.unlink)
    timer.start()
    with merged(own, users):
        timer.join()
    monkeypatch.setattr(kubeconfig, "_PATIENCE_S", 0.0)
    lock.touch()
    with pytest.raises(PodiumError, match="another process writes it"), merged(own, users):
        raise AssertionError("it must not be entered")


def test_where_kubectl_writes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KUBECONFIG", ":/a/b:/c")
    assert usual_kubeconfig() == Path("/a/b")
    monkeypatch.setenv("KUBECONFIG", "")
    assert usual_kubeconfig() == Path.home() / ".kube" / "config"
