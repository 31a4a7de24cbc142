"""What is read, and what is refused instead of waiting for it, or filling the memory with it."""

import io
import os
import socket
import threading
from collections.abc import Callable
from pathlib import Path

import pytest

from podium.cluster.manifests import input_files
from podium.cluster.manifests.input_files import (
    InputFileError,
    lines,
    open_file,
    read_all,
    read_file,
    read_text,
)


def refusal(path: str | Path) -> str:
    with pytest.raises(InputFileError) as refused:
        read_file(path)
    assert str(refused.value).startswith(f"{path}: can't be read: ")
    return refused.value.why


def test_a_file_is_read_as_it_is(tmp_path: Path) -> None:
    path = tmp_path / "a"
    path.write_bytes(b"\r\n\x00\xff" * 1_000_000)
    assert read_file(path) == path.read_bytes()
    assert read_file(os.devnull) == b""


def test_a_pipe_is_read_to_its_end(tmp_path: Path) -> None:
    path, data = tmp_path / "pipe", bytes(range(256)) * 10_000
    os.mkfifo(path)
    writer = threading.Thread(target=path.write_bytes, args=(data,))
    reader = os.open(path, os.O_RDONLY | os.O_NONBLOCK)
    writer.start()
    # Whoever opens a pipe to write waits for a reader; from here on there is a writer.
    while not (first := _read(reader)):
        pass
    assert first + read_file(path) == data
    writer.join()
    os.close(reader)


def _read(descriptor: int) -> bytes:
    try:
        return os.read(descriptor, 10)
    except BlockingIOError:
        return b""


def test_what_a_shell_passes_as_a_substituted_process_is_read() -> None:
    reader, writer = os.pipe()
    os.write(writer, b"text")
    os.close(writer)
    assert read_file(f"/dev/fd/{reader}") == b"text"
    os.close(reader)


def test_a_writer_that_is_silent_as_yet_is_waited_for() -> None:
    reader, writer = os.pipe()
    with open_file(f"/dev/fd/{reader}") as file:
        os.write(writer, b"later")
        os.close(writer)
        assert read_all(file, "x") == b"later"
    os.close(reader)


def sparse(path: Path) -> None:
    with path.open("wb") as file:
        file.truncate(10 * 2**30)


def listen(path: Path) -> None:
    with socket.socket(socket.AF_UNIX) as unix:
        unix.bind(str(path))


@pytest.mark.parametrize(
    ("make", "why"),
    [
        (os.mkfifo, "it is a pipe that nobody writes to"),
        (listen, "No such device or address"),
        (Path.mkdir, "it is a directory"),
        (lambda path: path.symlink_to("/dev/zero"), "it is a device"),
        (lambda path: path.symlink_to(path.name), "Too many levels of symbolic links"),
        (lambda path: None, "No such file or directory"),
        (sparse, f"it is larger than {input_files.SIZE_MAX_BYTES} bytes"),
    ],
)
def test_what_is_no_file_or_too_large_is_refused_at_once(
    make: Callable[[Path], object], why: str, tmp_path: Path
) -> None:
    make(tmp_path / "odd")
    assert refusal(tmp_path / "odd") == why


def test_a_path_has_no_null_byte() -> None:
    assert refusal("a\0b") == "a path can't hold a null byte"


def test_what_grows_while_it_is_read_is_read_up_to_the_limit(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(input_files, "SIZE_MAX_BYTES", 3 * 2**20)

    class Growing(io.BytesIO):
        def read(self, size: int | None = -1) -> bytes:
            return b"x" * (size or 0)

    with pytest.raises(InputFileError, match="growing: can't be read: it is larger than"):
        read_all(Growing(), "growing")


def test_lines_have_a_length() -> None:
    assert list(lines(io.BytesIO(b"ab\nc"), "x", 3)) == [b"ab\n", b"c"]
    with pytest.raises(InputFileError, match="x: can't be read: a line is longer than 2 bytes"):
        list(lines(io.BytesIO(b"ab\nc"), "x", 2))


def test_text_is_utf_8(tmp_path: Path) -> None:
    path = tmp_path / "a"
    path.write_bytes(b"\xef\xbb\xbfa")
    assert read_text(path) == "a"
    assert read_text("-", io.BytesIO(b"b")) == "b"
    path.write_bytes("a".encode("utf-16"))
    with pytest.raises(InputFileError, match="not UTF-8 text"):
        read_text(path)
