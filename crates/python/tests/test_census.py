"""The rows of a census."""

from __future__ import annotations

import io
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import meshlens
from meshlens.census import RecordBatch, batch


def rows_of(found: RecordBatch) -> list[dict[str, Any]]:
    pa = pytest.importorskip("pyarrow")
    table = pa.record_batch(found)
    table.validate(full=True)
    rows: list[dict[str, Any]] = table.to_pylist()
    return rows


def test_rows_of_models_and_of_other_files(md3: bytes) -> None:
    changed = OSError("another etag")
    changed.status = "changed"  # type: ignore[attr-defined]
    names = ["square.md3", "cut.md3", "readme.txt", "gone.md3", "changed.md3", "none.md3"]
    contents = [md3, bytearray(md3[:60]), b"Read me", None, changed, FileNotFoundError(2, "none")]
    found = batch(names, contents, etags=["1", None, "3", "4", "5", "6"])
    assert len(found) == 6 and "6 rows, meshlens.census 2" in repr(found)
    square, cut, readme, gone, other, none = rows_of(found)
    assert (other["status"], other["code"], other["message"]) == ("changed", "CHANGED", "another etag")
    assert (none["status"], none["code"], none["size"]) == ("unread", "NOT_FOUND", None)
    assert (square["uri"], square["etag"], square["size"], square["status"]) == ("square.md3", "1", len(md3), "ok")
    assert (square["format"], square["version"], square["frames"], square["triangles"]) == ("md3", "15", 2, 2)
    assert (square["min"], square["max"]) == ([0, 0, 0], [8, 8, 4]) and len(square["hash"]) == 64
    assert square["clips"] == [], "the file names no clips"
    assert square["joints"] == [] and square["entry"] is None and square["seconds"] is None
    assert (cut["status"], cut["size"], cut["etag"], cut["vertices"]) == ("invalid", 60, None, None)
    assert (readme["status"], readme["code"]) == ("other", "MAGIC")
    assert (gone["status"], gone["code"], gone["size"]) == ("unread", "NO_CONTENT", None)
    assert len(batch([], [])) == 0 and batch([], []).column_names[0] == "uri"


def test_an_archive_is_many_rows(md3: bytes, corpus: Path) -> None:
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w") as archive:
        archive.writestr("models/a.md3", md3)
        for name in ["ring_d.3d", "ring_a.3d"]:
            archive.write(corpus / "unreal/Models" / name, f"models/{name}")
        archive.writestr("readme.txt", "Read me")
    rows = rows_of(batch(["pak0.pk3"], [content.getvalue()]))
    found = [(row["entry"], row["status"], row["format"]) for row in rows]
    assert found == [
        (None, "ok", "zip"),
        ("models/a.md3", "ok", "md3"),
        ("models/ring_d.3d", "ok", "unreal"),
        ("models/ring_a.3d", "half", "unreal"),
    ]
    assert {row["uri"] for row in rows} == {"pak0.pk3"}
    assert rows_of(batch(["a.md3"], [md3]))[0]["hash"] == rows[1]["hash"]


def test_the_frames_of_a_mesh_are_in_the_same_call(corpus: Path) -> None:
    names = ["m/ring_d.3d", "m/ring_a.3d"]
    contents = [(corpus / "unreal/Models" / Path(name).name).read_bytes() for name in names]
    whole, frames = rows_of(batch(names, contents))
    assert (whole["status"], frames["status"]) == ("ok", "half")
    bounds = meshlens.inspect(corpus / "unreal/Models/ring_d.3d").bounds
    assert bounds is not None and (whole["frames"] or 0) > 1 and np.all(np.array(whole["min"]) <= bounds[0])
    alone, other = rows_of(batch([names[0], "other/ring_a.3d"], contents))
    assert (alone["status"], alone["min"], other["status"]) == ("half", None, "half")


