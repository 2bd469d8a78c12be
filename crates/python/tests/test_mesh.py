"""Arrays of meshes: decoded, as they are stored, and as vertices in the space of the caller."""

from __future__ import annotations

import copy
import gc
import sys
import threading
import weakref
from pathlib import Path

import numpy as np
import pytest

import meshlens
from conftest import square


def test_attributes_have_their_shapes_and_types(md3: bytes) -> None:
    mesh = meshlens.open(md3).meshes[0]
    assert mesh.positions().dtype == np.float32 and mesh.positions().shape == (4, 3)
    assert mesh.positions(slice(None)).shape == (2, 4, 3)
    assert mesh.positions(slice(None, None, -1))[0].tolist() == mesh.positions(1).tolist()
    assert mesh.positions(-1).tolist() == mesh.positions(1).tolist()
    assert mesh.positions(np.int64(1)).tolist() == mesh.positions(1).tolist()
    assert mesh.positions(slice(5, 9)).shape == (0, 4, 3)
    normals = mesh.normals()
    assert normals is not None and np.allclose(normals, [0, 0, 1], atol=0.02)
    texcoords = mesh.texcoords()
    assert texcoords is not None and texcoords.tolist() == [[0, 0], [1, 0], [1, 1], [0, 1]]
    assert mesh.texcoords(1) is None and mesh.colors() is None and mesh.joints() is None and mesh.weights() is None
    assert mesh.triangles().dtype == np.uint32 and mesh.triangles().tolist() == [[0, 1, 2], [0, 2, 3]]
    # Quake's front faces are clockwise, and those of glTF are not.
    assert mesh.triangles("gltf").tolist() == [[0, 2, 1], [0, 3, 2]]
    assert mesh.bounds(1) == ([0, 0, 4], [8, 8, 4])
    assert mesh.submeshes == [meshlens.Submesh(mesh.material, slice(0, 2, 1))]
    assert (mesh.points, mesh.corners, mesh.is_welded, mesh.is_skinned) == (None, None, True, False)


@pytest.mark.parametrize("frame", [2, -3, 1 << 40, 1 << 70, -(1 << 70)])
def test_frames_out_of_range(md3: bytes, frame: int) -> None:
    mesh = meshlens.open(md3).meshes[0]
    for call in (mesh.positions, mesh.normals, mesh.bounds):
        with pytest.raises(IndexError):
            call(frame)
    with pytest.raises(IndexError):
        mesh.array("positions", frame=frame)


def test_wrong_arguments(md3: bytes) -> None:
    scene = meshlens.open(md3)
    mesh = scene.meshes[0]
    with pytest.raises(TypeError):
        mesh.positions("0")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="semantic"):
        mesh.array("uv")
    with pytest.raises(ValueError, match="no space"):
        mesh.triangles("maya")  # type: ignore[arg-type]
    with pytest.raises(LookupError, match="all"):
        mesh.vertices("fall")
    with pytest.raises(ValueError, match="scale"):
        mesh.vertices(scale=float("nan"))
    for layout in ("", "uv", "positions2", {"positions": "float64x3"}, "indices"):
        with pytest.raises(ValueError):
            mesh.vertices(layout=layout)
    with pytest.raises(LookupError):
        mesh.vertices(layout="tangents")
    with pytest.raises(TypeError):
        mesh.vertices(layout=12)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="another scene"):
        meshlens.open(md3).at().positions(mesh)


def test_outputs_of_the_caller(md3: bytes) -> None:
    mesh = meshlens.open(md3).meshes[0]
    out = np.full((4, 3), 9, np.float32)
    assert mesh.positions(1, out=out) is out and out[0].tolist() == [0, 0, 4]
    frozen = out.copy()
    frozen.flags.writeable = False
    wrong: list[tuple[type[Exception], object]] = [
        (TypeError, np.zeros((4, 3), np.float64)),
        (TypeError, np.zeros(12, np.float32)),
        (TypeError, [0.0] * 12),
        (ValueError, np.zeros((3, 4), np.float32)),
        (ValueError, np.zeros((4, 6), np.float32)[:, ::2]),
        (ValueError, frozen),
    ]
    for error, array in wrong:
        with pytest.raises(error, match="out"):
            mesh.positions(out=array)  # type: ignore[arg-type]
    assert frozen.tolist() == out.tolist()


