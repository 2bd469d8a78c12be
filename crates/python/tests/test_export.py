"""Models made of arrays, conversions, and pictures."""

from __future__ import annotations

import json
import multiprocessing
import struct
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import meshlens
from conftest import ROOT, square


def gltf(glb: bytes) -> dict[str, object]:
    """The JSON of a GLB."""
    magic, version, length, size, kind = struct.unpack("<4sIII4s", glb[:20])
    assert (magic, version, length, kind) == (b"glTF", 2, len(glb), b"JSON")
    found: dict[str, object] = json.loads(glb[20 : 20 + size])
    return found


@pytest.mark.parametrize("format", ["md3", "unreal", "u3d", "unigine"])
def test_arrays_come_back_from_every_format(format: str, tmp_path: Path) -> None:
    exported = square().scene().export(format, name="square")  # type: ignore[arg-type]
    paths = exported.write(tmp_path)
    assert [path.name for path in paths] == list(exported.files)
    scene = meshlens.open(paths[0])
    mesh = scene.meshes[0]
    assert mesh.frame_count == 2 and mesh.triangle_count == 2
    if scene.clips:
        found = [pose.positions(mesh, space="md3") for pose in (scene.at(), scene.at(scene.clips[0], 99.0))]
    else:
        # Morph targets of UNIGINE, which no clip plays.
        to_md3 = scene.space.matrix_to("md3")[:3, :3]
        found = [mesh.positions(frame) @ to_md3.T for frame in range(2)]
    assert np.allclose(np.sort(found[0], 0)[-1], [8, 8, 0], atol=0.02)
    assert np.allclose(found[1] - found[0], [0, 0, 4], atol=0.02)
    with pytest.raises(FileExistsError):
        exported.write(tmp_path)
    exported.write(tmp_path, overwrite=True)
    with pytest.raises(FileNotFoundError):
        exported.write(tmp_path / "none")


def test_a_skeleton_of_arrays(tmp_path: Path) -> None:
    model = meshlens.Model("arm", space="unigine")
    root = model.add_joint("root")
    hand = model.add_joint("hand", root, (0.0, 0.0, 1.0))
    points = np.float32([[0, 0, 0], [1, 0, 0], [0, 0, 2], [1, 0, 2]])
    model.add_mesh(
        "arm",
        points,
        [[0, 1, 2], [1, 3, 2]],
        texcoords=points[:, :2],
        joints=[[root, 0, 0, 0]] * 2 + [[hand, root, 0, 0]] * 2,
        weights=[[1, 0, 0, 0]] * 2 + [[2, 0, 0, 0]] * 2,
    )
    half = np.sqrt(0.5)
    translations = np.float32([[[0, 0, 0], [0, 0, 1]]] * 2)
    rotations = np.float32([[[0, 0, 0, 1]] * 2, [[0, 0, 0, 1], [half, 0, 0, half]]])
    animation = model.add_animation("bend", [root, hand], translations, rotations)
    model.add_clip(meshlens.Clip("bend", 0, 2, 1.0, animation=animation))
    scene = model.scene()
    # The hand turns by 90 degrees about X, around the point one unit up: Z becomes -Y.
    assert np.allclose(scene.at("bend", 1.0).positions(scene.meshes[0])[3], [1, -1, 1], atol=1e-6)
    assert [joint.name for joint in scene.nodes[0].joints] == ["root", "hand"]
    for format, suffix in (("u3d", ".u3d"), ("unigine", ".mesh")):
        exported = scene.export(format, name="arm")  # type: ignore[arg-type]
        path = exported.write(tmp_path)[0]
        assert path.suffix == suffix
        again = meshlens.open(path)
        assert again.meshes[0].is_skinned and len(again.nodes[0].joints) == 2, format
    scene.export("unigine-anim", name="arm_bend").write(tmp_path)
    with_anim = meshlens.open(tmp_path / "arm.mesh", animations=tmp_path / "arm_bend.anim")
    mesh = with_anim.meshes[0]
    assert np.allclose(with_anim.at("bend", 1.0).positions(mesh)[3], [1, -1, 1], atol=1e-3)
    document = gltf(scene.to_glb())
    assert len(document["skins"]) == 1 and len(document["animations"]) == 1  # type: ignore[arg-type]


