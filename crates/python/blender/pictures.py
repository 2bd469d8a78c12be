# SPDX-License-Identifier: GPL-3.0-or-later
"""Renders the pictures of docs/blender.md with Cycles, from the corpus: python pictures.py [FOLDER]. Needs bpy and meshlens."""

import os
import shutil
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[2]
CORPUS = ROOT / "corpus"
sys.path.insert(0, str(HERE))

import bpy  # noqa: E402
import meshlens_blender  # noqa: E402
import numpy as np  # noqa: E402
from mathutils import Vector  # noqa: E402


def corners(objects):
    found = [obj.matrix_world @ Vector(corner) for obj in objects if obj.type == "MESH" for corner in obj.bound_box]
    return np.array(found)


def stage(objects, path, turn=(1.0, -1.6, 0.55)):
    """Puts a camera, a light and a floor around the objects, and renders."""
    scene = bpy.context.scene
    depsgraph = bpy.context.evaluated_depsgraph_get()
    points = corners([obj.evaluated_get(depsgraph) for obj in objects])
    low, high = points.min(0), points.max(0)
    middle, size = Vector((low + high) / 2), float(np.linalg.norm(high - low))
    camera = bpy.data.objects.new("camera", bpy.data.cameras.new("camera"))
    camera.data.lens = 70
    camera.data.clip_end = size * 100
    scene.collection.objects.link(camera)
    away = Vector(turn).normalized()
    camera.location = middle + away * size * 2.35
    camera.rotation_euler = (-away).to_track_quat("-Z", "Y").to_euler()
    scene.camera = camera
    sun = bpy.data.objects.new("sun", bpy.data.lights.new("sun", "SUN"))
    sun.data.energy, sun.data.angle = 3.0, 0.3
    sun.rotation_euler = (0.7, 0.25, 0.6)
    scene.collection.objects.link(sun)
    bpy.ops.mesh.primitive_plane_add(size=size * 40, location=(middle.x, middle.y, low[2]))
    floor = bpy.data.materials.new("floor")
    if floor.node_tree is None:
        floor.use_nodes = True
    floor.node_tree.nodes["Principled BSDF"].inputs["Base Color"].default_value = (0.6, 0.62, 0.65, 1)
    bpy.context.object.data.materials.append(floor)
    world = bpy.data.worlds.new("world")
    if world.node_tree is None:
        world.use_nodes = True
    world.node_tree.nodes["Background"].inputs["Color"].default_value = (0.75, 0.8, 0.9, 1)
    world.node_tree.nodes["Background"].inputs["Strength"].default_value = 0.6
    scene.world = world
    scene.render.engine = "CYCLES"
    scene.cycles.samples, scene.cycles.use_denoising = 32, True
    scene.cycles.device = "CPU"
    scene.view_settings.view_transform = "Standard"
    scene.render.resolution_x, scene.render.resolution_y = 320, 256
    scene.render.image_settings.file_format = "PNG"
    scene.render.image_settings.color_mode = "RGB"
    scene.render.image_settings.compression = 100
    scene.render.filepath = str(path)
    bpy.ops.render.render(write_still=True)


def load(path, clips=(), frame=1.0, **options):
    bpy.ops.wm.read_factory_settings(use_empty=True)
    meshlens_blender.register()
    bpy.ops.import_scene.meshlens(filepath=str(path), **options)
    objects = list(bpy.context.scene.objects)
    for clip in clips:
        bpy.context.view_layer.objects.active = objects[0]
        bpy.ops.meshlens.play_clip(clip=clip)
    bpy.context.scene.frame_set(int(frame))
    meshlens_blender.unregister()
    return objects


def main(out):
    out.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as game:
        # The player of the corpus has no texture file. A folder of a game gives it one.
        folder = Path(game) / "models/players/block"
        folder.mkdir(parents=True)
        shutil.copy(CORPUS / "gallery/crate.tga", folder / "red.tga")
        objects = load(CORPUS / "md3/player/lower.md3", ["LEGS_WALK", "TORSO_ATTACK"], mount=game, skin="red")
        stage(objects, out / "blender-player.png")
    stage(load(CORPUS / "gallery/flag_d.3d", ["wave"], 6), out / "blender-unreal.png")
    stage(load(CORPUS / "gallery/walker.mesh", ["walk"], 6), out / "blender-actor.png")
    sys.stdout.flush()
    os._exit(0)


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else ROOT / "docs/pictures")
