"""Opening models: sources, errors, and closing."""

from __future__ import annotations

import io
import os
import pickle
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import numpy as np
import pytest

import meshlens
from meshlens import FormatError, UnsupportedError


def test_the_same_model_from_every_kind_of_source(md3: bytes, tmp_path: Path) -> None:
    path = tmp_path / "square.md3"
    path.write_bytes(md3)
    sources = [str(path), path, md3, bytearray(md3), memoryview(md3), io.BytesIO(md3), np.frombuffer(md3, np.uint8)]
    for source in sources:
        scene = meshlens.open(source)  # type: ignore[arg-type]
        mesh = scene.meshes[0]
        assert (scene.format, scene.version, mesh.frame_count) == ("md3", "15", 2)
        assert mesh.positions(1).tolist() == [[0, 0, 4], [8, 0, 4], [8, 8, 4], [0, 8, 4]]
    with open(path, "rb") as file:
        assert meshlens.open(file).path == "square.md3"
    with pytest.raises(TypeError, match="open it with mode 'rb'"), open(path, encoding="latin-1") as text:
        meshlens.open(text)


def test_a_buffer_is_copied_because_others_can_change_it(md3: bytes) -> None:
    buffer = bytearray(md3)
    scene = meshlens.open(buffer)
    buffer.clear()  # would raise BufferError if the scene had a view of it
    assert scene.meshes[0].positions(0)[1].tolist() == [8, 0, 0]


def test_a_player_in_an_archive(corpus: Path, tmp_path: Path) -> None:
    archive = tmp_path / "pak0.pk3"
    with zipfile.ZipFile(archive, "w") as pk3:
        for file in (corpus / "md3/player").iterdir():
            pk3.write(file, f"models/players/block/{file.name}")
    scene = meshlens.open(f"{archive}!models/players/block")
    assert [node.name for node in scene.nodes] == ["lower", "upper", "head"]
    assert [node.attachment for node in scene.nodes] == [None, (0, "tag_torso"), (1, "tag_head")]
    assert [mesh.node for mesh in scene.meshes] == [0, 1, 2]
    mounted = meshlens.open("models/players/block", mount=archive)
    assert [node.name for node in mounted.nodes] == ["lower", "upper", "head"]
    both = next(clip for clip in scene.clips if clip.name == "BOTH_DEATH1")
    assert sorted(both.tracks) == [0, 1]
    # The legs and the torso play clips of their own.
    pose = scene.at({"LEGS_RUN": 0.1, "TORSO_STAND": 0.0})
    assert pose.matrix(1).shape == (4, 4)
    assert meshlens.models(archive) == [f"{archive}!models/players/block"]


@pytest.mark.parametrize("cut", [0, 4, 50, 107, 300])
def test_a_file_that_is_cut_off_is_an_error_with_its_place(md3: bytes, tmp_path: Path, cut: int) -> None:
    path = tmp_path / "cut.md3"
    path.write_bytes(md3[:cut])
    with pytest.raises(FormatError) as caught:
        meshlens.open(path)
    error = caught.value
    assert error.path == str(path) and str(path) in str(error)
    assert error.code is not None and error.offset is not None and error.format is not None
    again = pickle.loads(pickle.dumps(error))
    assert (str(again), again.offset, again.path) == (str(error), error.offset, error.path)


def test_errors_of_the_system_have_their_classes(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError) as caught:
        meshlens.open(tmp_path / "none.md3")
    assert caught.value.errno == 2 and caught.value.filename == str(tmp_path / "none.md3")
    with pytest.raises(OSError):
        meshlens.open(tmp_path)
    with pytest.raises(ValueError, match="null byte"):
        meshlens.open("a\0b.md3")
    with pytest.raises(FileNotFoundError):
        meshlens.open("\udcff.md3")  # a byte that is not UTF-8
    with pytest.raises(UnicodeEncodeError):
        meshlens.open("\ud800.md3")
    with pytest.raises(UnsupportedError):
        meshlens.open(b"RIFF\0\0\0\0WAVE")
    with pytest.raises(TypeError):
        meshlens.open(12)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="unexpected"):
        meshlens.inspect(b"", colour="red")
    archive = tmp_path / "x.pk3"
    archive.write_bytes(b"no archive")
    with pytest.raises(FormatError) as fault:
        meshlens.open(f"{archive}!x.md3")
    assert fault.value.format == "zip"