def test_an_ultimate_3d_file_is_written_from_the_file(corpus: Path) -> None:
    # A `Model` does not have its shadow volume.
    path = corpus / "u3d/v2_shadow.u3d"
    exported = meshlens.open(path).export("u3d")
    assert exported.files == {"v2_shadow.u3d": path.read_bytes()} and not exported.losses
    assert meshlens.open(corpus / "u3d/v1_levels.u3d").export("u3d").losses == []


def test_tags_and_materials_of_arrays() -> None:
    model = square()
    matrices = np.stack([np.eye(4, dtype=np.float32)] * 2)
    matrices[1, :3, 3] = [1, 2, 3]
    model.add_tag("tag_weapon", matrices)
    red = meshlens.Material("red", texture="models/red.tga", color=(1.0, 0.0, 0.0, 1.0), two_sided=True)
    assert model.add_material(red) == 0
    scene = model.scene()
    assert scene.materials == [red] and scene.tags[0].matrix(1).tolist() == matrices[1].tolist()
    again = meshlens.open(scene.export("md3").files["square.md3"])
    assert again.tags[0].name == "tag_weapon" and again.tags[0].matrix(1)[:3, 3].tolist() == [1, 2, 3]
    with pytest.raises(ValueError, match="frames"):
        model.add_tag("tag_short", np.eye(4))


def test_wrong_arrays() -> None:
    model = meshlens.Model()
    points, triangles = np.zeros((3, 3), np.float32), [[0, 1, 2]]
    add = model.add_mesh
    cases: list[tuple[type[Exception], tuple[object, ...], dict[str, object]]] = [
        (IndexError, (points, [[0, 1, 3]]), {}),
        (ValueError, (points, [[0, 1, -1]]), {}),
        (TypeError, (points, [[0.0, 1.0, 2.0]]), {}),
        (ValueError, (points, [[0, 1]]), {}),
        (ValueError, (np.zeros((3, 2)), triangles), {}),
        (ValueError, (np.zeros(3), triangles), {}),
        (ValueError, (np.zeros((0, 3, 3)), triangles), {}),
        (TypeError, (["a"], triangles), {}),
        (ValueError, (points, triangles), {"normals": np.zeros((2, 3, 3))}),
        (ValueError, (points, triangles), {"texcoords": np.zeros((2, 2))}),
        (IndexError, (points, triangles), {"joints": [[0, 0, 0, 0]] * 3, "weights": np.ones((3, 4))}),
        (ValueError, (points, triangles), {"joints": [[0, 0, 0, 0]] * 3}),
        (ValueError, (points, triangles), {"weights": np.ones((3, 4))}),
        (ValueError, (points, triangles), {"inverse_bind": np.eye(4)}),
        (IndexError, (points, triangles), {"material": 0}),
        (IndexError, (points, triangles), {"submeshes": [meshlens.Submesh(3, slice(0, 1))]}),
        (IndexError, (points, triangles), {"points": [0, 1, 9]}),
        (TypeError, (points, triangles), {"uvs": None}),
    ]
    for error, arrays, named in cases:
        with pytest.raises(error):
            add("x", *arrays, **named)  # type: ignore[arg-type]
    assert model.scene().meshes == []
    with pytest.raises(IndexError):
        model.add_animation("x", [0], np.zeros((1, 1, 3)), np.zeros((1, 1, 4)))
    model.add_clip(meshlens.Clip("late", 5, 2))
    with pytest.raises(IndexError):
        model.scene()
    child = meshlens.Model()
    child.add_joint("child", 4)
    with pytest.raises(IndexError):
        child.scene()


def test_joints_in_a_cycle() -> None:
    for parents in ([0], [1, 0], [2, 0, 1], [3, 0, 9, 1]):
        model = meshlens.Model()
        for joint, parent in enumerate(parents[:-1]):
            assert model.add_joint(str(joint), parent) == joint
        with pytest.raises(ValueError, match="looped"):
            model.add_joint("looped", parents[-1])
    model = meshlens.Model()
    model.add_joint("hand", 1)
    assert model.add_joint("arm") == 1 and len(model.scene().nodes[0].joints) == 2


