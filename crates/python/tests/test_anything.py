"""Any bytes, any sequence of calls, and memory over many of them."""

from __future__ import annotations

import contextlib
import gc
import os
import resource
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

import meshlens
from conftest import ROOT, square

FILES = sorted(
    path
    for path in (ROOT / "corpus").rglob("*")
    if path.suffix in {".md3", ".u3d", ".mesh", ".anim"} and path.stat().st_size < 20_000
)
GLB = square().scene().to_glb()


def use(scene: meshlens.Scene) -> None:
    """Decodes everything that a scene has."""
    for array in scene.arrays[:50]:
        assert len(array.raw) == len(array)
        array.decode()
    for mesh in scene.meshes[:10]:
        with contextlib.suppress(ValueError, LookupError):
            mesh.positions(slice(0, 4))
            mesh.normals()
            triangles = mesh.triangles()
            assert triangles.size == 0 or int(triangles.max()) < mesh.vertex_count
            mesh.vertices()
    for tag in scene.tags[:10]:
        with contextlib.suppress(IndexError):
            tag.matrix(0)
    for clip in scene.clips[:5]:
        scene.at(clip, 0.1)
    repr(scene)


@settings(max_examples=300, deadline=None, suppress_health_check=list(HealthCheck))
@given(st.sampled_from(FILES), st.data())
def test_damaged_files_are_errors_or_models(path: Path, data: st.DataObject) -> None:
    content = bytearray(path.read_bytes())
    for _ in range(data.draw(st.integers(0, 4))):
        if content:
            at = data.draw(st.integers(0, len(content) - 1))
            content[at] = data.draw(st.sampled_from([0, 1, 127, 128, 254, 255, (content[at] + 1) & 255]))
    del content[data.draw(st.integers(0, len(content))) :]
    meshlens.validate(bytes(content))
    try:
        scene = meshlens.open(bytes(content), name=path.name)
    except ValueError as error:
        assert str(error)
        return
    use(scene)


@settings(max_examples=200, deadline=None)
@given(st.binary(max_size=400) | st.binary(max_size=200).map(lambda tail: b"IDP3\x0f\0\0\0" + tail))
def test_any_bytes(content: bytes) -> None:
    for name in ("x.md3", "x.glb", "x.gltf", "x_d.3d"):
        with contextlib.suppress(ValueError, OSError):
            use(meshlens.open(content, name=name))


@settings(max_examples=100, deadline=None)
@given(st.integers(0, len(GLB) - 1), st.integers(0, 255))
def test_damaged_gltf(at: int, value: int) -> None:
    content = GLB[:at] + bytes([value]) + GLB[at + 1 :]
    with contextlib.suppress(ValueError):
        use(meshlens.open(content, name="x.glb"))


@settings(max_examples=200, deadline=None)
@given(st.text(max_size=30), st.sampled_from(["", "!", ".md3", "\0", "/"]))
def test_any_path(text: str, end: str) -> None:
    with contextlib.suppress(ValueError, OSError):
        meshlens.open(f"/nonexistent/{text}{end}")


@settings(max_examples=200, deadline=None)
@given(
    st.integers() | st.floats() | st.none() | st.text(max_size=3) | st.slices(5),
    st.floats() | st.integers(-(10**30), 10**30),
)
def test_any_frame_and_any_time(frame: Any, time: float) -> None:
    scene = meshlens.open(FILES[0])
    mesh = scene.meshes[0]
    with contextlib.suppress(IndexError, TypeError):
        found = mesh.positions(frame)
        assert found.shape[-2:] == (mesh.point_count, 3)
    with contextlib.suppress(LookupError, OverflowError):
        assert np.isfinite(mesh.vertices(None, time)["positions"]).all()


class Liar:
    """An object whose protocols do not keep what they promise."""

    def __init__(self, what: Any) -> None:
        self.what = what

    def __fspath__(self) -> Any:
        return self.what

    def __len__(self) -> int:
        return -1

    def __iter__(self) -> Any:
        raise ZeroDivisionError

    def read(self) -> Any:
        return self.what