def test_raw_arrays_are_the_bytes_of_the_file(md3: bytes) -> None:
    scene = meshlens.open(md3)
    by_meaning = {(array.semantic, array.frame): array for array in scene.arrays}
    positions = by_meaning["positions", 1]
    raw = positions.raw
    assert (raw.dtype, raw.shape, raw.strides) == (np.dtype("<i2"), (4, 3), (8, 2))
    expected = np.ndarray((4, 3), "<i2", md3, positions.offset, (8, 2))
    assert raw.tolist() == expected.tolist()
    assert np.shares_memory(raw, np.frombuffer(md3, np.uint8)), "bytes are not copied"
    assert positions.scale == 1 / 64 and np.array_equal(raw * np.float32(positions.scale), positions.decode())
    both = by_meaning["positions_normals", 1]
    assert both.raw.dtype.names == ("position", "normal") and both.raw.dtype.itemsize == 8
    assert both.raw["position"].tolist() == raw.tolist() and both.is_part != positions.is_part
    assert by_meaning["triangles", 0].decode().tolist() == [[0, 1, 2], [0, 2, 3]]
    assert by_meaning["triangles", 0].max_index() == 3
    with pytest.raises(ValueError):
        positions.max_index()
    with pytest.raises(ValueError, match="read-only"):
        raw[0] = 1
    with pytest.raises(ValueError):
        raw.flags.writeable = True
    assert memoryview(raw).readonly
    assert len(positions) == 4 and positions.nbytes == 24 and "i16x3" in repr(positions)


def test_every_array_of_the_corpus_decodes_as_the_model_says(corpus: Path) -> None:
    count = 0
    for path in sorted(corpus.rglob("*")):
        if path.suffix not in {".md3", ".u3d", ".mesh", ".3d"} or "aes" in path.name or "unreal" in path.parts:
            continue
        scene = meshlens.open(path)
        for array in scene.arrays:
            raw = array.raw
            assert not raw.flags.writeable and len(raw) == len(array)
            if array.scale is not None and len(array) and array.semantic == "positions":
                decoded = array.decode()
                assert np.allclose(raw * np.float32(array.scale), decoded), (path, array)
            count += 1
        for mesh in scene.meshes:
            vertices = mesh.vertices(layout="positions")
            assert len(vertices) == mesh.vertex_count
            triangles = mesh.triangles()
            assert triangles.size == 0 or triangles.max() < mesh.vertex_count
    assert count > 200


def test_arrays_of_meshes_are_those_of_the_scene(corpus: Path) -> None:
    names = ("semantic", "node", "mesh", "set", "frame", "lod", "bone", "file", "is_part", "offset", "stride", "encoding")

    def about(array: meshlens.Array) -> list[object]:
        return [getattr(array, name) for name in names]

    found = {}
    for path in ("md3/animated.md3", "gallery/crate_d.3d", "u3d/v2_skinned.u3d", "unigine/skinned_ms11.mesh", "md3/player"):
        scene = meshlens.open(corpus / path)
        listed = [about(array) for array in scene.arrays]
        for mesh in scene.meshes:
            for semantic in ("positions", "normals", "texcoords"):
                array = mesh.array(semantic, frame=mesh.frame_count - 1)
                if array is not None:
                    assert about(array) in listed, (path, about(array))
                    found[path, semantic] = array
    animated, pair = found["md3/animated.md3", "positions"], found["gallery/crate_d.3d", "positions"]
    assert (animated.frame > 0, animated.file, animated.is_part) == (True, 0, True)
    assert (pair.file, pair.is_part) == (1, False)
    assert found["md3/animated.md3", "texcoords"].frame == 0


def test_views_outlive_everything_else(md3: bytes) -> None:
    scene = meshlens.open(md3)
    mesh, node = scene.meshes[0], scene.nodes[0]
    array = mesh.array("positions")
    assert array is not None
    raw = array.raw
    gone = weakref.ref(scene)
    del scene, array
    gc.collect()
    assert gone() is None
    assert raw.tolist()[2] == [512, 512, 0] and mesh.positions().shape == (4, 3) and node.name == "model"


def test_references_are_released(md3: bytes) -> None:
    before = sys.getrefcount(md3)
    scene = meshlens.open(md3)
    assert sys.getrefcount(md3) > before
    raw = scene.arrays[0].raw
    scene.arrays  # noqa: B018
    del scene, raw
    gc.collect()
    assert sys.getrefcount(md3) == before