def test_glb_and_its_options(corpus: Path) -> None:
    scene = meshlens.open(corpus / "gallery/flag.md3")
    document = gltf(scene.to_glb())
    assert len(document["images"]) >= 1 and len(document["animations"]) == 1  # type: ignore[arg-type]
    assert len(scene.to_glb(textures=False)) < len(scene.to_glb())
    for meshopt, name in [(True, "KHR"), ("khr", "KHR"), ("ext", "EXT")]:
        packed = gltf(scene.to_glb(quantize=True, meshopt=meshopt))  # type: ignore[arg-type]
        assert set(packed["extensionsRequired"]) == {"KHR_mesh_quantization", f"{name}_meshopt_compression"}  # type: ignore[call-overload]
    with pytest.raises(ValueError, match="'khr' or 'ext'"):
        scene.to_glb(meshopt="KHR")  # type: ignore[arg-type]
    assert "animations" not in gltf(scene.to_glb(frame=2))
    exported = scene.export("glb", name="banner")
    assert list(exported.files) == ["banner.glb"] and isinstance(exported.losses, list)
    with pytest.raises(LookupError):
        scene.to_glb(clip="none")
    for index in (99, -1, 1 << 70):
        for call in (lambda: scene.to_glb(frame=index), lambda: scene.thumb(32, frame=index), lambda: scene.export("md3", node=index)):
            with pytest.raises(IndexError):
                call()
    with pytest.raises(meshlens.MemoryLimitError):
        scene.to_glb(memory_limit=10)
    for name in ("../banner", "a\\b", "a\0"):
        with pytest.raises(ValueError, match="folder"):
            scene.export("glb", name=name)
    with pytest.raises(TypeError):
        scene.to_glb(wide_vertices=True)  # type: ignore[call-arg]
    with pytest.raises(TypeError, match="quantize"):
        scene.export("md3", quantize=True)
    with pytest.raises(ValueError, match="formats"):
        scene.export("obj")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="folder"):
        scene.export("md3", name="../x")
    imported = meshlens.open(scene.to_glb(), name="flag.glb")
    assert imported.format is None and imported.meshes[0].frame_count == 8
    back = imported.export("md3", name="flag")
    again = meshlens.open(back.files["flag.md3"])
    first = scene.meshes[0].positions(3)
    assert np.allclose(np.sort(again.meshes[0].positions(3), 0), np.sort(first, 0), atol=1 / 64)
    broken = bytearray(scene.to_glb())
    broken[20:24] = b"----"
    with pytest.raises(meshlens.FormatError) as caught:
        meshlens.open(broken, name="x.glb")
    assert caught.value.format == "gltf"


def test_frames_become_a_skeleton(corpus: Path) -> None:
    scene = meshlens.open(corpus / "gallery/walker.md3")
    frames, joints = (gltf(scene.to_glb(skeleton=skeleton)) for skeleton in (False, 0.2))
    assert "targets" in json.dumps(frames) and "skins" not in frames
    assert "targets" not in json.dumps(joints) and len(joints["skins"]) == 1  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="no skeleton of up to"):
        scene.to_glb(skeleton=1e-6)
    with pytest.raises(ValueError, match="positive"):
        scene.to_glb(skeleton=-1.0)
    with pytest.raises(TypeError, match="skeleton"):
        scene.export("md3", skeleton=True)


def test_convert_writes_all_files_or_none(corpus: Path, tmp_path: Path) -> None:
    source = corpus / "gallery/walker.md3"
    losses = meshlens.convert(source, tmp_path / "walker_d.3d")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["walker.uc", "walker_a.3d", "walker_d.3d"]
    assert all(isinstance(loss, meshlens.Finding) for loss in losses)
    (tmp_path / "walker_d.3d").unlink()
    with pytest.raises(FileExistsError):
        meshlens.convert(source, tmp_path / "walker_d.3d")
    assert not (tmp_path / "walker_d.3d").exists()
    meshlens.convert(source, tmp_path / "walker_d.3d", overwrite=True)
    meshlens.convert(meshlens.open(source), tmp_path / "walker.glb", quantize=True)
    with pytest.raises(ValueError, match="extension"):
        meshlens.convert(source, tmp_path / "walker.obj")