def test_buffers_of_gltf_are_in_the_same_call(doors: Path) -> None:
    text, buffer = ((doors / name).read_bytes() for name in ["walk.gltf", "walk.bin"])
    # A GLB may have its buffer outside, too.
    text += b" " * (-len(text) % 4)
    head = [b"glTF", *((number).to_bytes(4, "little") for number in [2, 20 + len(text), len(text)]), b"JSON"]
    for name, content in [("walk.gltf", text), ("walk.glb", b"".join([*head, text]))]:
        for other in ["m/walk.bin", "m/WALK.BIN"]:
            row, _ = rows_of(batch([f"m/{name}", other], [content, buffer]))
            assert (row["status"], row["min"] is None) == ("ok", False)
        row, _ = rows_of(batch([f"m/{name}", "walk.bin"], [content, buffer]))
        assert (row["status"], row["code"]) == ("incomplete", "GLTF")
        row, other_row = rows_of(batch([f"m/{name}", "m/walk.bin"], [content, OSError("slow")]))
        assert (row["status"], other_row["code"]) == ("incomplete", "IO")


def test_frames_that_cannot_be_read_are_a_fault_of_the_mesh(corpus: Path) -> None:
    content = (corpus / "unreal/Models/ring_d.3d").read_bytes()
    gone, slow = FileNotFoundError("none"), OSError("slow")
    rows = rows_of(batch(["a_d.3d", "a_a.3d", "b_d.3d", "b_a.3d"], [content, gone, content, slow]))
    assert [(row["status"], row["code"]) for row in rows[::2]] == [("half", None), ("incomplete", "IO")]
    assert rows[2]["message"] == "b_a.3d: slow"


