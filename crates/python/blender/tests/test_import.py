# SPDX-License-Identifier: GPL-3.0-or-later
"""Every vertex of every frame in Blender against the positions that the package gives."""

import json
import os
from pathlib import Path

import bpy
import meshlens
import numpy as np
import pytest
from conftest import CORPUS, ROOT, load, models_of, real_models, show, world_positions
from meshlens_blender import actions, meshes

#: Blender computes in float32.
EXACT, SKINNED = 1e-6, 2e-5


def pairs(scene, objects):
    """The mesh of the package and the object of Blender for each mesh of a scene."""
    made = [obj for obj in objects if obj.type == "MESH"]
    found = list(scene.meshes)
    assert len(made) == len(found)
    order = {name: [] for name in {obj.get("meshlens_mesh") for obj in made}}
    for obj in made:
        order[obj["meshlens_mesh"]].append(obj)
    return [(mesh, order[f"{mesh.node}/{mesh.index}"][0]) for mesh in found]


def compare(scene, objects, scale, pose, label):
    """Compares all vertices of what is shown with a pose."""
    worst = 0.0
    for mesh, obj in pairs(scene, objects):
        expected = pose.positions(mesh, space="blender", scale=scale)
        if not len(expected):
            continue
        if not np.isfinite(expected).all():
            continue
        points = mesh.points
        found = world_positions(obj)
        found = found if points is None else found[points]
        size = max(float(np.abs(expected).max()), 1e-6)
        off = float(np.abs(found - expected).max()) / size
        assert off <= (SKINNED if mesh.is_skinned or mesh.node > 0 else EXACT), (label, mesh, off)
        worst = max(worst, off)
    return worst


def compare_frame(scene, objects, frame, label):
    """Compares all points of what is shown with a stored frame."""
    for mesh, obj in pairs(scene, objects):
        node = scene.nodes[mesh.node]
        matrix = node.space.matrix_to("blender").astype(np.float64) @ node.placement
        stored = mesh.positions(min(frame, mesh.frame_count - 1)).astype(np.float64)
        expected = stored @ matrix[:3, :3].T + matrix[:3, 3]
        if len(expected) and np.isfinite(expected).all():
            off = np.abs(world_positions(obj) - expected).max() / max(np.abs(expected).max(), 1e-6)
            assert off <= EXACT, (label, mesh, off)


def check(path, frames="AUTO", every=1, **options):
    scene = meshlens.open(path)
    # Frames of the clips are whole frames of the scene, if they have one rate.
    rates = {track.rate for clip in scene.clips for track in clip.tracks.values()}
    if len(rates) == 1 and (rate := rates.pop()) == int(rate):
        bpy.context.scene.render.fps = int(rate)
    objects = load(path, unit="UNITS", frames=frames, whole_player=False, **options)
    report = "".join(text.as_string() for text in bpy.data.texts)
    if "shear bones" in report or "may move wrongly" in report:
        # The report tells that bones of Blender cannot move so.
        assert any(joint.scale != (1, 1, 1) for node in scene.nodes for joint in node.joints) or scene.meshes[0].is_skinned
        return 0
    compared = 0
    for clip in scene.clips:
        for node, track in clip.tracks.items():
            if track.animation is None and scene.nodes[node].frame_count < 2:
                continue
            for frame in range(0, track.count, every):
                time = frame / track.rate
                show(objects, clip.name, time)
                if len(scene.nodes) > 1:
                    continue
                if track.animation is None and not scene.nodes[node].joints:
                    compare_frame(scene, objects, track.frames[frame], (path, clip.name, frame))
                else:
                    compare(scene, objects, 1.0, scene.at(clip.name, time), (path, clip.name, frame))
                compared += 1
    if not scene.clips:
        for mesh, obj in pairs(scene, objects):
            blocks = obj.data.shape_keys.key_blocks if mesh.frame_count > 1 else []
            for number, block in enumerate(blocks):
                found = np.empty(len(block.points) * 3, np.float32)
                block.points.foreach_get("co", found)
                expected = mesh.positions(number) @ scene.space.matrix_to("blender")[:3, :3].T
                assert np.allclose(found.reshape(-1, 3), expected, atol=1e-6), (path, number)
    return compared


