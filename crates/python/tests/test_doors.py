"""Every function says about each model what every other interface says: the answers that are in crates/testkit/doors."""

from __future__ import annotations

import io
import json
import zipfile
from collections import Counter
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import meshlens
from conftest import ROOT
from meshlens import census

DOORS = ROOT / "crates/testkit/doors"
ANSWERS: list[dict[str, Any]] = json.loads((DOORS / "answers.json").read_text())
SEVERITIES = ("error", "warning", "info", "hint")

each = pytest.mark.parametrize("answer", ANSWERS, ids=[answer["name"] for answer in ANSWERS])


def path(name: str) -> str:
    """The path of a model, or of one of its files."""
    own = DOORS / name
    return str(own if own.exists() else ROOT / "corpus" / name)


def near(found: Any, expected: dict[str, list[float]]) -> bool:
    expected_box = np.array([expected["min"], expected["max"]])
    size = np.ptp(expected_box, axis=0).max()
    return found is not None and np.allclose(found, expected_box, rtol=0, atol=1e-4 * size)


def boxes(several: list[Any]) -> Any:
    """The box around boxes."""
    return np.min([low for low, _ in several], axis=0), np.max([high for _, high in several], axis=0)


@each
def test_open_and_conversions(answer: dict[str, Any]) -> None:
    with meshlens.open(path(answer["name"])) as scene:
        assert [node.name for node in scene.nodes] == answer["nodes"]
        assert scene.format == (None if answer["findings"] is None else answer["format"])
        assert len(scene.meshes) == answer["meshes"]
        assert sum(mesh.triangle_count for mesh in scene.meshes) <= answer["counts"]["triangles"]
        assert near(scene.at().bounds(space="gltf"), answer["bounds"])
        vertices = [mesh.vertices(layout="positions", space="gltf")["positions"] for mesh in scene.meshes]
        corners = [part.min(axis=0) for part in vertices], [part.max(axis=0) for part in vertices]
        assert near([np.min(corners[0], axis=0), np.max(corners[1], axis=0)], answer["bounds"])
        again = meshlens.open(scene.to_glb(), name="again.glb")
    assert near(again.at().bounds(space="gltf"), answer["bounds"])


@each
def test_inspect_and_validate(answer: dict[str, Any]) -> None:
    source = path(answer["name"])
    found = meshlens.inspect(source)
    assert found.format == answer["format"]
    assert {name: getattr(found, name) for name in answer["counts"]} == answer["counts"]
    scene = meshlens.open(source)
    if len(scene.nodes) == 1 and answer["findings"] is not None:
        # Boxes that are stored have room around the vertices, and joints may move these.
        rest = scene.at().bounds()
        assert np.allclose(np.ptp(found.bounds, axis=0), np.ptp(rest, axis=0), rtol=0.2)
        assert ".uc" not in answer["name"] or np.allclose(found.bounds, rest)
    if answer["findings"] is None:
        with pytest.raises(meshlens.UnsupportedError):
            meshlens.validate(source)
        return
    counts: Counter[str] = Counter()
    for finding in meshlens.validate(source):
        counts[finding.severity] += finding.count
    assert [counts[severity] for severity in SEVERITIES] == answer["findings"]


@each
def test_rows(answer: dict[str, Any]) -> None:
    pa = pytest.importorskip("pyarrow")
    import meshlens.arrow

    source = path(answer["name"])
    scene = meshlens.open(source)
    [node, *others] = scene.nodes
    names = {"meshes" if name == "surfaces" else name: count for name, count in answer["counts"].items()}
    for function in (meshlens.arrow.inspect, meshlens.arrow.validate):
        [row] = pa.record_batch(function([source])).to_pylist()
        assert (row["format"], {name: row[name] for name in names}) == (answer["format"], names)
        if not others and answer["findings"] is not None:
            rest = scene.at().bounds()
            assert rest is not None
            if ".uc" in answer["name"]:
                # The box of all frames, as the script places them, includes the box at rest.
                assert near([np.minimum(row["min"], rest[0]), np.maximum(row["max"], rest[1])], row)
            else:
                frames = range(max(mesh.frame_count for mesh in node.meshes))
                every = [mesh.bounds(min(frame, mesh.frame_count - 1)) for frame in frames for mesh in node.meshes]
                assert np.array_equal([row["min"], row["max"]], boxes(every))
        if function is meshlens.arrow.validate and answer["findings"] is not None:
            assert [row[f"{severity}s"] for severity in SEVERITIES] == answer["findings"]