def test_vertices_in_a_layout_and_a_space(md3: bytes) -> None:
    mesh = meshlens.open(md3).meshes[0]
    # Halfway up after a twentieth of a second, at ten frames per second.
    half = mesh.vertices("all", 0.05)
    assert half.dtype.names == ("positions", "normals", "texcoords") and half["positions"][2].tolist() == [8, 8, 2]
    # Quake's (x, y, z) is (y, z, x) in glTF.
    assert mesh.vertices("all", 0.05, "positions", space="gltf")["positions"][1].tolist() == [0, 2, 8]
    assert mesh.vertices(layout="positions", scale=0.5)["positions"][1].tolist() == [4, 0, 0]
    layout = {"positions": "float32x3", "normals": "octahedral16x2", "texcoords": "unorm16x2"}
    packed = mesh.vertices(layout=layout)
    assert packed.dtype.itemsize == 20 and packed["texcoords"].tolist()[2] == [65535, 65535]
    assert mesh.vertices(layout=["positions", ("texcoords", "float16x2")]).dtype["texcoords"].base == np.float16
    later = mesh.vertices(meshlens.Clip("all", 0, 1), 99.0, "positions")
    assert later["positions"][0].tolist() == [0, 0, 4], "the clip of this name, after its end"


def test_poses(md3: bytes) -> None:
    scene = meshlens.open(md3)
    mesh = scene.meshes[0]
    pose = scene.at("all", 0.05)
    assert pose.frames(mesh) == (0, 1, 0.5) and "all" in repr(pose) and "rest" in repr(scene.at())
    assert pose.positions(mesh)[0].tolist() == [0, 0, 2]
    assert pose.vertices(mesh, "positions", space="blender").dtype.names == ("positions",)
    assert np.allclose(pose.normals(mesh), [0, 0, 1], atol=0.02)
    assert pose.bounds() == ([0, 0, 2], [8, 8, 2])
    # Y is up in glTF.
    assert pose.bounds(space="gltf") == ([0, 2, 0], [8, 2, 8])
    assert pose.matrix(0).tolist() == np.eye(4).tolist() == pose.matrix(scene.nodes[0]).tolist()
    for call in (pose.matrix, pose.joints):
        with pytest.raises(ValueError, match="another scene"):
            call(square().scene().nodes[0])
    matrix = pose.matrix(0, space="gltf", scale=2.0)
    assert (matrix @ [1, 2, 3, 1]).tolist() == [4, 6, 2, 1]
    assert pose.joints(0).shape == (0, 4, 4) and pose.skin(mesh).shape == (0, 4, 4)
    for node in (1, -2):
        with pytest.raises(IndexError):
            pose.matrix(node)
    with pytest.raises(LookupError):
        pose.socket("tag_weapon")


def test_tags(corpus: Path) -> None:
    scene = meshlens.open(corpus / "md3/tagged.md3")
    tag = scene.tags[0]
    assert (tag.name, tag.frame_count, tag.node, tag.index) == ("tag_hand", 3, 0, 0)
    assert tag.matrix(slice(None)).shape == (3, 4, 4)
    origin, axes = tag.pose(1)
    assert tag.matrix(1)[:3, 3].tolist() == origin and np.allclose(tag.matrix(1)[:3, 0], axes[0])
    socket = scene.at().socket(tag)
    assert socket is not None and np.allclose(socket, tag.matrix(0))
    named = scene.at().socket("TAG_HAND")
    assert named is not None and named.tolist() == socket.tolist()
    with pytest.raises(IndexError):
        tag.matrix(3)


def test_joints_and_animations(corpus: Path) -> None:
    scene = meshlens.open(corpus / "gallery/walker.u3d")
    node, mesh = scene.nodes[0], scene.meshes[0]
    joints, weights, bind = mesh.joints(), mesh.weights(), mesh.inverse_bind()
    assert joints is not None and weights is not None and bind is not None
    assert joints.dtype == np.uint16 and joints.shape == weights.shape == (mesh.point_count, 4)
    assert np.allclose(weights.sum(1), 1) and bind.shape == (len(node.joints), 4, 4)
    clip = node.clips[0]
    times = np.arange(clip.count) / clip.rate
    translations, rotations, scales = node.transforms(clip, times)
    stored = node.animations[0].transforms()
    assert np.array_equal(translations, stored[0]) and np.allclose(rotations, stored[1], atol=1e-6)
    assert scales.shape == (clip.count, len(node.joints), 3) and np.allclose(np.linalg.norm(rotations, axis=2), 1)
    assert node.animations[0].transforms(-1)[0].tolist() == translations[-1:].tolist()
    # Vertices are the weighted sum of the joints' matrices.
    pose = scene.at(clip.name, 0.25)
    moved = np.einsum("jab,jbc->jac", pose.joints(0), bind)
    points = np.concatenate([mesh.positions(), np.ones((mesh.point_count, 1), np.float32)], 1)
    expected = sum(weights[:, [k]] * np.einsum("pab,pb->pa", moved[joints[:, k]], points) for k in range(4))
    assert np.allclose(pose.positions(mesh), expected[:, :3], atol=1e-4)
    skin = pose.skin(mesh)
    assert np.allclose(skin, moved, atol=1e-5)