def test_convert_divides_a_player_as_the_command_does(tmp_path: Path) -> None:
    player = ROOT / "crates/testkit/doors/player.glb"
    subprocess.run([sys.executable, "-m", "meshlens", "convert", player, "--to", "md3", "--out-dir", tmp_path], check=True)
    with pytest.raises(ValueError, match="md3 holds one of the nodes lower, upper, head"):
        meshlens.convert(player, tmp_path / "player.md3")
    assert not (tmp_path / "player.md3").exists()
    for node, name in enumerate(["lower", "upper", "head"]):
        (tmp_path / name).mkdir()
        meshlens.convert(player, tmp_path / name / f"{name}.md3", node=node)
        assert (tmp_path / name / f"{name}.md3").read_bytes() == (tmp_path / f"player/{name}.md3").read_bytes()
    # A format with joints keeps them, and everything is one model.
    meshlens.convert(player, tmp_path / "player.u3d")
    assert len(meshlens.open(tmp_path / "player.u3d").nodes) == 1


def textured(folder: Path, name: str, side: int, pixels: bytes) -> meshlens.Scene:
    """A triangle with a texture, as files: an MD3 with a tag beside the triangle, and a square TGA."""
    model = meshlens.Model(name, space="md3")
    material = model.add_material(meshlens.Material("skin.tga", texture="skin.tga"))
    points = np.float32([[0, 0, 0], [8, 0, 0], [8, 8, 0]])
    model.add_mesh("triangle", points, [[0, 1, 2]], texcoords=points[:, :2] / 8, material=material)
    beside = np.eye(4, dtype=np.float32)
    beside[0, 3] = 9
    model.add_tag("tag_weapon", beside)
    folder.mkdir(exist_ok=True)
    model.scene().export("md3", name=name).write(folder)
    for file, size in (("skin.tga", side), ("skin_n.tga", 1)):
        header = struct.pack("<BBB9xHHBB", 0, 0, 2, size, size, 24, 32)
        (folder / file).write_bytes(header + pixels[: 3 * size * size])
    return meshlens.open(folder / f"{name}.md3")


def test_textures_of_attached_scenes_are_those_of_their_folders(tmp_path: Path) -> None:
    # Blue is first in a TGA file: the body is red, and the gun is blue.
    body, gun = textured(tmp_path / "body", "body", 1, b"\0\0\xff"), textured(tmp_path / "gun", "gun", 1, b"\xff\0\0")
    found = [(scene, scene.materials[0]) for scene in (body, gun)]
    images = [scene.texture(map) for scene, own in found for map in (own, own.normal_map)]  # type: ignore[arg-type]
    assert len({image[1] for image in images if image is not None}) == 4
    armed = body.attach(gun, "tag_weapon")
    glb = armed.to_glb()
    assert all(image is not None and image[1] in glb for image in images)
    assert armed.thumb(32) != body.attach(body, "tag_weapon").thumb(32)