#: What rows of files outside archives say otherwise, because they do not depend on scripts: a script places its mesh, and pairs
#: files of other names.
OUTSIDE = {
    "unreal/Classes/Figure.uc": {"bounds"},
    "unreal/Classes/Crates.uc!walk": {"bounds", "counts", "findings", "status"},
    "Box.uc": {"bounds", "counts", "findings", "status"},
}


def differences(answer: dict[str, Any], rows: list[dict[str, Any]]) -> set[str]:
    """The columns in which the rows of a census differ from an answer."""
    pa = pytest.importorskip("pyarrow")
    import meshlens.arrow

    # The row of the geometry has the counts of both files, and a player has a row for each part.
    sources = [answer["name"]] if answer["format"] == "unreal" else answer["files"]
    expected = pa.record_batch(meshlens.arrow.validate([path(name) for name in sources])).to_pylist()
    rows = rows[: len(expected)]
    counts = dict.fromkeys(answer["counts"], 0)
    for name in counts:
        values = [row["meshes" if name == "surfaces" else name] or 0 for row in rows]
        counts[name] = max(values) if name == "frames" else sum(values)
    has_findings = all(row["errors"] is not None for row in rows)
    findings = [sum(row[f"{severity}s"] for row in rows) for severity in SEVERITIES] if has_findings else None
    different = {
        "status": [row["status"] for row in rows] != ["ok"] * len(rows),
        "format": {row["format"] for row in rows} != {answer["format"]},
        "counts": counts != answer["counts"],
        "findings": findings != answer["findings"],
        "bounds": [(row["min"], row["max"]) for row in rows] != [(row["min"], row["max"]) for row in expected],
    }
    return {column for column, is_different in different.items() if is_different}


@each
def test_rows_of_a_census(answer: dict[str, Any]) -> None:
    pa = pytest.importorskip("pyarrow")
    files = [name.partition("!")[0] for name in answer["files"]]
    # The files beside them are in the call.
    names = list(dict.fromkeys([*map(path, files), *map(str, sorted(Path(path(files[0])).parent.glob("*.*")))]))
    rows = pa.record_batch(census.batch(names, [Path(name).read_bytes() for name in names])).to_pylist()
    entry = answer["name"].partition("!")[2] if ".uc" not in answer["name"] else ""
    rows = [row for row in rows if row["uri"] in map(path, files) and row["entry"] == (entry or None)]
    assert differences(answer, rows) == OUTSIDE.get(answer["name"], set())


@pytest.fixture(scope="module")
def packed() -> list[dict[str, Any]]:
    """The rows of the models in an archive with all files."""
    pa = pytest.importorskip("pyarrow")
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w") as archive:
        for folder in (ROOT / "corpus", DOORS):
            for file in folder.rglob("*.*"):
                if file.is_file() and file.suffix != ".pk3":
                    archive.write(file, file.relative_to(folder))
    rows: list[dict[str, Any]] = pa.record_batch(census.batch(["all.pk3"], [content.getvalue()])).to_pylist()
    return rows


@pytest.mark.parametrize("answer", [answer for answer in ANSWERS if "!" not in answer["files"][0]], ids=lambda it: it["name"])
def test_rows_of_a_census_in_an_archive(answer: dict[str, Any], packed: list[dict[str, Any]]) -> None:
    entries = [row["entry"] for row in packed]
    if answer["format"] == "unreal":
        [start] = [at for at in range(len(entries)) if entries[at : at + 2] == answer["files"]]
        rows = packed[start : start + 2]
    else:
        rows = [packed[entries.index(name)] for name in answer["files"]]
    assert differences(answer, rows) == set()


