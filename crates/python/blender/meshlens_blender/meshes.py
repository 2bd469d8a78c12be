# SPDX-License-Identifier: GPL-3.0-or-later
"""Meshes, and their frames as absolute shape keys or as a mesh cache."""

import struct
from pathlib import Path

import bpy
import numpy as np

#: The evaluation time from one shape key to the next. It makes the positions of keys whole numbers, which are exact.
KEY_STEP = 100.0
#: The largest number of frames that become shape keys unless the user wants more.
MAX_KEYS = 256
CACHE = "Frames"
#: Frames that are converted at once.
CHUNK = 64


def build(node, mesh, name, axes, materials, settings, log):
    """A mesh with its materials, texture coordinates, colors and normals, in the space of Blender."""
    triangles = mesh.triangles()
    if axes.swaps_winding:
        triangles = triangles[:, [0, 2, 1]]
    vertex_corners = mesh.corners
    corners = triangles if vertex_corners is None else vertex_corners[triangles]
    vertex_points = mesh.points
    points = triangles if vertex_points is None else vertex_points[triangles]
    a, b, c = points.T if len(points) else (points[:, 0],) * 3
    kept = (a != b) & (b != c) & (c != a)
    if not kept.all():
        log.note(name, f"{int((~kept).sum())} triangles without an area are left out")
    made = bpy.data.meshes.new(name)
    _faces(made, finite(axes.points(mesh.positions()), name, log), points[kept])
    _materials(made, node, mesh, kept, materials)
    corners = corners[kept].ravel()
    for number in range(mesh.texcoord_sets):
        texcoords = mesh.texcoords(number)[corners]
        texcoords[:, 1] = 1 - texcoords[:, 1]
        layer = made.uv_layers.new(name="UVMap" if number == 0 else f"UVMap{number}", do_init=False)
        layer.uv.foreach_set("vector", np.ascontiguousarray(texcoords).ravel())
    for number in range(mesh.color_sets):
        layer = made.color_attributes.new("Color" if number == 0 else f"Color{number}", "FLOAT_COLOR", "CORNER")
        layer.data.foreach_set("color", np.ascontiguousarray(mesh.colors(number)[corners]).ravel())
    types = mesh.triangle_types()
    if types is not None:
        for submesh in mesh.submeshes:
            if submesh.material is not None and len(own := types[submesh.triangles]):
                materials.get(node, submesh.material)["polygon_type"] = int(own[0])
        layer = made.attributes.new("polygon_type", "INT", "FACE")
        layer.data.foreach_set("value", types[kept].astype(np.int32))
    normals = mesh.normals() if settings.normals == "FILE" else None
    if normals is not None and len(corners):
        made.normals_split_custom_set(np.nan_to_num(axes.normals(normals)[corners]))
    return made


def finite(values, name, log):
    if not np.isfinite(values).all():
        log.note(name, "positions that are not numbers became 0")
        values = np.nan_to_num(values, nan=0.0, posinf=0.0, neginf=0.0)
    return values


def _faces(made, positions, triangles):
    made.vertices.add(len(positions))
    made.vertices.foreach_set("co", np.ascontiguousarray(positions, np.float32).ravel())
    made.loops.add(triangles.size)
    made.loops.foreach_set("vertex_index", np.ascontiguousarray(triangles, np.int32).ravel())
    made.polygons.add(len(triangles))
    made.polygons.foreach_set("loop_start", np.arange(0, triangles.size, 3, dtype=np.int32))
    made.update(calc_edges=True)


def _materials(made, node, mesh, kept, materials):
    """The material of each face, and polygon types as properties of the materials."""
    slots = {}
    indices = np.zeros(len(kept), np.int32)
    for submesh in mesh.submeshes:
        if submesh.material is not None:
            slot = slots.setdefault(submesh.material, len(slots))
            indices[submesh.triangles] = slot
    for index in slots:
        made.materials.append(materials.get(node, index))
    made.polygons.foreach_set("material_index", indices[kept])


def add_keys(obj, node, mesh, axes, absolute, name, log):
    """A shape key for each frame: absolute ones for animations, relative ones for morph targets."""
    names = mesh.frame_names
    keys = None
    for start in range(0, mesh.frame_count, CHUNK):
        frames = finite(axes.points(mesh.positions(slice(start, start + CHUNK))), name, log)
        for offset, positions in enumerate(frames):
            number = start + offset
            frame = names[number] if number < len(names) and names[number] else f"frame {number}"
            if keys is not None and absolute:
                keys.eval_time = KEY_STEP * number
            block = obj.shape_key_add(name=frame, from_mix=False)
            if keys is None:
                keys = obj.data.shape_keys
                keys.use_relative = not absolute
            if absolute:
                block.interpolation = "KEY_LINEAR"
            block.points.foreach_set("co", positions.ravel())
    keys.name = obj.name
    keys.eval_time = KEY_STEP * min(node.rest_frame, mesh.frame_count - 1) if absolute else 0.0
    return keys


def add_cache(obj, node, mesh, axes, folder, name, log):
    """A PC2 file with all frames, and the modifier that shows one of them."""
    folder.mkdir(parents=True, exist_ok=True)
    path = unused(folder, bpy.path.clean_name(obj.name))
    with path.open("xb") as file:
        file.write(struct.pack("<12siiffi", b"POINTCACHE2\0", 1, mesh.point_count, 0.0, 1.0, mesh.frame_count))
        for start in range(0, mesh.frame_count, CHUNK):
            frames = finite(axes.points(mesh.positions(slice(start, start + CHUNK))), name, log)
            np.ascontiguousarray(frames, "<f4").tofile(file)
    modifier = obj.modifiers.new(CACHE, "MESH_CACHE")
    modifier.cache_format = "PC2"
    modifier.play_mode = "CUSTOM"
    modifier.interpolation = "LINEAR"
    modifier.filepath = bpy.path.relpath(str(path)) if bpy.data.filepath else str(path)
    modifier.eval_frame = min(node.rest_frame, mesh.frame_count - 1)
    return path


def unused(folder, stem):
    """A path to a new file."""
    number = 0
    while (path := folder / f"{stem}{f'.{number}' if number else ''}.pc2").exists():
        number += 1
    return path


def cache_folder(settings, log):
    """The folder of mesh caches: the chosen one, or one beside the saved file, or one of this extension."""
    if settings.cache_folder:
        return Path(bpy.path.abspath(settings.cache_folder))
    if bpy.data.filepath:
        return Path(bpy.data.filepath).parent / "meshlens"
    try:
        folder = Path(bpy.utils.extension_path_user(__package__, path="cache", create=True))
    except ValueError:
        folder = Path(bpy.utils.user_resource("DATAFILES", path="meshlens", create=True))
    log.note("", f"frames are in {folder}, because the file is not saved; save it first to keep them beside it")
    return folder