@pytest.mark.skipif(os.name == "nt" or os.getuid() == 0, reason="every file can be read")
def test_a_file_without_permission(md3: bytes, tmp_path: Path) -> None:
    path = tmp_path / "secret.md3"
    path.write_bytes(md3)
    path.chmod(0)
    with pytest.raises(PermissionError):
        meshlens.open(path)


def test_an_encrypted_file_needs_its_password(corpus: Path) -> None:
    path = corpus / "u3d/v2_static_aes.u3d"
    with pytest.raises(UnsupportedError) as caught:
        meshlens.open(path)
    assert caught.value.format == "u3d"
    with pytest.raises(FormatError):
        meshlens.open(path, password="wrong")


def test_a_limit_on_memory(corpus: Path) -> None:
    with pytest.raises(meshlens.MemoryLimitError) as caught:
        meshlens.open(corpus / "md3/animated.md3", memory_limit=100)
    assert isinstance(caught.value, MemoryError)


def test_closing_waits_for_views(md3: bytes, tmp_path: Path) -> None:
    path = tmp_path / "square.md3"
    path.write_bytes(md3)
    for mapped in (False, True):
        scene = meshlens.open(path, map=mapped)
        mesh = scene.meshes[0]
        array = mesh.array("positions", frame=1)
        assert array is not None
        raw = array.raw
        view = raw[1:, :2]
        del raw
        with pytest.raises(BufferError, match="1 views"):
            scene.close()
        assert view.tolist() == [[512, 0], [512, 512], [0, 512]]
        del view
        scene.close()
        assert scene.closed and "closed" in repr(scene) and "closed" in repr(mesh)
        for call in (mesh.positions, array.decode, lambda: array.raw, lambda: scene.nodes, mesh.vertices):
            with pytest.raises(ValueError, match="closed"):
                call()  # type: ignore[operator]
        scene.close()
    with meshlens.open(path) as scene:
        assert not scene.closed
    assert scene.closed
    with pytest.raises(ValueError, match="closed"), scene:
        pass


def test_scenes_and_results_are_pickled(md3: bytes, tmp_path: Path) -> None:
    path = tmp_path / "square.md3"
    path.write_bytes(md3)
    for scene in (meshlens.open(path), meshlens.open(md3, name="square.md3")):
        again = pickle.loads(pickle.dumps(scene))
        assert again.meshes[0].positions(1).tolist() == scene.meshes[0].positions(1).tolist()
        for value in (*scene.nodes[0].clips, *scene.clips, *scene.materials, scene.space):
            assert pickle.loads(pickle.dumps(value)) == value
    found = meshlens.inspect(path)
    assert pickle.loads(pickle.dumps(found)) == found
    with pytest.raises(TypeError, match="pickled"):
        pickle.dumps(meshlens.open(io.BytesIO(md3)))


def test_a_panic_is_an_exception() -> None:
    from meshlens import _meshlens

    with pytest.raises(meshlens.InternalError, match="planted"):
        _meshlens._plant_panic()


def test_a_second_interpreter_is_refused() -> None:
    program = """
try:
    import _interpreters as interpreters
except ImportError:
    import _xxsubinterpreters as interpreters
import meshlens
second = interpreters.create()
try:
    refused = interpreters.run_string(second, "import meshlens")
except interpreters.RunFailedError as error:
    refused = error
interpreters.destroy(second)
print(refused, meshlens.version())
"""
    run = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert run.returncode == 0 and "ImportError" in run.stdout and run.stdout.endswith(f" {meshlens.version()}\n"), run


