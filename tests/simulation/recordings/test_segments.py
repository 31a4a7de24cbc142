"""Segments: what a kill leaves behind, and what is missing."""

import gzip
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from podium.api.errors import PodiumError
from podium.simulation.recordings.segments import SegmentWriter, read_recording, read_segments

STATE = [{"kind": "Node", "apiVersion": "v1", "metadata": {"name": "a", "uid": "1"}}]


def node(name: str) -> dict[str, Any]:
    return {"kind": "Node", "apiVersion": "v1", "metadata": {"name": name, "uid": name}}


@pytest.fixture
def writer(tmp_path: Path) -> Iterator[SegmentWriter]:
    found = SegmentWriter(tmp_path, segment_bytes=1)
    found.begin_segment(STATE, 10.0)
    found.write("ADDED", 11.0, object=node("b"))
    found.flush()
    yield found
    found.close()


def first(directory: Path) -> Path:
    return directory / "segment-000001.jsonl.gz"


def test_lines_are_plain_json_in_gzip(writer: SegmentWriter, tmp_path: Path) -> None:
    header, state, begin, added = gzip.decompress(first(tmp_path).read_bytes()).splitlines()
    assert header.startswith(b'{"type":"HEADER","at":10.0,"format":1,')
    assert (state[:15], begin[:15]) == (b'{"type":"STATE"', b'{"type":"BEGIN"')
    assert added.startswith(b'{"type":"ADDED","at":11.0,"object":{')


@pytest.mark.parametrize("cut", [1, 5, 30])
def test_a_torn_end_is_cut_off(tmp_path: Path, cut: int) -> None:
    writer = SegmentWriter(tmp_path)
    writer.begin_segment(STATE, 10.0)
    whole = first(tmp_path).stat().st_size
    writer.write("ADDED", 11.0, object=node("b"))
    writer.flush()
    writer.close()
    content = first(tmp_path).read_bytes()
    first(tmp_path).write_bytes(content[:-cut])
    assert not read_recording(tmp_path).changes
    again = SegmentWriter(tmp_path)
    assert [line["type"] for line in again.resume()] == ["HEADER", "STATE", "BEGIN"]
    assert first(tmp_path).stat().st_size == whole
    again.write("ADDED", 12.0, object=node("c"))
    again.flush()
    again.close()
    (change,) = read_recording(tmp_path).changes
    assert change.new == node("c")


def test_a_segment_without_its_state_is_written_anew(writer: SegmentWriter, tmp_path: Path) -> None:
    writer.begin_segment([*STATE, node("b")], 12.0)
    writer.close()
    second = tmp_path / "segment-000002.jsonl.gz"
    second.write_bytes(second.read_bytes()[:-3])
    again = SegmentWriter(tmp_path)
    assert again.resume()[-1]["object"] == node("b")
    assert not second.exists()
    again.begin_segment([*STATE, node("b")], 13.0)
    again.close()
    recording = read_recording(tmp_path)
    assert (len(recording.state), len(recording.changes)) == (1, 1)


def test_older_segments_may_be_removed_but_none_in_between(
    writer: SegmentWriter, tmp_path: Path
) -> None:
    writer.begin_segment([*STATE, node("b")], 12.0)
    writer.begin_segment([*STATE, node("b")], 13.0)
    assert len([*read_segments(tmp_path)]) == 3
    (tmp_path / "segment-000002.jsonl.gz").rename(tmp_path / "away")
    with pytest.raises(PodiumError, match=r"between segment-000001.* and segment-000003.* are"):
        read_recording(tmp_path)
    first(tmp_path).unlink()
    recording = read_recording(tmp_path)
    assert (recording.started_s, len(recording.state)) == (13.0, 2)


def test_a_segment_is_full_when_as_much_has_happened_as_its_state_takes_twice(
    writer: SegmentWriter,
) -> None:
    assert not writer.is_full
    for number in range(10):
        writer.write("ADDED", 12.0, object=node(f"n-{number}"))
        writer.flush()
    assert writer.is_full


def test_a_directory_has_one_writer(writer: SegmentWriter, tmp_path: Path) -> None:
    with pytest.raises(PodiumError, match="another process is recording there"):
        SegmentWriter(tmp_path)


def test_another_configuration_is_refused(writer: SegmentWriter, tmp_path: Path) -> None:
    writer.close()
    other = SegmentWriter(tmp_path, "kind: KubeSchedulerConfiguration")
    with pytest.raises(PodiumError, match="was recorded with another configuration"):
        other.resume()
    other.close()


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (None, "there is no recording"),
        (gzip.compress(b'{"type":"HEADER","at":1,"format":2}\n'), "this version of Podium"),
        (gzip.compress(b"{\n"), "a line isn't JSON"),
        (b"", "ended before the state of the cluster was known"),
    ],
    ids=["none", "another-format", "no-json", "empty"],
)
def test_what_is_no_recording_is_told(tmp_path: Path, content: bytes | None, said: str) -> None:
    if content is not None:
        first(tmp_path).write_bytes(content)
    with pytest.raises(PodiumError, match=said):
        read_recording(tmp_path)
