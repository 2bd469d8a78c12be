"""A census on Daft and on Spark: 2,000 files, and the rows of each."""

from __future__ import annotations

import os
import shutil
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.dataset as ds
import pytest

from support import Store, files, manifest
from meshlens.fetch import Job

FILES = 2000


def rows(table: pa.Table) -> list[dict[str, object]]:
    """Rows in an order that does not depend on the engine."""
    names = ["uri", "entry", "status", "hash", "format", "vertices", "triangles", "frames"]
    found = table.select(names).to_pylist()
    return sorted(found, key=lambda row: (row["uri"], row["entry"] or ""))


@pytest.fixture(scope="module")
def listed(tmp_path_factory: pytest.TempPathFactory) -> tuple[str, dict[str, int], list[dict[str, object]]]:
    """A manifest, the number of rows of each file, and the rows themselves, without an engine."""
    folder = tmp_path_factory.mktemp("files")
    expected = files(folder, FILES)
    path = manifest(folder / "manifest.parquet", list(expected))
    job = Job(path, str(tmp_path_factory.mktemp("out")))
    assert job.missing() == [0] and job.run(0) == sum(expected.values())
    job.finish()
    return path, expected, rows(ds.dataset(job.out, format="parquet").to_table())


def test_daft(listed: tuple[str, dict[str, int], list[dict[str, object]]]) -> None:
    daft = pytest.importorskip("daft")
    import meshlens.daft

    path, expected, same = listed
    table = meshlens.daft.census(daft.read_parquet(path)).to_arrow()
    assert Counter(table["uri"].to_pylist()) == expected
    assert rows(table) == same


@pytest.fixture
def spark(monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    """A session of Spark with two tasks at a time."""
    sql = pytest.importorskip("pyspark.sql")
    if shutil.which("java") is None:
        pytest.skip("there is no Java")
    monkeypatch.setenv("PYSPARK_PYTHON", sys.executable)
    builder = sql.SparkSession.builder.master("local[2]").config("spark.ui.enabled", "false")
    # The processes of Spark may have been started before the object store of a test.
    for name, value in os.environ.items():
        builder = builder.config(f"spark.executorEnv.{name}", value) if name.startswith("AWS_") else builder
    session = builder.getOrCreate()
    yield session
    session.stop()


def test_spark(listed: tuple[str, dict[str, int], list[dict[str, object]]], tmp_path: Path, spark: Any) -> None:
    import meshlens.spark

    path, expected, same = listed
    meshlens.spark.census(spark.read.parquet(path).repartition(4)).write.parquet(str(tmp_path / "out"))
    table = ds.dataset(str(tmp_path / "out"), format="parquet").to_table()
    assert Counter(table["uri"].to_pylist()) == expected
    assert rows(table) == same


def nobody(tmp_path: Path, store: Store) -> str:
    """A manifest of objects that nobody may read."""
    store.check_credentials()
    return manifest(tmp_path / "manifest.parquet", ["s3://models/x.md3"] * 500)


def test_refused_credentials_are_one_error_on_daft(tmp_path: Path, store: Store) -> None:
    daft = pytest.importorskip("daft")
    import meshlens.daft

    with pytest.raises(Exception, match="access is refused.*InvalidAccessKeyId"):
        meshlens.daft.census(daft.read_parquet(nobody(tmp_path, store))).to_arrow()


def test_refused_credentials_are_one_error_on_spark(tmp_path: Path, store: Store, spark: Any) -> None:
    import meshlens.spark

    listed, out = nobody(tmp_path, store), tmp_path / "out"
    with pytest.raises(Exception, match="access is refused.*InvalidAccessKeyId"):
        meshlens.spark.census(spark.read.parquet(listed).repartition(4)).write.parquet(str(out))
    assert not list(out.glob("*.parquet")) and not (out / "_SUCCESS").exists()