@pytest.mark.parametrize("what", [None, 3, b"IDP3", "\0", ["x"], object()])
def test_objects_that_lie_in_their_protocols(what: Any) -> None:
    liar = Liar(what)
    with pytest.raises((TypeError, ValueError, OSError)):
        meshlens.open(liar)
    del Liar.__fspath__
    try:
        with pytest.raises((TypeError, ValueError)):
            meshlens.open(liar)  # type: ignore[arg-type]
    finally:
        Liar.__fspath__ = lambda self: self.what  # type: ignore[method-assign]
    model = meshlens.Model()
    with pytest.raises((TypeError, ValueError, ZeroDivisionError)):
        model.add_mesh("x", liar, liar)  # type: ignore[arg-type]


class Calls(RuleBasedStateMachine):
    """Scenes, meshes and views in any order: views keep their values, and a scene with views cannot be closed."""

    def __init__(self) -> None:
        super().__init__()
        self.bytes = square().scene().export("md3").files["square.md3"]
        self.scenes: list[meshlens.Scene] = []
        self.views: list[tuple[meshlens.Scene, Any, bytes]] = []
        self.meshes: list[tuple[meshlens.Scene, meshlens.Mesh]] = []

    @rule()
    def open(self) -> None:
        self.scenes.append(meshlens.open(self.bytes))

    @precondition(lambda self: self.scenes)
    @rule(data=st.data())
    def view(self, data: st.DataObject) -> None:
        scene = data.draw(st.sampled_from(self.scenes))
        try:
            array = data.draw(st.sampled_from(scene.arrays))
        except ValueError:
            assert scene.closed
            return
        raw = array.raw
        part = raw[data.draw(st.integers(0, 2)) :]
        self.views.append((scene, part, part.tobytes()))

    @precondition(lambda self: self.scenes)
    @rule(data=st.data())
    def mesh(self, data: st.DataObject) -> None:
        scene = data.draw(st.sampled_from(self.scenes))
        if not scene.closed:
            self.meshes.append((scene, scene.meshes[0]))

    @precondition(lambda self: self.views)
    @rule(data=st.data())
    def forget(self, data: st.DataObject) -> None:
        self.views.pop(data.draw(st.integers(0, len(self.views) - 1)))

    @precondition(lambda self: self.scenes)
    @rule(data=st.data())
    def close(self, data: st.DataObject) -> None:
        scene = data.draw(st.sampled_from(self.scenes))
        if any(owner is scene for owner, _, _ in self.views):
            with pytest.raises(BufferError):
                scene.close()
        else:
            scene.close()

    @precondition(lambda self: self.scenes)
    @rule(data=st.data())
    def drop(self, data: st.DataObject) -> None:
        self.scenes.pop(data.draw(st.integers(0, len(self.scenes) - 1)))
        gc.collect()

    @invariant()
    def views_keep_their_values(self) -> None:
        for _, view, values in self.views:
            assert view.tobytes() == values
        for scene, mesh in self.meshes:
            if scene.closed:
                with pytest.raises(ValueError):
                    mesh.positions()
            else:
                assert mesh.positions(1).shape == (4, 3)


TestCalls = Calls.TestCase
TestCalls.settings = settings(max_examples=40, stateful_step_count=25, deadline=None)


def resident() -> int:
    """The number of bytes of this process that are in memory."""
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * resource.getpagesize()


@pytest.mark.skipif(sys.platform != "linux", reason="/proc of Linux")
def test_memory_is_flat(md3: bytes, tmp_path: Path) -> None:
    path = tmp_path / "square.md3"
    path.write_bytes(md3)
    count = int(os.environ.get("MESHLENS_OPENS", "4000"))

    def turn(number: int) -> None:
        for _ in range(number):
            scene = meshlens.open(path)
            mesh = scene.meshes[0]
            mesh.positions(1)
            mesh.vertices("all", 0.05)
            scene.arrays[0].raw  # noqa: B018
            with contextlib.suppress(meshlens.FormatError):
                meshlens.open(md3[:200])

    turn(count // 4)
    gc.collect()
    before = resident()
    turn(count)
    gc.collect()
    # Allocators keep some pages; a leak of a scene, or of the bytes of its file, in every turn would take more.
    assert resident() - before < (4 << 20)