def test_inspect_and_validate(md3: bytes) -> None:
    found = meshlens.inspect(md3, name="square.md3")
    assert (found.path, found.format, found.version) == ("square.md3", "md3", "15")
    assert (found.frames, found.surfaces, found.vertices, found.triangles, found.tags) == (2, 1, 4, 2, 0)
    assert found.bytes == len(md3) and found.bounds == ((0, 0, 0), (8, 8, 0))
    # The triangles begin at OFS_TRIANGLES of the first surface (MD3: Surface), at byte 88 of its header.
    surface = int.from_bytes(md3[100:104], "little")
    triangles = surface + int.from_bytes(md3[surface + 88 : surface + 92], "little")
    broken = bytearray(md3)
    broken[triangles : triangles + 4] = (99).to_bytes(4, "little")
    first = meshlens.validate(broken)[0]
    assert (first.severity, first.code, first.offset) == ("error", "INDEX_OUT_OF_RANGE", triangles)
    assert "INDEX_OUT_OF_RANGE" in str(first) and pickle.loads(pickle.dumps(first)) == first
    scene = meshlens.open(broken)
    with pytest.raises(FormatError) as caught:
        scene.meshes[0].triangles()
    assert caught.value.offset == triangles
    assert meshlens.validate(md3[:60])[0].severity == "error"
    assert meshlens.validate(broken, limit=0) == []


def test_a_player_is_inspected_whole(corpus: Path, tmp_path: Path) -> None:
    player = corpus / "md3/player"
    parts = [meshlens.inspect(player / f"{part}.md3") for part in ("lower", "upper", "head")]
    whole = meshlens.inspect(player)
    assert whole.vertices == sum(part.vertices for part in parts) > parts[0].vertices
    assert whole.frames == max(part.frames for part in parts) and whole.bounds is None
    # The findings are those of all parts.
    broken = tmp_path / "broken"
    shutil.copytree(player, broken)
    (broken / "head.md3").write_bytes((broken / "head.md3").read_bytes()[:200])
    assert [found.severity for found in meshlens.validate(broken)][:1] == ["error"]


def test_a_format_of_one_model_takes_one_node(corpus: Path) -> None:
    with meshlens.open(corpus / "md3/player") as player:
        with pytest.raises(ValueError, match="md3 holds one of the nodes lower, upper, head"):
            player.export("md3")
        assert list(player.export("md3", node=2).files) == ["head.md3"]


def test_paths_that_models_returns_open_with_mounts(corpus: Path) -> None:
    for path in meshlens.models(corpus / "md3/models.pk3"):
        with meshlens.open(path, mount=[corpus]) as scene:
            assert scene.meshes


def test_a_glb_is_validated_elsewhere(md3: bytes, tmp_path: Path) -> None:
    path = tmp_path / "x.glb"
    path.write_bytes(meshlens.open(md3).to_glb())
    with pytest.raises(UnsupportedError, match="the glTF-Validator of Khronos does it, and the findings of open") as caught:
        meshlens.validate(path)
    error = caught.value
    assert (error.format, error.code, error.path, error.offset) == ("gltf", "UNSUPPORTED", str(path), None)
    assert str(error).startswith(f"{path}: glTF files are not validated here: ")
    assert len(meshlens.open(path).meshes) == 1


def test_companion_files_are_found(corpus: Path, tmp_path: Path) -> None:
    shutil.copytree(corpus / "md3/player", tmp_path / "player")
    scene = meshlens.open(tmp_path / "player")
    assert any(name.endswith("animation.cfg") for name, _ in scene.files)
    clip = next(clip for clip in scene.nodes[0].clips if clip.name == "LEGS_RUN")
    assert clip.rate > 0 and not clip.is_rate_assumed


def test_models_of_a_script_can_be_opened(corpus: Path) -> None:
    script = str(corpus / "unreal/Classes/Crates.uc")
    found = meshlens.models(script)
    assert found == [f"{script}!walk", f"{script}!run"]
    frames = [[mesh.frame_count for mesh in meshlens.open(path).meshes] for path in found]
    # The scripts of the meshes name files of four and of two frames.
    assert frames == [[4], [2]]


