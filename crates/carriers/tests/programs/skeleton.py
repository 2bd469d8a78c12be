"""Opens skeletons of `meshlens convert --skeleton` in Blender, and compares every pose with the vertex frames that the skeleton
was found from: no vertex may be farther away than the error allows. usage: skeleton.py MESHLENS FOLDER ERROR MODEL..."""
import json
import struct
import subprocess
import sys
from pathlib import Path

import bpy

meshlens, folder, error, *models = sys.argv[1:]
# No distance is more than eight times the root mean square; the rest is for what is rounded to 16 bits.
MOST, ROUNDING = 8 * float(error), 0.01


def convert(model, name, *options):
    path = Path(folder) / name
    command = [meshlens, "convert", "-q", "--force", model, *options, "-o", path]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    return path


def clips(path):
    """The times of the keys of each animation."""
    data = path.read_bytes()
    (length,) = struct.unpack_from("<I", data, 12)
    document = json.loads(data[20 : 20 + length])
    inputs = {}
    for animation in document["animations"]:
        accessors = [document["accessors"][sampler["input"]] for sampler in animation["samplers"]]
        longest = max(accessors, key=lambda accessor: accessor["count"])
        inputs[animation["name"]] = [
            longest["max"][0] * key / max(1, longest["count"] - 1) for key in range(longest["count"])
        ]
    return inputs


def poses(path, times):
    """For each clip, the vertices at each of its times."""
    bpy.ops.wm.read_factory_settings(use_empty=True)
    bpy.ops.import_scene.gltf(filepath=str(path))
    scene = bpy.context.scene
    found = {}
    animated = [data.animation_data for data in (*bpy.data.objects, *bpy.data.shape_keys) if data.animation_data]
    for clip, seconds in times.items():
        # Strips have whole frames, and scale the times of their actions.
        for data in animated:
            strips = [strip for track in data.nla_tracks for strip in track.strips if track.name == clip]
            for track in data.nla_tracks:
                track.mute = True
            if strips:
                data.action, data.action_slot = strips[0].action, strips[0].action_slot
        for time in seconds:
            frame = time * scene.render.fps / scene.render.fps_base
            scene.frame_set(int(frame), subframe=frame - int(frame))
            graph = bpy.context.evaluated_depsgraph_get()
            # The shape that Blender shows for bones is a mesh, too, and nothing moves it.
            moved = (item for item in bpy.data.objects if item.type == "MESH" and (item.modifiers or item.data.shape_keys))
            shown = sorted(moved, key=lambda item: item.name)
            points = []
            for item in shown:
                evaluated = item.evaluated_get(graph)
                points += [evaluated.matrix_world @ vertex.co for vertex in evaluated.to_mesh().vertices]
            found.setdefault(clip, []).append(points)
    return found


failed = 0
for model in models:
    name = Path(model).stem
    frames = convert(model, f"{name}-frames.glb", "--max-targets", "100000", "--scale", "1")
    joints = convert(model, f"{name}-joints.glb", "--skeleton", "--skeleton-error", error, "--quantize")
    times = clips(frames)
    wanted, found = poses(frames, times), poses(joints, times)
    squares, largest, count = 0.0, 0.0, 0
    for clip, all_points in wanted.items():
        for a, b in zip(all_points, found[clip], strict=True):
            if len(a) != len(b):
                sys.exit(f"{name}: {len(b)} vertices, not {len(a)}")
            for x, y in zip(a, b, strict=True):
                distance = (x - y).length
                squares, largest, count = squares + distance**2, max(largest, distance), count + 1
    rms = (squares / count) ** 0.5
    print(f"{name}: {len(wanted)} clips of a skeleton in Blender, {count} positions: RMS {rms:.4f}, maximum {largest:.4f}", flush=True)
    failed += rms > float(error) + ROUNDING or largest > MOST + ROUNDING
if failed:
    sys.exit(f"{failed} skeletons move otherwise than they should")
