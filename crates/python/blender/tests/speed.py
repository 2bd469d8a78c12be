# SPDX-License-Identifier: GPL-3.0-or-later
"""Seconds of imports, beside a plain loop over vertices: python tests/speed.py. Not a test."""

import os
import statistics
import struct
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import bpy  # noqa: E402
import meshlens  # noqa: E402
import meshlens_blender  # noqa: E402
import numpy as np  # noqa: E402


def large(frames=1000, side=64):
    """An MD3 file of a waving square of 4,096 vertices."""
    u, v = np.meshgrid(np.linspace(0, 1, side, dtype=np.float32), np.linspace(0, 1, side, dtype=np.float32))
    positions = np.zeros((frames, side * side, 3), np.float32)
    positions[..., 0], positions[..., 1] = u.ravel() * 256, v.ravel() * 256
    positions[..., 2] = 16 * np.sin(u.ravel() * 6 + np.arange(frames, dtype=np.float32)[:, None] / 8)
    corner = np.arange(side * side).reshape(side, side)
    a, b, c, d = corner[:-1, :-1], corner[:-1, 1:], corner[1:, 1:], corner[1:, :-1]
    triangles = np.concatenate([np.stack([a, b, c], -1).reshape(-1, 3), np.stack([a, c, d], -1).reshape(-1, 3)])
    normals = np.zeros_like(positions)
    normals[..., 2] = 1
    model = meshlens.Model("large", space="md3")
    texcoords = np.stack([u.ravel(), v.ravel()], -1)
    model.add_mesh("large", positions, triangles, normals=normals, texcoords=texcoords)
    model.add_clip(meshlens.Clip("wave", 0, frames, 10.0))
    return model.scene().export("md3", memory_limit=1 << 32).files["large.md3"]


def plain(path, frames):
    """What add-ons in plain Python do: unpack each vertex, and set each point of each shape key."""
    data = Path(path).read_bytes()
    count, surfaces = struct.unpack_from("<i", data, 76)[0], struct.unpack_from("<i", data, 84)[0]
    surface = struct.unpack_from("<i", data, 100)[0]
    for _ in range(surfaces):
        fields = struct.unpack_from("<4s64s10i", data, surface)
        vertices, triangles, first, at, end = fields[5], fields[6], fields[7], fields[10], fields[11]
        faces = [struct.unpack_from("<3i", data, surface + first + 12 * i) for i in range(triangles)]
        shown = []
        for frame in range(min(count, frames)):
            start = surface + at + 8 * vertices * frame
            shown.append([[n / 64 for n in struct.unpack_from("<3h", data, start + 8 * i)] for i in range(vertices)])
        mesh = bpy.data.meshes.new("plain")
        mesh.from_pydata(shown[0], [], faces)
        obj = bpy.data.objects.new("plain", mesh)
        bpy.context.scene.collection.objects.link(obj)
        for frame, positions in enumerate(shown):
            block = obj.shape_key_add(name=str(frame), from_mix=False)
            for vertex, position in enumerate(positions):
                block.data[vertex].co = position
        surface += end
    return min(count, frames), count


def measure(call, times=3):
    taken = []
    for _ in range(times):
        bpy.ops.wm.read_factory_settings(use_empty=True)
        start = time.perf_counter()
        found = call()
        taken.append(time.perf_counter() - start)
    return statistics.median(taken), found


def row(name, path, **options):
    def imported():
        bpy.ops.import_scene.meshlens(filepath=str(path), **options)
        return sum(len(obj.data.vertices) for obj in bpy.data.objects if obj.type == "MESH")

    seconds, vertices = measure(imported)
    print(f"| {name} | {vertices:,} | {seconds:.2f} s |", flush=True)


def main():
    meshlens_blender.register()
    print(f"Blender {bpy.app.version_string}, load {os.getloadavg()[0]:.0f}")
    print("| import | vertices | median of 3 |\n|---|---|---|")
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "large.md3"
        path.write_bytes(large())
        row("1,000 frames of 4,096 vertices, mesh cache", path, frames="CACHE", cache_folder=folder)
        row("the same, shape keys", path, frames="KEYS")
        seconds, (frames, count) = measure(lambda: plain(path, 10), 1)
        print(f"| the same, a plain loop: {frames} frames took {seconds:.1f} s | 4,096 | about {seconds / frames * count:.0f} s |")
    if real := os.environ.get("MESHLENS_REAL"):
        players = []
        for model in meshlens.models(Path(real) / "md3"):
            if Path(model).is_dir() and "!" not in model:
                scene = meshlens.open(model, materials=False, lods=False)
                size = sum(mesh.point_count * mesh.frame_count for mesh in scene.meshes)
                players.append((size, model))
        for size, model in sorted(players)[-1:]:
            row(f"player {Path(model).name}, {size:,} positions", Path(model) / "lower.md3")
            files = [Path(model) / f"{part}.md3" for part in ("lower", "upper", "head")]
            seconds, _ = measure(lambda: [plain(file, 10_000) for file in files], 1)
            print(f"| the same, a plain loop, without tags and materials | | {seconds:.1f} s |")
    sys.stdout.flush()
    os._exit(0)


if __name__ == "__main__":
    main()
