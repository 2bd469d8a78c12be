"""A census on a local cluster of Ray with two nodes: processes, nodes, the driver and the object store fail."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
import ray
from ray.cluster_utils import Cluster

import meshlens.ray
from support import Store, files, is_whole, manifest
from meshlens.fetch import Job

FILES = 2000
PART = 100


@pytest.fixture(scope="module")
def cluster() -> Iterator[Cluster]:
    # Processes start slowly on a busy machine, and those of tasks are not to wait for all others.
    os.environ.update(RAY_raylet_start_wait_time_s="300", RAY_worker_niceness="0", RAY_DATA_DISABLE_PROGRESS_BARS="1")
    made = Cluster(initialize_head=True, head_node_args={"num_cpus": 1, "object_store_memory": 100 << 20})
    made.add_node(num_cpus=1, object_store_memory=100 << 20)
    yield made
    ray.shutdown()
    made.shutdown()


def after(out: Path, parts: int, then: object) -> threading.Thread:
    """Calls a function once so many parts are written."""
    done = threading.Event()

    def wait() -> None:
        while sum(1 for _ in out.glob("part-*")) < parts and not done.wait(0.02):
            pass
        then()  # type: ignore[operator]

    thread = threading.Thread(target=wait, daemon=True)
    thread.start()
    return thread


def workers() -> list[int]:
    """The processes that run tasks of a census."""
    found = []
    for entry in Path("/proc").iterdir():
        try:
            if entry.name.isdigit() and b"ray::Map" in (entry / "cmdline").read_bytes():
                found.append(int(entry.name))
        except OSError:
            pass
    return found


def test_processes_and_nodes_die(cluster: Cluster, tmp_path: Path) -> None:
    ray.init(address=cluster.address, ignore_reinit_error=True, log_to_driver=False)
    expected = files(tmp_path / "files", FILES) if (tmp_path / "files").mkdir() is None else {}
    listed, out = manifest(tmp_path / "manifest.parquet", list(expected)), tmp_path / "out"
    killed: list[int] = []

    def kill_process() -> None:
        while not killed:
            for process in workers()[:1]:
                os.kill(process, signal.SIGKILL)
                killed.append(process)

    def replace_node() -> None:
        node = next(iter(cluster.worker_nodes))
        cluster.remove_node(node, allow_graceful=False)
        cluster.add_node(num_cpus=1, object_store_memory=100 << 20)

    threads = [after(out, 2, kill_process), after(out, 6, replace_node)]
    written = meshlens.ray.census(listed, str(out), files=PART)
    for thread in threads:
        thread.join()
    assert killed and written == sum(expected.values())
    is_whole(out, expected)


DRIVER = """
import sys, ray, meshlens.ray
ray.init(address=sys.argv[1], log_to_driver=False)
meshlens.ray.census(sys.argv[2], sys.argv[3], files=int(sys.argv[4]))
"""


def test_the_driver_dies_and_starts_again(cluster: Cluster, tmp_path: Path) -> None:
    (tmp_path / "files").mkdir()
    expected = files(tmp_path / "files", FILES)
    listed, out = manifest(tmp_path / "manifest.parquet", list(expected)), tmp_path / "out"
    command = [sys.executable, "-c", DRIVER, cluster.address, listed, str(out), str(PART)]
    first = subprocess.Popen(command)
    thread = after(out, 3, first.kill)
    assert first.wait() == -signal.SIGKILL
    thread.join()
    assert not (out / "_SUCCESS").exists()
    there = {path.name: path.stat().st_mtime_ns for path in out.glob("part-*")}
    assert len(there) >= 3
    subprocess.run(command, check=True)
    # What was whole is not written again.
    assert {name: (out / name).stat().st_mtime_ns for name in there} == there
    is_whole(out, expected)


def test_the_object_store_answers_503(tmp_path: Path, store: Store) -> None:
    (tmp_path / "files").mkdir()
    expected = files(tmp_path / "files", 400)
    uris = dict(zip(store.put(expected), expected.values()))
    listed, out = manifest(tmp_path / "manifest.parquet", list(uris)), tmp_path / "out"
    store.refuse(150, 100)
    ray.shutdown()
    ray.init("local", num_cpus=2, log_to_driver=False, object_store_memory=100 << 20)
    try:
        assert meshlens.ray.census(listed, str(out), files=50) == sum(uris.values())
        assert store.refused() == 100
        is_whole(out, uris)
        # The output can be in the store as well.
        assert meshlens.ray.census(listed, "s3://models/census", files=50) == sum(uris.values())
        assert Job(listed, "s3://models/census", files=50).missing() == []
    finally:
        ray.shutdown()


def test_refused_credentials_are_one_error(tmp_path: Path, store: Store) -> None:
    store.check_credentials()
    listed, out = manifest(tmp_path / "manifest.parquet", ["s3://models/x.md3"] * 500), tmp_path / "out"
    ray.shutdown()
    ray.init("local", num_cpus=2, log_to_driver=False, object_store_memory=100 << 20)
    try:
        with pytest.raises(PermissionError, match="InvalidAccessKeyId"):
            meshlens.ray.census(listed, str(out), files=50)
    finally:
        ray.shutdown()
    assert [path.name for path in out.iterdir()] == ["_census.json"]


def test_another_census_in_a_folder_is_refused(tmp_path: Path) -> None:
    listed, out = manifest(tmp_path / "manifest.parquet", ["x.md3"] * 10), str(tmp_path / "out")
    assert Job(listed, out).missing() == [0]
    with pytest.raises(ValueError, match="another census"):
        Job(listed, out, files=7).missing()