def test_an_exception_is_not_replaced_when_the_scene_closes(md3: bytes) -> None:
    with pytest.raises(ZeroDivisionError):
        with meshlens.open(md3) as scene:
            raw = scene.arrays[0].raw
            1 / 0
    assert raw.size
    with pytest.raises(BufferError), meshlens.open(md3) as scene:
        raw = scene.arrays[0].raw


def test_height_maps_of_materials(corpus: Path, tmp_path: Path) -> None:
    (tmp_path / "sky.u3d").write_bytes((corpus / "u3d/v2_static.u3d").read_bytes())
    # One white pixel.
    (tmp_path / "bumps.tga").write_bytes(bytes([0, 0, 2, *[0] * 9, 1, 0, 1, 0, 24, 0, 255, 255, 255]))
    scene = meshlens.open(tmp_path / "sky.u3d")
    skin, sky = scene.materials
    assert skin.height_map is None and (sky.texture_set, sky.nearest) == (0, False)
    assert sky.height_map == meshlens.HeightMap("bumps.tga", 0.5, 0)
    found = scene.texture(sky.height_map)
    assert found is not None and found[0] == "image/png"
    again = meshlens.Model("again", space="u3d")
    assert again.add_material(sky) == 0


def test_normal_maps_beside_textures(corpus: Path, tmp_path: Path) -> None:
    (tmp_path / "ring.md3").write_bytes((corpus / "md3/animated.md3").read_bytes())
    (tmp_path / "textures").mkdir()
    for name in ("ring.tga", "ring_n.tga"):
        (tmp_path / "textures" / name).write_bytes(bytes([0, 0, 2, *[0] * 9, 1, 0, 1, 0, 24, 0, 255, 128, 128]))
    scene = meshlens.open(tmp_path / "ring.md3")
    ring = scene.materials[0]
    assert ring.normal_map == meshlens.NormalMap(image_path="textures/ring_n.tga", is_y_down=True)
    found = scene.texture(ring.normal_map)
    assert found is not None and found[0] == "image/png"
    assert scene.texture(meshlens.NormalMap()) is None
    again = meshlens.Model("again", space="md3")
    assert again.add_material(ring) == 0 and again.scene().materials == [ring]


def test_the_command_says_what_makes_tables() -> None:
    run = subprocess.run([sys.executable, "-m", "meshlens", "census", "x"], capture_output=True, text=True, env=os.environ | {"PATH": ""})
    assert run.returncode != 0 and "pip install 'meshlens[ray]'" in run.stderr, run


def test_both_files_of_an_unreal_mesh_in_one(corpus: Path) -> None:
    one, two = (meshlens.open(corpus / "unreal/Models" / name) for name in ("ring.umsh", "ring_d.3d"))
    assert (one.format, len(one.files)) == ("unreal", 1)
    for mine, theirs in zip(one.meshes, two.meshes, strict=True):
        assert np.array_equal(mine.positions(slice(None)), theirs.positions(slice(None)))
        assert np.array_equal(mine.triangles(), theirs.triangles())
    assert [array.encoding for array in one.arrays] == [array.encoding for array in two.arrays]


def test_glb_comes_back_as_nodes(corpus: Path) -> None:
    player = meshlens.open(corpus / "md3/player")
    glb = player.to_glb()
    again = meshlens.open(glb, name="player.glb")
    assert [(node.name, node.attachment) for node in again.nodes] == [
        (node.name, node.attachment) for node in player.nodes
    ]
    assert np.allclose(again.at().bounds(space="gltf"), player.at().bounds(space="gltf"), atol=1e-3)
    [whole] = meshlens.open(glb, name="player.glb", to="u3d").nodes
    assert len(whole.meshes) == len(player.meshes) and np.array_equal(whole.transform, np.eye(4))
    with pytest.raises(ValueError, match="is not written"):
        meshlens.open(glb, name="player.glb", to="obj")
