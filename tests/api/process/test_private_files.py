"""What is kept in files: tokens, and the kubeconfig."""

import os
from base64 import b64decode
from pathlib import Path

import pytest
import yaml

from podium.api.process import private_files
from podium.apiserver.http.users import kept_tokens
from podium.cluster.embedded.kubeconfig import write_kubeconfig


def mode(path: Path) -> int:
    return path.stat().st_mode & 0o777


def test_a_private_file_is_private_whatever_was_there(tmp_path: Path) -> None:
    path = tmp_path / "secret"
    path.write_text("old")
    path.chmod(0o666)
    mask = os.umask(0)
    try:
        private_files.write_private(path, b"new")
    finally:
        os.umask(mask)
    assert mode(path) == 0o600
    assert private_files.read_private(path) == b"new"
    assert [*tmp_path.iterdir()] == [path]


def test_a_link_that_lies_in_wait_isnt_followed(tmp_path: Path) -> None:
    elsewhere = tmp_path / "elsewhere"
    link = tmp_path / "secret"
    link.symlink_to(elsewhere)
    private_files.write_private(link, b"new")
    assert not elsewhere.exists()
    assert not link.is_symlink()


def test_a_file_that_cant_be_written_is_named(tmp_path: Path) -> None:
    with pytest.raises(private_files.FileError, match=r"nowhere/secret: can't write the file"):
        private_files.write_private(tmp_path / "nowhere" / "secret", b"")
    (tmp_path / "file").touch()
    with pytest.raises(private_files.FileError, match=r"file: can't make the directory"):
        private_files.private_directory(tmp_path / "file")
    with pytest.raises(private_files.FileError, match="can't read the file"):
        private_files.read_private(tmp_path)


def test_tokens_are_kept_and_all_differ(tmp_path: Path) -> None:
    first = kept_tokens(tmp_path / "a")
    assert kept_tokens(tmp_path / "a") == first
    second = kept_tokens(tmp_path / "b")
    assert len({first.admin, first.reader, second.admin, second.reader}) == 4
    assert min(map(len, (first.admin, first.reader))) >= 43
    assert mode(tmp_path / "a") == 0o700
    assert {mode(file) for file in (tmp_path / "a").iterdir()} == {0o600}


@pytest.mark.parametrize("content", ["", "short", "x" * 40 + "\n" + "y", "é" * 40])
def test_a_file_without_a_token_isnt_believed(tmp_path: Path, content: str) -> None:
    kept_tokens(tmp_path)
    (tmp_path / "admin").write_text(content)
    with pytest.raises(private_files.FileError, match="admin: that's no token"):
        kept_tokens(tmp_path)


def test_a_token_that_others_may_read_isnt_used(tmp_path: Path) -> None:
    kept_tokens(tmp_path)
    (tmp_path / "reader").chmod(0o640)
    with pytest.raises(private_files.FileError, match="others may read it"):
        kept_tokens(tmp_path)


def test_the_kubeconfig_holds_all_that_a_client_needs(tmp_path: Path) -> None:
    path = tmp_path / "kubeconfig"
    write_kubeconfig(path, "https://127.0.0.1:6443", "a-token", b"PEM")
    config = yaml.safe_load(path.read_text())
    assert mode(path) == 0o600
    assert config["current-context"] == "podium"
    (context,), (cluster,), (user,) = config["contexts"], config["clusters"], config["users"]
    assert context["context"] == {"cluster": cluster["name"], "user": user["name"]}
    assert cluster["cluster"]["server"] == "https://127.0.0.1:6443"
    assert b64decode(cluster["cluster"]["certificate-authority-data"]) == b"PEM"
    assert user["user"] == {"token": "a-token"}


def test_without_tls_there_is_nobody_to_trust(tmp_path: Path) -> None:
    write_kubeconfig(tmp_path / "kubeconfig", "http://127.0.0.1:8080", "a-token", None)
    (cluster,) = yaml.safe_load((tmp_path / "kubeconfig").read_text())["clusters"]
    assert cluster["cluster"] == {"server": "http://127.0.0.1:8080"}
