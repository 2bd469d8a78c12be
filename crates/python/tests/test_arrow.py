"""Record batches in the libraries that read them."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

import meshlens.arrow
from meshlens.arrow import arrays, inspect, validate


@pytest.fixture
def sources(md3: bytes, corpus: Path) -> list[object]:
    """A model, a player, a file that is cut off, and a file that does not exist."""
    return [md3, corpus / "md3/player", md3[:60], corpus / "none.md3"]


def test_pyarrow_reads_the_schema(sources: list[object]) -> None:
    pa = pytest.importorskip("pyarrow")
    batch = inspect(sources, names=["square.md3"], threads=3)
    assert len(batch) == batch.num_rows == 4 and "4 rows" in repr(batch)
    table = pa.record_batch(batch)
    table.validate(full=True)
    assert table.schema.metadata[b"meshlens.census"] == b"2" and table.schema.names == batch.column_names
    rows = table.to_pylist()
    assert [row["status"] for row in rows] == ["ok", "ok", "invalid", "unread"]
    assert [row["code"] for row in rows] == [None, None, "OUT_OF_BOUNDS", "NOT_FOUND"]
    first = rows[0]
    assert (first["uri"], first["format"], first["version"], first["frames"]) == ("square.md3", "md3", "15", 2)
    assert (first["min"], first["max"]) == ([0, 0, 0], [8, 8, 4])
    assert first["clips"] == []
    assert first["details"] is None and first["arrays"] is None and first["errors"] is None
    assert "LEGS_RUN" in [clip["name"] for clip in rows[1]["clips"]]
    assert rows[2]["size"] == 60 and rows[2]["format"] is None and rows[3]["size"] is None
    assert pa.table(batch).equals(pa.table(inspect(sources, names=["square.md3"]))), "threads change nothing"
    assert pa.record_batch(inspect([])).num_rows == 0


def test_findings_and_arrays(md3: bytes) -> None:
    pa = pytest.importorskip("pyarrow")
    surface = int.from_bytes(md3[100:104], "little")
    triangles = surface + int.from_bytes(md3[surface + 88 : surface + 92], "little")
    broken = md3[:triangles] + b"\x63" + md3[triangles + 1 :]
    [row] = pa.record_batch(validate([broken])).to_pylist()
    assert row["errors"] == 1 and row["details"][0]["code"] == "INDEX_OUT_OF_RANGE"
    assert row["details"][0]["offset"] == triangles and row["findings"][0]["count"] == 1 and row["arrays"] is None
    [row] = pa.record_batch(arrays([md3])).to_pylist()
    found = {(array["semantic"], array["frame"]): array for array in row["arrays"]}
    assert found["triangles", 0]["offset"] == triangles and found["positions", 1]["stride"] == 8
    expected = [(array.semantic, array.offset, len(array)) for array in meshlens.open(md3).arrays]
    assert [(array["semantic"], array["offset"], array["count"]) for array in row["arrays"]] == expected


def test_polars_and_duckdb_read_it_without_glue(sources: list[object]) -> None:
    polars = pytest.importorskip("polars")
    frame = polars.DataFrame(inspect(sources, names=["square.md3"]))
    assert frame["frames"].to_list()[0] == 2 and frame.explode("clips").height > 4
    duckdb = pytest.importorskip("duckdb")
    batch = validate(sources, names=["square.md3"])  # noqa: F841  (duckdb finds it by its name)
    rows = duckdb.sql("select format, count(*) from batch where code is null group by format").fetchall()
    assert rows == [("md3", 2)]


def test_batches_outlive_their_producers(md3: bytes) -> None:
    pa = pytest.importorskip("pyarrow")
    tables = [pa.record_batch(inspect([md3] * 3)) for _ in range(50)]
    assert {table.column("uri").to_pylist()[2] for table in tables} == {"model"}
    inspect([md3]).__arrow_c_array__()  # nobody takes it: its capsules free it
    inspect([md3]).__arrow_c_stream__()


def test_sources_that_cannot_be_read_are_rows(md3: bytes) -> None:
    pa = pytest.importorskip("pyarrow")

    class Broken:
        name = "broken.md3"

        def read(self) -> bytes:
            raise OSError("the disk is gone")

    rows = pa.record_batch(inspect(["a\0.md3", Broken(), md3])).to_pylist()
    states = [(row["uri"], row["status"], row["code"]) for row in rows]
    assert states == [("a\0.md3", "unread", "IO"), ("broken.md3", "unread", "IO"), ("model", "ok", None)]
    assert rows[1]["message"] == "the disk is gone"


def test_wrong_sources(md3: bytes) -> None:
    with pytest.raises(TypeError):
        inspect([md3, 12])  # type: ignore[list-item]
    with pytest.raises(TypeError):
        inspect(12)  # type: ignore[arg-type]
    with pytest.raises(TypeError):
        inspect([md3], colour="red")


@pytest.mark.skipif(os.name == "nt", reason="signals of Unix")
def test_an_interrupt_stops_a_long_batch(corpus: Path) -> None:
    program = textwrap.dedent(
        """
        import signal
        import sys
        import meshlens.arrow
        # A process in the background of a shell inherits that interrupts are ignored.
        signal.signal(signal.SIGINT, signal.default_int_handler)
        def sources():
            print("started", flush=True)
            for _ in range(200_000):
                yield sys.argv[1]
        try:
            meshlens.arrow.validate(sources())
        except KeyboardInterrupt:
            print("stopped", flush=True)
            sys.exit(7)
        """
    )
    command = [sys.executable, "-c", program, str(corpus / "md3/animated.md3")]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None and process.stdout.readline() == "started\n"
        process.send_signal(signal.SIGINT)
        assert process.stdout.readline() == "stopped\n"
        assert process.wait() == 7


def test_a_player_is_one_row(corpus: Path) -> None:
    pa = pytest.importorskip("pyarrow")
    whole = meshlens.inspect(corpus / "md3/player")
    [row] = pa.record_batch(inspect([corpus / "md3/player"])).to_pylist()
    assert (row["vertices"], row["triangles"]) == (whole.vertices, whole.triangles)
