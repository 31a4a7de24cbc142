"""Directories, logs, disk usage, cgroups: what the machine keeps and measures."""

import asyncio
from pathlib import Path

import pytest

from podium.kubelet.eviction.signals import Signal
from podium.kubelet.real.host.cgroups import Cgroups
from podium.kubelet.real.host.container_logs import LogFile
from podium.kubelet.real.host.host_stats import disk_usage, memory, observations
from podium.kubelet.real.host.node_directory import NodeDirectory, UnusableRootError
from tests.kubelet.real.host.machines import MI

NOW_S = 1_800_000_000.5


def said(path: Path, *chunks: bytes, size_max: int = MI) -> None:
    """Write a log of what comes in these pieces."""

    async def write() -> None:
        reader = asyncio.StreamReader()
        log = LogFile(path, lambda: NOW_S, size_max, files_max=3)
        following = asyncio.create_task(log.follow("stdout", reader))
        for chunk in chunks:
            reader.feed_data(chunk)
            await asyncio.sleep(0.001)
        reader.feed_eof()
        await following
        log.close()

    asyncio.run(write())


def test_a_log_has_times_streams_and_whole_lines(tmp_path: Path) -> None:
    path = tmp_path / "c" / "0.log"
    said(path, b"one\ntw", b"o\n", b"rest")
    stamp = "2027-01-15T08:00:00.500000000Z stdout F"
    assert path.stat().st_mode & 0o777 == 0o600
    assert path.read_text() == f"{stamp} one\n{stamp} two\n{stamp} rest\n"


def test_long_lines_come_in_parts(tmp_path: Path) -> None:
    path = tmp_path / "0.log"
    said(path, b"x" * 40_000 + b"\n")
    lines = [line.split(" ", 3) for line in path.read_text().splitlines()]
    assert [tag for _, _, tag, _ in lines] == ["P", "P", "F"]
    assert sum(len(text) for *_, text in lines) == 40_000


def test_logs_are_rotated(tmp_path: Path) -> None:
    said(tmp_path / "0.log", *(b"%d\n" % number for number in range(100)), size_max=500)
    kept = sorted(path.name for path in tmp_path.iterdir())
    assert kept == ["0.log", "0.log.1", "0.log.2"]
    assert all(path.stat().st_size < 600 for path in tmp_path.iterdir())
    newest = (tmp_path / "0.log").read_text() or (tmp_path / "0.log.1").read_text()
    assert newest.endswith("F 99\n")


def test_a_full_disk_keeps_nobody_from_speaking(tmp_path: Path) -> None:
    (tmp_path / "0.log").symlink_to("/dev/full")
    said(tmp_path / "0.log", b"one\n" * 1000)


def test_a_directory_is_used_by_one_agent(tmp_path: Path) -> None:
    with NodeDirectory(tmp_path), pytest.raises(UnusableRootError, match="another kubelet uses it"):
        NodeDirectory(tmp_path).__enter__()
    with NodeDirectory(tmp_path):
        pass


def test_what_belongs_to_nobody_is_thrown_away(tmp_path: Path) -> None:
    pods = [{"metadata": {"namespace": "n", "name": name, "uid": f"u-{name}"}} for name in "ab"]
    with NodeDirectory(tmp_path) as directory:
        for pod in pods:
            directory.volume(pod, "v").mkdir(parents=True)
            directory.pod_logs(pod).mkdir()
        directory.discard(["u-b"])
        assert not directory.volume(pods[0], "v").exists()
        assert not directory.pod_logs(pods[0]).exists()
        assert directory.volume(pods[1], "v").exists()
        directory.remove_pod(pods[1], keeps_logs=True)
        assert not directory.volume(pods[1], "v").exists()
        assert directory.pod_logs(pods[1]).exists()


def test_links_take_no_disk_but_their_own(tmp_path: Path) -> None:
    (tmp_path / "there").mkdir()
    (tmp_path / "there" / "file").write_bytes(b"x" * MI)
    (tmp_path / "here").mkdir()
    (tmp_path / "here" / "link").symlink_to(tmp_path / "there")
    here, there = disk_usage(tmp_path / "here"), disk_usage(tmp_path / "there")
    assert here.inodes == there.inodes == 1
    assert (here.used_bytes or 0) < MI <= (there.used_bytes or 0)
    assert disk_usage(tmp_path / "nowhere").used_bytes == 0


def test_signals_tell_of_this_machine(tmp_path: Path) -> None:
    found = observations(tmp_path, NOW_S)
    for signal in (Signal.MEMORY_AVAILABLE, Signal.NODEFS_AVAILABLE, Signal.PID_AVAILABLE):
        assert 0 < found[signal].available < found[signal].capacity


def group(path: Path, limit: str = "max", current: int = 0, inactive: int = 0) -> Path:
    path.mkdir(parents=True, exist_ok=True)
    (path / "memory.max").write_text(f"{limit}\n")
    (path / "memory.current").write_text(f"{current}\n")
    (path / "memory.stat").write_text(f"anon 1\ninactive_file {inactive}\n")
    return path


def test_a_limit_of_the_own_group_is_all_there_is(tmp_path: Path) -> None:
    own = tmp_path / "own"
    own.write_text("0::/slice/scope\n")
    (tmp_path / "cgroup.controllers").write_text("cpu memory pids\n")
    group(tmp_path / "slice", str(100 * MI), 90 * MI, 30 * MI)
    group(tmp_path / "slice" / "scope")
    found = memory(tmp_path, own)
    assert found.capacity_bytes == 100 * MI
    # The working set doesn't count what hasn't been used lately.
    assert found.available_bytes == 40 * MI


def test_groups_of_containers_have_their_limits(tmp_path: Path) -> None:
    own = tmp_path / "own"
    own.write_text("0::/scope\n")
    (tmp_path / "cgroup.controllers").write_text("cpu memory pids\n")
    (tmp_path / "scope").mkdir()
    cgroups = Cgroups.delegated(tmp_path, own)
    assert cgroups is not None
    assert (tmp_path / "scope" / "cgroup.subtree_control").read_text() == "+cpu +memory +pids"
    made = cgroups.make("c", 50 * MI, 250)
    assert (made.path / "memory.max").read_text() == str(50 * MI)
    assert (made.path / "cpu.max").read_text() == "25000 100000"
    group(made.path, current=30 * MI, inactive=10 * MI)
    (made.path / "memory.events").write_text("low 0\noom 1\noom_kill 1\n")
    assert made.memory_bytes == 20 * MI
    assert made.was_out_of_memory


def test_a_machine_without_version_2_has_no_groups(tmp_path: Path) -> None:
    assert Cgroups.delegated(tmp_path, tmp_path / "own") is None
