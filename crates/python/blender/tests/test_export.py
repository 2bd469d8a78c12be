# SPDX-License-Identifier: GPL-3.0-or-later
"""Exports against the files that were imported, and against scenes made in Blender."""

import bpy
import meshlens
import numpy as np
import pytest
from conftest import CORPUS, load


def export(path, **options):
    options.setdefault("scope", "SCENE")
    assert bpy.ops.export_scene.meshlens(filepath=str(path), **options) == {"FINISHED"}
    return path


def corners(scene, pose, space="blender"):
    """The position of each corner of each triangle, in the order of the files."""
    found = [pose.positions(mesh, space=space)[mesh.triangles(space)].reshape(-1, 3) for mesh in scene.meshes]
    return np.concatenate(found)


def same(first, second, clip, tolerance, rename=None):
    """Compares every corner of every frame of a clip of two files."""
    a, b = meshlens.open(first), meshlens.open(second)
    if isinstance(second, tuple):
        b = meshlens.open(*second)
    track = next(iter(next(c for c in a.clips if c.name == clip).tracks.values()))
    for frame in range(track.count):
        time = frame / track.rate
        expected, found = corners(a, a.at(clip, time)), corners(b, b.at(rename or clip, time))
        assert expected.shape == found.shape
        assert np.abs(expected - found).max() <= tolerance, (clip, frame)
    return b


@pytest.mark.parametrize("name", ["gallery/flag.md3", "gallery/walker.md3", "md3/animated.md3"])
def test_md3_comes_back(name, tmp_path):
    load(CORPUS / name, unit="UNITS")
    export(tmp_path / "again.md3", format="md3", clips="ACTIONS", unit="UNITS")
    again = same(CORPUS / name, tmp_path / "again.md3", "all", 1 / 128 + 1e-5)
    first = meshlens.open(CORPUS / name)
    assert [mesh.triangle_count for mesh in again.meshes] == [mesh.triangle_count for mesh in first.meshes]
    assert [mesh.vertex_count for mesh in again.meshes] <= [mesh.vertex_count for mesh in first.meshes]
    assert [material.name for material in again.materials] == [material.name for material in first.materials]
    for mine, theirs in zip(again.meshes, first.meshes):
        mine_uv = mine.texcoords()[mine.triangles()]
        assert np.allclose(mine_uv, theirs.texcoords()[theirs.triangles()], atol=1e-6)


def test_tags_come_back(tmp_path):
    load(CORPUS / "md3/tagged.md3", unit="METERS")
    export(tmp_path / "again.md3", format="md3", clips="ACTIONS", unit="METERS")
    first, again = meshlens.open(CORPUS / "md3/tagged.md3"), meshlens.open(tmp_path / "again.md3")
    assert [tag.name for tag in again.tags] == [tag.name for tag in first.tags]
    for mine, theirs in zip(again.tags, first.tags):
        assert mine.frame_count == theirs.frame_count
        assert np.allclose(mine.matrix(slice(None)), theirs.matrix(slice(None)), atol=2e-2)


def test_a_part_of_a_player_comes_back(tmp_path):
    load(CORPUS / "md3/player/lower.md3", unit="METERS")
    bpy.context.view_layer.objects.active = bpy.data.objects["upper"]
    export(tmp_path / "upper.md3", format="md3", clips="NONE", scope="PART")
    again, first = meshlens.open(tmp_path / "upper.md3"), meshlens.open(CORPUS / "md3/player/upper.md3")
    assert [mesh.name for mesh in again.meshes] == ["u_torso"]
    assert sorted(tag.name for tag in again.tags) == ["tag_head", "tag_torso", "tag_weapon"]
    rest = meshlens.open(CORPUS / "md3/player").nodes[1].rest_frame
    assert np.allclose(
        again.meshes[0].positions()[again.meshes[0].triangles()],
        first.meshes[0].positions(rest)[first.meshes[0].triangles()],
        atol=1 / 64,
    )


def test_the_clips_of_a_part_come_back(tmp_path):
    load(CORPUS / "md3/player/lower.md3", unit="UNITS")
    bpy.context.view_layer.objects.active = bpy.data.objects["u_torso"]
    export(tmp_path / "upper.md3", format="md3", clips="ACTIONS", scope="PART", unit="UNITS")
    assert (tmp_path / "animation.cfg").exists()
    player, again = meshlens.open(CORPUS / "md3/player"), meshlens.open(tmp_path / "upper.md3")
    torso = player.nodes[1]
    clips = {clip.name: next(iter(clip.tracks.values())) for clip in again.clips}
    assert set(clips) == {clip.name for clip in torso.clips}
    for clip in torso.clips:
        mine, first = again.meshes[0], torso.meshes[0]
        for theirs, own in zip(clip.frames, clips[clip.name].frames):
            a, b = first.positions(theirs)[first.triangles()], mine.positions(own)[mine.triangles()]
            assert np.allclose(a, b, atol=1 / 64), clip