FILES = [path for path in models_of(CORPUS) if path.suffix == ".md3" or path.suffix != ".uc"]


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(CORPUS)))
def test_every_vertex_of_every_frame_of_the_corpus(path):
    if "aes" in path.name:
        with pytest.raises(RuntimeError):
            load(path)
        assert not bpy.data.objects and not bpy.data.meshes
        return
    try:
        meshlens.open(path)
    except (ValueError, OSError, meshlens.UnsupportedError) as error:
        with pytest.raises(RuntimeError, match=str(error)[:20].replace("[", ".").replace("(", ".")):
            load(path, whole_player=False)
        assert not bpy.data.objects and not bpy.data.meshes
        return
    check(path)


def test_errors_say_what_they_mean_before_the_place(tmp_path):
    whole = (CORPUS / "md3/static.md3").read_bytes()
    for name, content, meaning in [
        ("short.md3", whole[:-9], r"the file is cut short \(.*short.md3: .* at 0x"),
        ("pointer.md3", b"version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 1\n", "was not downloaded"),
        ("text.md3", b"hello, this is no model", "not a game mesh"),
    ]:
        (tmp_path / name).write_bytes(content)
        with pytest.raises(RuntimeError, match=meaning):
            load(tmp_path / name)


@pytest.mark.parametrize("path", real_models(), ids=lambda path: "/".join(path.parts[-4:]))
def test_real_files(path):
    try:
        scene = meshlens.open(path)
    except Exception:
        with pytest.raises(RuntimeError):
            load(path, whole_player=False)
        assert not bpy.data.objects
        return
    vertices = sum(mesh.vertex_count for mesh in scene.meshes)
    frames = sum(track.count for clip in scene.clips for track in clip.tracks.values())
    check(path, every=max(1, vertices * frames // 400_000))


def test_real_md3_files_are_as_an_independent_reader_has_them():
    folder = os.environ.get("MESHLENS_REAL")
    if not folder:
        pytest.skip("MESHLENS_REAL names no folder of real files")
    count = 0
    for line in (Path(folder) / "expected/md3.jsonl").read_text().splitlines():
        expected = json.loads(line)
        bpy.ops.wm.read_factory_settings(use_empty=True)
        if not sum(surface["positions"]["shape"][1] for surface in expected["surfaces"]):
            continue
        objects = load(Path(folder) / expected["uri"], unit="UNITS", frames="KEYS", whole_player=False, textures=False)
        made = sorted(
            (obj for obj in objects if obj.type == "MESH"), key=lambda obj: int(obj["meshlens_mesh"].split("/")[1])
        )
        assert len(made) == len(expected["surfaces"])
        for obj, surface in zip(made, expected["surfaces"]):
            stored, mesh = surface["positions"], obj.data
            blocks = [block.points for block in mesh.shape_keys.key_blocks] if mesh.shape_keys else [mesh.vertices]
            found = np.empty((len(blocks), len(mesh.vertices) * 3), np.float32)
            for block, out in zip(blocks, found):
                block.foreach_get("co", out)
            found = found.reshape(len(blocks), -1, 3)
            assert list(found.shape) == stored["shape"]
            if found.size:
                # Quake 3 looks along X, and models in Blender along -Y.
                found = np.stack([-found[..., 1], found[..., 0], found[..., 2]], -1)
                assert found.min((0, 1)).tolist() == stored["min"] and found.max((0, 1)).tolist() == stored["max"]
                assert np.allclose(found.astype(np.float64).mean((0, 1)), stored["mean"], atol=1e-4)
                count += 1
    assert count > 300


def test_a_mesh_cache_has_the_same_frames(tmp_path):
    assert check(CORPUS / "md3/animated.md3", frames="CACHE", cache_folder=str(tmp_path)) > 0
    assert list(tmp_path.glob("*.pc2"))
    assert not any(obj.data.shape_keys for obj in bpy.data.objects if obj.type == "MESH")


def test_a_player_is_joined_at_its_tags():
    objects = load(CORPUS / "md3/player/lower.md3", unit="METERS")
    scene = meshlens.open(CORPUS / "md3/player")
    scale = scene.space.meters
    assert len([obj for obj in objects if obj.type == "MESH"]) == 3
    for legs, torso in (("LEGS_WALK", "TORSO_STAND"), ("LEGS_IDLE", "TORSO_ATTACK")):
        # Between frames, tags of Blender turn on another path than those of the package.
        show(objects, legs, 0.0)
        show(objects, torso, 0.0)
        compare(scene, objects, scale, scene.at({legs: 0.0, torso: 0.0}), (legs, torso))
    weapon = bpy.data.objects["tag_weapon"]
    show(objects, "LEGS_IDLE", 0)
    show(objects, "TORSO_STAND", 0)
    bpy.context.view_layer.update()
    socket = scene.at({"LEGS_IDLE": 0.0, "TORSO_STAND": 0.0}).socket("tag_weapon", space="blender", scale=scale)
    axes = scene.space.matrix_to("blender", scale)
    assert np.allclose(np.array(weapon.matrix_world) @ axes, socket, atol=1e-5)


def test_clips_are_actions_with_names_and_rates():
    objects = load(CORPUS / "gallery/walker.u3d")
    rig = next(obj for obj in objects if obj.type == "ARMATURE")
    assert rig.animation_data.action.name == "walk"
    assert rig.animation_data.action[actions.RATE] == 10 and rig.animation_data.action[actions.COUNT] == 8
    assert {tuple(round(x, 4) for x in bone.matrix_local.to_scale()) for bone in rig.data.bones} == {(1, 1, 1)}
    mesh = next(obj for obj in objects if obj.type == "MESH")
    assert len(mesh.vertex_groups) == len(rig.data.bones) == 4
    weights = [sum(group.weight for group in vertex.groups) for vertex in mesh.data.vertices]
    assert np.allclose(weights, 1, atol=1e-5)


def test_keys_lie_at_whole_positions():
    load(CORPUS / "gallery/flag.md3")
    keys = bpy.data.meshes["flag"].shape_keys
    assert not keys.use_relative
    assert [block.frame for block in keys.key_blocks] == [meshes.KEY_STEP * number for number in range(8)]
    assert bpy.data.actions["all"].frame_range[1] == pytest.approx(1 + 7 * 24 / 10)


def test_materials_have_textures_and_properties():
    load(CORPUS / "gallery/crate.md3")
    material = bpy.data.materials["crate.tga"]
    shader = material.node_tree.nodes["Principled BSDF"]
    image = shader.inputs["Base Color"].links[0].from_node.image
    assert image.size[0] > 1 and image.packed_file is not None and material.use_backface_culling
    bpy.ops.wm.read_factory_settings(use_empty=True)
    load(CORPUS / "unreal/Models/figure_d.3d")
    material = bpy.data.materials["Jfigure"]
    assert material["meshlens_alpha"] == "mask" and material["meshlens_texture"].endswith("a figure.pcx")


def test_polygon_types_are_attributes_of_faces_and_properties_of_materials():
    path = CORPUS / "unreal/Models/ring_d.3d"
    load(path)
    mesh = next(obj.data for obj in bpy.data.objects if obj.type == "MESH")
    types = np.empty(len(mesh.polygons), np.int32)
    mesh.attributes["polygon_type"].data.foreach_get("value", types)
    assert types.tolist() == meshlens.open(path).meshes[0].triangle_types().tolist()
    for material in mesh.materials:
        # 16 is the type of surfaces without light; two-sided surfaces have no culling.
        assert bool(material["polygon_type"] & 16) == ("unlit" in material.name) == ("meshlens_unlit" in material)
        assert material.use_backface_culling != ("two-sided" in material.name) or "(normal" not in material.name


def test_normals_and_texcoords():
    load(CORPUS / "gallery/crate.md3", unit="UNITS")
    scene = meshlens.open(CORPUS / "gallery/crate.md3")
    mesh, made = scene.meshes[0], bpy.data.meshes["crate"]
    corners = mesh.triangles("blender").ravel()
    texcoords = np.empty(len(made.loops) * 2, np.float32)
    made.uv_layers[0].uv.foreach_get("vector", texcoords)
    expected = mesh.texcoords()[corners]
    assert np.allclose(texcoords.reshape(-1, 2), np.stack([expected[:, 0], 1 - expected[:, 1]], 1))
    normals = np.empty(len(made.loops) * 3, np.float32)
    made.corner_normals.foreach_get("vector", normals)
    assert np.allclose(normals.reshape(-1, 3), mesh.vertices(space="blender")["normals"][corners], atol=1e-3)
    faces = np.empty(len(made.polygons) * 3, np.float32)
    made.polygons.foreach_get("normal", faces)
    # Front faces are outside.
    centers = np.array([polygon.center for polygon in made.polygons])
    assert ((faces.reshape(-1, 3) * (centers - centers.mean(0))).sum(1) > 0).all()


def test_entries_of_archives():
    archive = CORPUS / "md3/models.pk3"
    with pytest.raises(RuntimeError, match="3 models; name one as the entry: models/deflated.md3"):
        load(archive)
    assert not bpy.data.objects
    assert load(archive, entry="models/stored.md3")
    bpy.ops.wm.read_factory_settings(use_empty=True)
    load(archive, entry="*")
    assert len([obj for obj in bpy.data.objects if obj.parent is None]) == 3


def test_meshes_of_scripts():
    script = CORPUS / "unreal/Classes/Crates.uc"
    with pytest.raises(RuntimeError, match="2 models; name one as the entry: walk, run"):
        load(script)
    assert load(script, entry="run")


def test_folders():
    assert bpy.ops.import_scene.meshlens_folder(directory=str(CORPUS / "gallery")) == {"FINISHED"}
    assert len([obj for obj in bpy.data.objects if obj.parent is None]) >= 10
    with pytest.raises(RuntimeError, match="no models"):
        bpy.ops.import_scene.meshlens_folder(directory=str(ROOT / "crates/python/blender/tests"))


def test_parts_and_skins():
    objects = load(CORPUS / "md3/player/lower.md3", parts="head", skin="red")
    assert [obj.name for obj in objects if obj.type == "MESH"] == ["h_head"]
    bpy.ops.wm.read_factory_settings(use_empty=True)
    with pytest.raises(RuntimeError, match="the parts are lower, upper, head"):
        load(CORPUS / "md3/player/lower.md3", parts="tail")
    assert not bpy.data.objects


@pytest.mark.parametrize("size", [0, 7, 60, 200, 900])
def test_broken_files_leave_the_scene_as_it_was(tmp_path, size):
    load(CORPUS / "gallery/crate.md3")
    before = sorted(block.name for block in [*bpy.data.objects, *bpy.data.meshes, *bpy.data.materials])
    broken = tmp_path / "broken.md3"
    broken.write_bytes((CORPUS / "gallery/walker.md3").read_bytes()[:size])
    with pytest.raises(RuntimeError, match="Error: "):
        load(broken)
    assert sorted(block.name for block in [*bpy.data.objects, *bpy.data.meshes, *bpy.data.materials]) == before
    assert "broken" in bpy.data.texts["Meshlens report"].as_string()


def test_files_are_saved_and_read_again(tmp_path):
    path = CORPUS / "gallery/walker.mesh"
    load(path, unit="UNITS")
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "saved.blend"))
    bpy.ops.wm.read_factory_settings(use_empty=True)
    bpy.ops.wm.open_mainfile(filepath=str(tmp_path / "saved.blend"))
    scene, objects = meshlens.open(path), list(bpy.context.scene.objects)
    for frame in range(8):
        show(objects, "walk", frame / 10)
        compare(scene, objects, 1.0, scene.at("walk", frame / 10), frame)