def test_the_limit_of_a_conversion_includes_textures_and_the_file(tmp_path: Path) -> None:
    pixels = np.random.default_rng(0).integers(0, 256, 512 * 512 * 3, np.uint8).tobytes()
    scene = textured(tmp_path, "noise", 512, pixels)
    image = scene.texture(scene.materials[0])
    assert image is not None
    size = len(image[1])
    assert size > 512 * 512 * 2 and image[1] in scene.to_glb(memory_limit=3 * size)
    for limit, what in ((size // 2, "a texture"), (size * 3 // 2, "the file")):
        with pytest.raises(meshlens.MemoryLimitError, match=what):
            scene.to_glb(memory_limit=limit)


@pytest.mark.parametrize(("name", "to"), [("OUT.GLB", None), ("walker.v2", "glb"), ("walker.v2", "md3"), ("walker", "u3d")])
def test_convert_writes_its_target(corpus: Path, tmp_path: Path, name: str, to: str | None) -> None:
    scene, target = meshlens.open(corpus / "gallery/walker.md3"), tmp_path / name
    beside = tmp_path / f"walker.{to}"
    beside.write_bytes(b"mine")
    meshlens.convert(scene, target, to=to)
    stem = name.partition(".")[0]
    assert target.read_bytes() == next(iter(scene.export(to or "glb", name=stem).files.values()))  # type: ignore[arg-type]
    assert beside.read_bytes() == b"mine"
    with pytest.raises(FileExistsError):
        meshlens.convert(scene, target, to=to)


def test_pictures(corpus: Path) -> None:
    scene = meshlens.open(corpus / "gallery/walker.md3")
    png = scene.thumb(64)
    assert png.startswith(b"\x89PNG\r\n\x1a\n") and struct.unpack(">II", png[16:24]) == (64, 64)
    assert png == scene.thumb(64, threads=4) and png != scene.thumb(64, view="front")
    assert b"acTL" in scene.thumb(32, animated=True, clip="all")
    assert scene._repr_png_().startswith(b"\x89PNG")
    html = scene._repr_html_()
    assert "walker" in html and "<script" not in html
    scene.close()
    assert "closed" in scene._repr_html_()
    for wrong in ({"size": 1 << 20}, {"size": 0}, {"view": "back"}, {"background": "red"}):
        with pytest.raises(ValueError):
            meshlens.open(corpus / "gallery/walker.md3").thumb(**wrong)  # type: ignore[arg-type]
    hostile = meshlens.Model("<script>alert(1)</script>").scene()
    assert "<script" not in hostile._repr_html_()


def test_textures(corpus: Path) -> None:
    scene = meshlens.open(corpus / "gallery/crate.md3")
    found = scene.texture(scene.materials[0])
    assert found is not None and found[0] == "image/png" and found[1].startswith(b"\x89PNG")
    assert scene.texture(meshlens.Material("none")) is None
    with pytest.raises(ValueError):
        scene.texture(meshlens.Material("bad", image=b"no image"))


def positions(path: Path) -> list[list[float]]:
    """What a worker computes."""
    found: list[list[float]] = meshlens.open(path).meshes[0].positions(0).tolist()
    return found


@pytest.mark.parametrize("method", ["fork", "spawn"])
def test_workers_of_multiprocessing(corpus: Path, method: str) -> None:
    if method not in multiprocessing.get_all_start_methods():
        pytest.skip(f"this system has no {method}")
    paths = [corpus / "md3/static.md3", corpus / "md3/animated.md3"]
    expected = [positions(path) for path in paths]
    with multiprocessing.get_context(method).Pool(2) as pool:
        assert pool.map(positions, paths) == expected
        scenes = pool.map(meshlens.open, paths)
    assert [scene.meshes[0].positions(0).tolist() for scene in scenes] == expected


def test_the_command(corpus: Path) -> None:
    command = [sys.executable, "-m", "meshlens"]
    done = subprocess.run([*command, "inspect", "--format", "csv", str(corpus / "md3/static.md3")], capture_output=True)
    assert done.returncode == 0 and b"static.md3,md3,15" in done.stdout, done.stderr
    assert subprocess.run([*command, "validate", "none.md3"], capture_output=True).returncode == 2
    shown = subprocess.run([*command, "--version"], capture_output=True, text=True).stdout
    assert shown.split() == ["meshlens", meshlens.__version__]
    piped = subprocess.run(
        [*command, "inspect", "-"], input=(corpus / "md3/static.md3").read_bytes(), capture_output=True
    )
    assert piped.returncode == 0 and b"md3" in piped.stdout


def test_the_files_of_a_player_travel_in_glb(corpus: Path) -> None:
    player = meshlens.open(corpus / "md3/player")
    again = meshlens.open(player.to_glb(textures=False), name="player.glb")
    for number, part in enumerate(["lower", "upper", "head"]):
        files = again.export("md3", node=number, name=part).files
        names = [f"{part}.md3", f"{part}_red.skin"] + (["animation.cfg"] if part != "head" else [])
        assert sorted(files) == sorted(names)
        for name in names:
            assert files[name] == (corpus / "md3/player" / name).read_bytes()
    bare = meshlens.open(player.to_glb(textures=False, carry=False), name="player.glb")
    assert list(bare.export("md3", node=2, name="head").files) == ["head.md3"]