def test_a_whole_player_comes_back(tmp_path):
    load(CORPUS / "md3/player/lower.md3", unit="UNITS")
    bpy.context.view_layer.objects.active = bpy.data.objects["u_torso"]
    export(tmp_path / "any.md3", format="md3", scope="PLAYER", unit="UNITS")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["animation.cfg", "head.md3", "lower.md3", "upper.md3"]
    first, again = meshlens.open(CORPUS / "md3/player"), meshlens.open(tmp_path)
    assert {clip.name for clip in again.clips} == {clip.name for clip in first.clips} and len(again.clips) == 25
    for mine, theirs in zip(again.nodes, first.nodes, strict=True):
        assert (mine.name, mine.attachment) == (theirs.name, theirs.attachment)
        for a, b in zip(sorted(mine.clips, key=str), sorted(theirs.clips, key=str), strict=True):
            assert (a.name, a.count, a.rate) == (b.name, b.count, b.rate)
    for clip in first.clips:
        same(CORPUS / "md3/player", tmp_path, clip.name, 1 / 16)
    with pytest.raises(RuntimeError, match="a whole player is exported as MD3"):
        export(tmp_path / "any_d.3d", format="unreal", scope="PLAYER")


def test_every_clip_is_kept_by_default(tmp_path):
    load(CORPUS / "md3/player/lower.md3", unit="UNITS")
    bpy.context.view_layer.objects.active = bpy.data.objects["upper"]
    export(tmp_path / "upper.md3", format="md3", scope="PART", unit="UNITS")
    kept = {clip.name for clip in meshlens.open(tmp_path / "upper.md3").clips}
    assert kept == {clip.name for clip in meshlens.open(CORPUS / "md3/player").nodes[1].clips}


def test_unreal_comes_back(tmp_path):
    load(CORPUS / "gallery/walker_d.3d", unit="METERS")
    export(tmp_path / "walker_d.3d", format="unreal", clips="ACTIONS", unit="METERS")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["walker.uc", "walker_a.3d", "walker_d.3d"]
    size = np.ptp(corners(s := meshlens.open(CORPUS / "gallery/walker_d.3d"), s.at()), 0).max()
    same(CORPUS / "gallery/walker_d.3d", tmp_path / "walker_d.3d", "walk", size / 400)


@pytest.mark.parametrize("format, suffix", [("u3d", ".u3d"), ("unigine", ".mesh")])
def test_skeletons_come_back(format, suffix, tmp_path):
    source = CORPUS / f"gallery/walker{suffix}"
    load(source, unit="UNITS")
    path = export(tmp_path / f"actor{suffix}", format=format, clips="ACTIONS", unit="UNITS")
    again = meshlens.open(path)
    assert again.meshes[0].is_skinned and len(again.nodes[0].joints) == 4
    assert [joint.name for joint in again.nodes[0].joints] == [j.name for j in meshlens.open(source).nodes[0].joints]
    size = np.ptp(corners(s := meshlens.open(source), s.at()), 0).max()
    same(source, path, "walk", size * 2e-3)
    if format == "unigine":
        assert (tmp_path / "actor_walk.anim").exists()


def test_a_skeleton_becomes_vertex_frames(tmp_path):
    load(CORPUS / "gallery/walker.u3d", unit="UNITS")
    export(tmp_path / "actor.md3", format="md3", clips="ACTIONS", unit="UNITS")
    again = meshlens.open(tmp_path / "actor.md3")
    assert again.meshes[0].frame_count == 8 and not again.meshes[0].is_skinned
    first = meshlens.open(CORPUS / "gallery/walker.u3d")
    for frame in range(8):
        expected, found = corners(first, first.at("walk", frame / 10)), corners(again, again.at("walk", frame / 10))
        assert np.abs(expected - found).max() < 1 / 64


def cube(name="cube", size=1.0):
    bpy.ops.mesh.primitive_cube_add(size=size)
    bpy.context.object.name = name
    return bpy.context.object


def test_modifiers_and_curves_are_evaluated(tmp_path):
    obj = cube(size=16)
    obj.modifiers.new("Subdivision", "SUBSURF").levels = 2
    obj.keyframe_insert("location", frame=1)
    obj.location = (0, 0, 32)
    obj.keyframe_insert("location", frame=5)
    obj.location = (0, 0, 0)
    bpy.context.scene.frame_start, bpy.context.scene.frame_end = 1, 5
    bpy.context.scene.frame_set(3)
    export(tmp_path / "box.md3", format="md3", clips="RANGE", unit="UNITS", scope="SELECTION")
    assert bpy.context.scene.frame_current == 3
    mesh = meshlens.open(tmp_path / "box.md3").meshes[0]
    assert mesh.frame_count == 5 and mesh.triangle_count == 6 * 16 * 2
    middle = [np.mean([np.array(mesh.bounds(f)[0]), np.array(mesh.bounds(f)[1])], 0)[2] for f in (0, 4)]
    assert middle == pytest.approx([0, 32], abs=0.1)