def test_an_import_is_undone_and_done_again():
    with bpy.context.temp_override(window=bpy.context.window_manager.windows[0]):
        bpy.ops.ed.undo_push(message="before")
        bpy.ops.import_scene.meshlens("EXEC_DEFAULT", True, filepath=str(CORPUS / "gallery/flag.md3"))
        assert "flag" in bpy.data.meshes
        bpy.ops.ed.undo()
        assert "flag" not in bpy.data.meshes and not bpy.data.actions
        bpy.ops.ed.redo()
        assert "flag" in bpy.data.meshes and "all" in bpy.data.actions


def test_the_addon_is_registered_and_removed_twice():
    import meshlens_blender

    for _ in range(2):
        meshlens_blender.unregister()
        assert not hasattr(bpy.types, "IMPORT_SCENE_OT_meshlens")
        meshlens_blender.register()
        assert hasattr(bpy.types, "IMPORT_SCENE_OT_meshlens")


def test_normal_maps_of_materials(tmp_path: Path) -> None:
    (tmp_path / "ring.md3").write_bytes((CORPUS / "md3/animated.md3").read_bytes())
    (tmp_path / "textures").mkdir()
    for name in ("ring.tga", "ring_n.tga"):
        # One pixel, whose normal leans down: ioquake3's y is inverted.
        (tmp_path / "textures" / name).write_bytes(bytes([0, 0, 2, *[0] * 9, 1, 0, 1, 0, 24, 0, 204, 230, 128]))
    objects = load(tmp_path / "ring.md3")
    tree = next(obj for obj in objects if obj.type == "MESH").material_slots[0].material.node_tree
    (turned,) = [node for node in tree.nodes if node.bl_idname == "ShaderNodeNormalMap"]
    image = turned.inputs["Color"].links[0].from_node.image
    assert image.name == "ring_n.tga" and image.colorspace_settings.name == "Non-Color"
    assert [round(value * 255) for value in image.pixels[:3]] == [128, 25, 204]
