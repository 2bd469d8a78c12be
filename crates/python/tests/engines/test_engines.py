"""A census on Daft and on Spark: 2,000 files, and the rows of each."""

from __future__ import annotations

import shutil
import sys
from collections import Counter
from pathlib import Path

import pyarrow as pa
import pyarrow.dataset as ds
import pytest

from support import files, manifest
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


def test_spark(
    listed: tuple[str, dict[str, int], list[dict[str, object]]], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    sql = pytest.importorskip("pyspark.sql")
    if shutil.which("java") is None:
        pytest.skip("there is no Java")
    import meshlens.spark

    path, expected, same = listed
    monkeypatch.setenv("PYSPARK_PYTHON", sys.executable)
    spark = sql.SparkSession.builder.master("local[2]").config("spark.ui.enabled", "false").getOrCreate()
    try:
        meshlens.spark.census(spark.read.parquet(path).repartition(4)).write.parquet(str(tmp_path / "out"))
    finally:
        spark.stop()
    table = ds.dataset(str(tmp_path / "out"), format="parquet").to_table()
    assert Counter(table["uri"].to_pylist()) == expected
    assert rows(table) == same