def test_times_that_do_not_fit_into_memory(corpus: Path) -> None:
    node = meshlens.open(corpus / "gallery/walker.u3d").nodes[0]
    for count in (1 << 40, 1 << 59):
        for number in (np.float32(0), np.float64(0)):
            with pytest.raises(MemoryError):
                node.transforms(node.clips[0], np.broadcast_to(number, count))


def test_clips() -> None:
    clip = meshlens.Clip("walk", 20, 4, 8.0, loop_frames=4)
    assert clip.sample(0.46875) == (23, 20, 0.75) and clip.is_cycle and clip.duration == 0.5
    assert list(clip.frames) == [20, 21, 22, 23]
    back = meshlens.Clip("back", 0, 3, reversed=True)
    assert list(back.frames) == [2, 1, 0] and back.rate == 10 and back.is_rate_assumed
    assert clip == copy.copy(clip) and clip != back
    for wrong in ({"count": 0}, {"rate": 0.0}, {"rate": float("nan")}):
        with pytest.raises(ValueError):
            meshlens.Clip(**{"name": "x", "first": 0, "count": 1, **wrong})  # type: ignore[arg-type]
    with pytest.raises(OverflowError):
        meshlens.Clip("x", -1, 1)


def test_spaces() -> None:
    md3 = meshlens.Space("md3")
    assert (md3.right, md3.up, md3.forward, md3.is_right_handed, md3.is_clockwise) == ("-Y", "+Z", "+X", True, True)
    assert md3.meters == pytest.approx(0.0254) and md3.swaps_winding("gltf")
    assert (md3.matrix_to("gltf", 2.0) @ [1, 2, 3, 1]).tolist() == [4, 6, 2, 1]
    assert md3 == meshlens.Space("md3") != meshlens.Space("gltf") and len({md3, meshlens.Space("md3")}) == 1
    assert meshlens.Space("u3d").meters is None