@each
def test_object_stores_are_mounts(answer: dict[str, Any]) -> None:
    store = pytest.importorskip("obstore.store").LocalStore
    mounts = [store(str(ROOT / "corpus")), store(str(DOORS))]
    with meshlens.open(answer["name"], mount=mounts) as scene:
        assert [node.name for node in scene.nodes] == answer["nodes"]
        assert near(scene.at().bounds(space="gltf"), answer["bounds"])
    found = meshlens.inspect(answer["name"], mount=mounts)
    assert {name: getattr(found, name) for name in answer["counts"]} == answer["counts"]


def test_stores_with_empty_and_missing_objects() -> None:
    store = pytest.importorskip("obstore.store").MemoryStore()
    store.put("models/empty.md3", b"")
    with pytest.raises(meshlens.FormatError):
        meshlens.open("models/empty.md3", mount=store)
    with pytest.raises(FileNotFoundError):
        meshlens.open("models/none.md3", mount=[store])
    store.put("models/flag.md3", (ROOT / "corpus/gallery/flag.md3").read_bytes())
    assert meshlens.open("models/flag.md3", mount=store).meshes[0].frame_count == 8
    with pytest.raises(meshlens.MemoryLimitError):
        meshlens.open("models/flag.md3", mount=store, memory_limit=100)


class Failing:
    """A store of the files of a folder. Its calls about names with one extension raise an exception."""

    def __init__(self, folder: Path, extension: str, error: BaseException) -> None:
        self.folder, self.extension, self.error = folder, extension, error

    def head(self, path: str) -> dict[str, Any]:
        if path.endswith(self.extension):
            raise self.error
        if not (self.folder / path).is_file():
            raise FileNotFoundError(path)
        return {"path": path, "size": (self.folder / path).stat().st_size, "e_tag": "1", "last_modified": "1"}

    def get(self, path: str, *, options: Any = None) -> Any:
        meta = self.head(path)
        start, end = (options or {}).get("range", (0, meta["size"]))
        content = (self.folder / path).read_bytes()[start:end]
        return SimpleNamespace(meta=meta, bytes=lambda: content)

    def list_with_delimiter(self, prefix: str | None = None) -> Any:
        folder = self.folder / (prefix or "")
        names = [path.name for path in folder.iterdir()] if folder.is_dir() else []
        return {"common_prefixes": [], "objects": [{"path": f"{prefix}/{name}" if prefix else name} for name in names]}


def test_exceptions_of_stores_are_raised() -> None:
    folder = ROOT / "corpus/gallery"
    for error in (TimeoutError("late"), KeyboardInterrupt(), SystemExit(3)):
        with pytest.raises(type(error)) as raised:
            meshlens.open("flag.md3", mount=Failing(folder, ".md3", error))
        assert raised.value is error
    error = RuntimeError("no answer")
    with pytest.raises(OSError, match="flag.md3.*no answer") as failed:
        meshlens.open("flag.md3", mount=Failing(folder, ".md3", error))
    assert failed.value.__cause__ is error
    # A file without its texture is written, unless somebody presses Ctrl-C.
    assert b"image/png" in meshlens.open("flag.md3", mount=Failing(folder, ".none", error)).to_glb()
    assert b"image/png" not in meshlens.open("flag.md3", mount=Failing(folder, ".tga", error)).to_glb()
    scene = meshlens.open("flag.md3", mount=Failing(folder, ".tga", KeyboardInterrupt()))
    with pytest.raises(KeyboardInterrupt):
        scene.to_glb()
    assert scene.meshes[0].frame_count == 8


@each
def test_trimesh(answer: dict[str, Any]) -> None:
    pytest.importorskip("trimesh")
    import meshlens.trimesh as reader

    scene = reader.to_scene(path(answer["name"]), textures=False)
    assert near(scene.bounds, answer["bounds"])


def test_models_finds_them() -> None:
    found = {str(Path(name)) for name in [*meshlens.models(ROOT / "corpus", archives=True), *meshlens.models(DOORS)]}
    for answer in ANSWERS:
        name = path(answer["name"])
        # Scripts and imported files are no files of a game format.
        if ".uc" not in name and answer["findings"] is not None:
            assert name in found