def test_markers_are_clips(tmp_path):
    obj = cube(size=16)
    obj.keyframe_insert("location", frame=1)
    obj.location.z = 9
    obj.keyframe_insert("location", frame=10)
    scene = bpy.context.scene
    scene.frame_start, scene.frame_end = 1, 10
    scene.timeline_markers.new("stand", frame=1)
    scene.timeline_markers.new("run", frame=5)
    export(tmp_path / "box_d.3d", format="unreal", clips="MARKERS", unit="UNITS")
    found = {clip.name: next(iter(clip.tracks.values())) for clip in meshlens.open(tmp_path / "box_d.3d").clips}
    assert (found["stand"].first, found["stand"].count, found["run"].first, found["run"].count) == (0, 4, 4, 6)
    assert found["run"].rate == pytest.approx(24)


def test_actions_of_other_objects_are_no_clips(tmp_path):
    for name in ("other", "mine"):
        obj = cube(name, 16)
        obj.keyframe_insert("location", frame=1)
        obj.location.z = 9
        obj.keyframe_insert("location", frame=4)
        obj.animation_data.action.name = f"{name} moves"
    export(tmp_path / "box_d.3d", format="unreal", clips="ACTIONS", unit="UNITS", scope="SELECTION")
    assert [clip.name for clip in meshlens.open(tmp_path / "box_d.3d").clips] == ["mine_moves"]
    assert bpy.data.objects["mine"].animation_data.action.name == "mine moves"


def test_a_mirrored_object_is_not_inside_out(tmp_path):
    obj = cube(size=16)
    obj.scale.x = -1
    export(tmp_path / "box.md3", format="md3", clips="NONE", unit="UNITS")
    mesh = meshlens.open(tmp_path / "box.md3").meshes[0]
    triangles = mesh.positions() @ meshlens.Space("md3").matrix_to("blender")[:3, :3].T
    a, b, c = triangles[mesh.triangles("blender")].transpose(1, 0, 2)
    assert ((np.cross(b - a, c - a) * (a + b + c)).sum(1) > 0).all()


def test_limits_are_told_with_what_to_do(tmp_path, capfd):
    cube(size=2000)
    export(tmp_path / "large.md3", format="md3", clips="NONE", unit="UNITS", check_only=True)
    assert not list(tmp_path.iterdir())
    report = bpy.data.texts["Meshlens report"].as_string()
    assert "POSITION_CLAMPED" in report and "To do: make the model smaller" in report
    bpy.ops.wm.read_factory_settings(use_empty=True)
    bpy.ops.mesh.primitive_grid_add(x_subdivisions=80, y_subdivisions=80, size=100)
    export(tmp_path / "many.md3", format="md3", clips="NONE", unit="UNITS", check_only=True)
    report = bpy.data.texts["Meshlens report"].as_string()
    assert "LIMIT_VERTICES" in report and "To do: reduce the mesh" in report
    bpy.ops.wm.read_factory_settings(use_empty=True)
    cube(size=20)
    bpy.context.scene.frame_start, bpy.context.scene.frame_end = 1, 1030
    export(tmp_path / "long.md3", format="md3", clips="RANGE", unit="UNITS", check_only=True)
    assert "LIMIT_FRAMES" in bpy.data.texts["Meshlens report"].as_string()
    assert not list(tmp_path.iterdir())


def test_what_is_not_exported_is_told(tmp_path):
    obj = cube(size=16)
    obj.data.uv_layers.new(name="second")
    obj.data.color_attributes.new("paint", "FLOAT_COLOR", "CORNER")
    bpy.ops.object.empty_add()
    obj.select_set(True)
    export(tmp_path / "box.md3", format="md3", clips="NONE", unit="UNITS")
    report = bpy.data.texts["Meshlens report"].as_string()
    assert "cube: UV maps apart from the active one are left out" in report
    assert "cube: color attributes are left out" in report


def test_nothing_to_export_is_told(tmp_path):
    with pytest.raises(RuntimeError, match="no meshes and no tags"):
        export(tmp_path / "none.md3", format="md3", clips="NONE")
    cube()
    with pytest.raises(RuntimeError, match="no markers"):
        export(tmp_path / "none.md3", format="md3", clips="MARKERS")
    with pytest.raises(RuntimeError, match="no action moves"):
        export(tmp_path / "none.md3", format="md3", clips="ACTIONS")
    assert not list(tmp_path.iterdir())


def test_a_changing_topology_is_told(tmp_path):
    obj = cube(size=10)
    build = obj.modifiers.new("Build", "BUILD")
    build.frame_start, build.frame_duration = 1, 5
    with pytest.raises(RuntimeError, match="turn off modifiers"):
        export(tmp_path / "box.md3", format="md3", clips="RANGE")