def test_threads_share_a_scene(corpus: Path) -> None:
    path = corpus / "md3/animated.md3"
    scene = meshlens.open(path)
    mesh = scene.meshes[0]
    expected = mesh.positions(slice(None))
    barrier = threading.Barrier(8)
    wrong: list[object] = []

    def read() -> None:
        barrier.wait()
        for turn in range(200):
            if not np.array_equal(mesh.positions(turn % 5), expected[turn % 5]):
                wrong.append(turn)
            mesh.vertices("all", turn / 100)
            meshlens.open(path).close()

    def close() -> None:
        barrier.wait()
        for _ in range(200):
            other = meshlens.open(path)
            raw = other.arrays[0].raw
            try:
                other.close()
                wrong.append("closed while a view lives")
            except BufferError:
                assert raw is not None

    threads = [threading.Thread(target=read) for _ in range(6)] + [threading.Thread(target=close) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == []


def test_a_scene_is_closed_while_others_decode(md3: bytes) -> None:
    for _ in range(50):
        scene = meshlens.open(md3)
        mesh = scene.meshes[0]
        barrier = threading.Barrier(2)
        seen: list[object] = []

        def read() -> None:
            barrier.wait()
            try:
                while True:
                    seen.append(mesh.positions(1).shape)
            except ValueError as error:
                seen.append(str(error))

        thread = threading.Thread(target=read)
        thread.start()
        barrier.wait()
        scene.close()
        thread.join()
        assert "closed" in str(seen[-1]) and set(seen[:-1]) <= {(4, 3)}


def test_squares_of_sets() -> None:
    colors = np.tile(np.float32([1, 0.5, 0, 1]), (4, 1))
    mesh = square(colors=colors).scene().meshes[0]
    found = mesh.colors()
    assert found is not None and found.tolist() == colors.tolist() and mesh.color_sets == 1


def test_types_of_triangles_of_unreal_meshes(corpus: Path) -> None:
    scene = meshlens.open(corpus / "unreal/Models/ring_d.3d")
    mesh = scene.meshes[0]
    types = mesh.triangle_types()
    assert types is not None and types.dtype == np.uint8 and types.shape == (48,)
    for submesh in mesh.submeshes:
        assert submesh.material is not None
        # A material has one type, and 16 is that of surfaces without light.
        own, name = set(types[submesh.triangles].tolist()), scene.materials[submesh.material].name
        assert len(own) == 1 and bool(own.pop() & 16) == ("unlit" in name)
    # The weapon triangle is a tag.
    weapon = meshlens.open(corpus / "unreal/Models/figure_d.3d").meshes[0].triangle_types()
    assert weapon is not None and weapon.tolist() == [0] * 36
    assert meshlens.open(corpus / "gallery/flag.md3").meshes[0].triangle_types() is None


def test_a_weapon_is_attached_to_a_tag() -> None:
    model = square()
    matrices = np.stack([np.eye(4, dtype=np.float32)] * 2)
    matrices[:, :3, 3] = [1, 2, 3]
    model.add_tag("tag_weapon", matrices)
    files = [made.scene().export("md3").files["square.md3"] for made in (model, square())]
    for body, gun in ((model.scene(), square().scene()), map(meshlens.open, files)):
        for to in ("tag_weapon", "TAG_WEAPON", body.tags[0]):
            armed = body.attach(gun, to)
            assert [node.attachment for node in armed.nodes] == [None, (0, "tag_weapon")]
            own, other = (armed.at().positions(mesh) for mesh in armed.meshes)
            assert np.allclose(other - own, [1, 2, 3], atol=0.02)
        assert len(armed.arrays) == len(body.arrays) + len(gun.arrays) and len(body.nodes) == 1
        with pytest.raises(LookupError, match="tag_none"):
            body.attach(gun, "tag_none")
        with pytest.raises(ValueError, match="another scene"):
            gun.attach(body, body.tags[0])
        with pytest.raises(TypeError):
            body.attach(gun, 0)  # type: ignore[arg-type]
        body.close()
        gun.close()
        assert armed.meshes[1].positions(0).shape == (4, 3) and len(armed.to_glb()) > 1000
    # Models of a game, of glTF and of arrays go together.
    mixed = meshlens.open(files[0]).attach(meshlens.open(square().scene().to_glb(), name="gun.glb"), "tag_weapon")
    mixed = mixed.attach(model.scene(), mixed.tags[0])
    assert [node.format for node in mixed.nodes] == ["md3", None, None] and {array.node for array in mixed.arrays} == {0}
    arm = meshlens.Model("arm", space="md3")
    arm.add_joint("hand", None, (0.0, 0.0, 4.0))
    held = arm.scene().attach(square().scene(), "hand")
    assert held.at().socket("hand", space="md3")[:3, 3].tolist() == [0, 0, 4]  # type: ignore[index]


def test_an_array_is_an_array_of_numpy(md3: bytes) -> None:
    positions = next(array for array in meshlens.open(md3).arrays if array.semantic == "positions")
    values = np.asarray(positions)
    assert values.shape == (4, 3) and np.array_equal(values, positions.decode())
    assert np.array(positions, np.float64).dtype == np.float64 and np.mean(positions) == values.mean()
    if np.lib.NumpyVersion(np.__version__) >= "2.0.0":
        with pytest.raises(ValueError, match="needs a copy"):
            np.array(positions, copy=False)


def test_texture_coordinates_of_every_frame_and_size(corpus: Path) -> None:
    scene = meshlens.open(corpus / "u3d/v2_animated.u3d")
    mesh = scene.meshes[0]
    stored = [array for array in scene.arrays if array.semantic == "texcoords"]
    assert [array.frame for array in stored] == list(range(mesh.frame_count))
    for frame, array in enumerate(stored):
        assert np.array_equal(mesh.texcoords(frame=frame), array.decode())
    assert mesh.texcoords(frame=slice(None)).shape == (mesh.frame_count, mesh.corner_count, 2)
    with pytest.raises(IndexError):
        mesh.texcoords(frame=mesh.frame_count)
    sizes = [array.decode().shape[1] for array in meshlens.open(corpus / "u3d/v2_dimensions.u3d").arrays if array.semantic == "texcoords"]
    assert {1, 3, 4} <= set(sizes), sizes