def test_fetched_files_do_not_depend_on_batches(corpus: Path, doors: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("pyarrow")
    from meshlens import fetch

    pair = [str(corpus / "unreal/Models" / name) for name in ["ring_a.3d", "ring_d.3d"]]
    files = [*pair, str(doors / "walk.gltf"), str(doors / "crate_d.3d")]
    expected = rows_of(batch([*files, str(doors / "walk.bin")], [Path(name).read_bytes() for name in [*files, doors / "walk.bin"]]))
    assert [row["status"] for row in expected[:4]] == ["half", "ok", "ok", "half"]
    for most in [1, 1 << 20]:
        monkeypatch.setattr(fetch, "BATCH_BYTES", most)
        batches = list(fetch.rows(files))
        assert len(batches) == (4 if most == 1 else 1)
        assert [row for found in batches for row in found.to_pylist()] == expected[:4]
    # Only one of them is in the manifest.
    assert [row for found in fetch.rows(files[1:3]) for row in found.to_pylist()] == expected[1:3]


def test_a_census_ends_with_the_exception_of_a_server(corpus: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("pyarrow")
    from meshlens import fetch

    wanted = fetch._fetch

    def refuse(refusals: Any, uri: str, *listed: Any) -> bytes | Exception:
        if uri.endswith("_a.3d"):
            raise fetch.Unavailable(uri)
        return wanted(refusals, uri, *listed)

    monkeypatch.setattr(fetch, "_fetch", refuse)
    with pytest.raises(fetch.Unavailable, match="ring_a.3d"):
        list(fetch.rows([str(corpus / "unreal/Models/ring_d.3d")]))


def test_arrow_columns_are_read_like_lists(md3: bytes) -> None:
    pa = pytest.importorskip("pyarrow")
    names, contents = ["a.md3", "b.md3", "c.md3"], [md3, None, md3[:60]]
    expected = rows_of(batch(names, contents))
    for text, binary in [(pa.string(), pa.binary()), (pa.large_string(), pa.large_binary())]:
        found = batch(pa.array(names, text), pa.array(contents, binary), threads=2)
        assert rows_of(found) == expected
    chunked = pa.chunked_array([contents[:1], contents[1:]], pa.binary())
    assert rows_of(batch(pa.chunked_array([names]), chunked)) == expected
    view = batch(pa.array(names, pa.string_view()), pa.array(contents, pa.binary_view()))
    assert rows_of(view) == expected
    sliced = pa.array([b"none", *contents, b"none"], pa.binary())[1:4]
    assert rows_of(batch(names, sliced)) == expected


class Capsules:
    """An array whose producer cannot be asked for more than its capsules."""

    def __init__(self, array: Any) -> None:
        self.array = array

    def __arrow_c_array__(self, requested_schema: object = None) -> Any:
        return self.array.__arrow_c_array__(requested_schema)


def read_damaged(whole: Any) -> Any:
    """An array as pyarrow reads it from a damaged file: the offsets of two values end far past them."""
    pa = pytest.importorskip("pyarrow")
    content = io.BytesIO()
    rows = pa.record_batch([whole], names=["x"])
    with pa.ipc.new_file(content, rows.schema) as writer:
        writer.write_batch(rows)
    offsets = [np.array(end, np.int32).tobytes() for end in ([0, 4, 8], [0, 4, 2_000_000_000])]
    return pa.ipc.open_file(io.BytesIO(content.getvalue().replace(*offsets))).read_all().column("x").chunk(0)


def test_damaged_columns_are_errors() -> None:
    pa = pytest.importorskip("pyarrow")

    def column(kind: Any, offsets: list[int], data: bytes = b"IDP3" * 100) -> Any:
        buffers = [None, pa.py_buffer(np.array(offsets, np.int32)), pa.py_buffer(data)]
        return pa.Array.from_buffers(kind, len(offsets) - 1, buffers)

    def view(start: int, kind: Any) -> Any:
        one = np.array([100, 0x33504449, 0, start], np.int32)
        return pa.Array.from_buffers(kind, 1, [None, pa.py_buffer(one), pa.py_buffer(b"IDP3" * 100)])

    read = read_damaged(pa.array([b"aaaa", b"bbbb"]))
    for array in [read, pa.chunked_array([read])]:
        with pytest.raises(ValueError):
            batch(["a", "b"], array)
    for wrong in [column(pa.binary(), [0, 300, 4]), column(pa.binary(), [0, -4, 4]), view(2_000_000_000, pa.binary_view())]:
        for array in [wrong, Capsules(wrong)]:
            with pytest.raises(ValueError):
                batch(["a", "b"][: len(wrong)], array)
    for wrong in [column(pa.string(), [0, 300, 4]), column(pa.string(), [0, 2, 4], b"\xff\xfe\xfd\xfc")]:
        for array in [wrong, Capsules(wrong), pa.chunked_array([wrong])]:
            with pytest.raises(ValueError):
                batch(array, [b"x", b"y"])
    unaligned = pa.Array.from_buffers(pa.binary(), 1, [None, pa.py_buffer(bytes(16)).slice(1), pa.py_buffer(b"")])
    with pytest.raises(ValueError, match="not aligned"):
        batch(["a"], Capsules(unaligned))
    wanted = "a column of texts or binary values is needed, and this is of "
    with pytest.raises(TypeError, match=wanted + "nested values"):
        batch(pa.record_batch([pa.array([b"x"])], names=["x"]), [b"x"])
    with pytest.raises(TypeError, match=wanted + "Int64"):
        batch(pa.array([1]), [b"x"])


def test_a_column_that_was_taken_is_an_error() -> None:
    pa = pytest.importorskip("pyarrow")

    class Taken:
        capsules = pa.array(["a"]).__arrow_c_array__()

        def __arrow_c_array__(self, requested_schema: object = None) -> Any:
            return self.capsules

    assert pa.array(Taken()).to_pylist() == ["a"]
    with pytest.raises(ValueError, match="taken before"):
        batch(Taken(), [b"x"])


def test_owners_of_damaged_columns_are_asked() -> None:
    pa = pytest.importorskip("pyarrow")

    class Kind(pa.ExtensionType):  # type: ignore[misc]
        def __init__(self) -> None:
            super().__init__(pa.binary(), "meshlens.test")

        def __arrow_ext_serialize__(self) -> bytes:
            return b""

        @classmethod
        def __arrow_ext_deserialize__(cls, storage_type: Any, serialized: bytes) -> Any:
            return cls()

        def __arrow_ext_class__(self) -> type:
            return Column

    class Column(pa.ExtensionArray):  # type: ignore[misc]
        pass

    whole = pa.array([b"aaaa", b"bbbb"])
    pa.register_extension_type(Kind())
    try:
        owners = [read_damaged(pa.ExtensionArray.from_storage(Kind(), whole))]
    finally:
        pa.unregister_extension_type("meshlens.test")
    assert type(owners[0]) is Column
    try:
        import pandas as pd
    except ImportError:
        pass
    else:
        owners.append(pd.Series(pd.arrays.ArrowExtensionArray(read_damaged(whole))))
    for owner in owners:
        with pytest.raises(ValueError):
            batch(["a", "b"], owner)


def test_damaged_arrow_files_are_rows_or_errors(md3: bytes) -> None:
    pa = pytest.importorskip("pyarrow")
    random = np.random.default_rng(7)
    kinds = [(pa.string(), pa.binary()), (pa.large_string(), pa.large_binary()), (pa.string_view(), pa.binary_view())]
    outcomes = {True: 0, False: 0}
    for text, binary in kinds:
        columns = [pa.array(["first.md3", "a name of more than twelve bytes"], text), pa.array([md3[:40], b"x"], binary)]
        content = io.BytesIO()
        with pa.ipc.new_file(content, pa.schema([("uri", text), ("content", binary)])) as writer:
            writer.write_batch(pa.record_batch(columns, names=["uri", "content"]))
        whole = np.frombuffer(content.getvalue(), np.uint8)
        for _ in range(400):
            damaged = whole.copy()
            damaged[random.integers(len(whole), size=2)] = random.choice([0, 1, 2, 127, 128, 255], 2)
            try:
                rows = pa.ipc.open_file(pa.py_buffer(damaged.tobytes())).read_all()
                found = pa.record_batch(batch(rows.column(0), rows.column(1)))
            except (ValueError, TypeError, IndexError, OSError, OverflowError, KeyError, MemoryError, pa.ArrowException):
                outcomes[False] += 1
                continue
            found.validate(full=True)
            outcomes[True] += 1
    assert min(outcomes.values()) > 10, outcomes


def test_columns_that_are_not_asked_for_are_null(md3: bytes) -> None:
    [row] = rows_of(batch(["a.md3"], [md3], columns=["format", "seconds"]))
    assert row["format"] == "md3" and row["seconds"] > 0 and row["hash"] is None and row["findings"] is None
    [row] = rows_of(batch(["a.md3"], [md3], columns=["headers"]))
    assert row["clips"] == [] and row["min"] is None
    with pytest.raises(ValueError, match="there is no column 'colour'|there is no column \"colour\""):
        batch(["a.md3"], [md3], columns=["colour"])


def test_wrong_arguments(md3: bytes) -> None:
    with pytest.raises(ValueError, match="same length"):
        batch(["a.md3", "b.md3"], [md3])
    with pytest.raises(ValueError, match="every file has a name"):
        batch([None], [md3])
    with pytest.raises(TypeError):
        batch(["a.md3"], ["a path"])
    with pytest.raises(TypeError):
        batch([1], [md3])
    pa = pytest.importorskip("pyarrow")
    with pytest.raises(TypeError, match="binary values"):
        batch(["a.md3"], pa.array([1]))


def test_rows_are_what_inspect_and_validate_return(corpus: Path, tmp_path: Path) -> None:
    glb = tmp_path / "player.glb"
    glb.write_bytes(meshlens.open(corpus / "md3/player").to_glb())
    names = ["md3/animated.md3", "md3/tagged.md3", "u3d/v2_skinned.u3d", "u3d/v2_levels.u3d", "unigine/skinned_ms11.mesh"]
    for path in [*(corpus / name for name in names), glb]:
        [row] = rows_of(batch([str(path)], [path.read_bytes()]))
        found = meshlens.inspect(path)
        counts = [row[name] for name in ("format", "version", "frames", "meshes", "vertices", "triangles", "tags", "size")]
        assert counts == [
            *(found.format, found.version, found.frames, found.surfaces),
            *(found.vertices, found.triangles, found.tags, found.bytes),
        ], path
        if path != glb:
            severities = [finding.severity for finding in meshlens.validate(path)]
            assert [row["errors"], row["warnings"]] == [severities.count("error"), severities.count("warning")], path
