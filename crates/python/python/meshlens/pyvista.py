"""Scenes as ``pyvista.MultiBlock``, and readers for ``pyvista.read``.

>>> import pyvista, meshlens.pyvista
>>> meshlens.pyvista.register()                  # .md3 and .3d
>>> blocks = pyvista.read("sarge/head.md3")      # doctest: +SKIP

``.u3d`` and ``.mesh`` mean other formats elsewhere: register them by name if a program reads only those of games.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import numpy as np

import pyvista

from . import Scene, _frames, _SceneSource, open

if TYPE_CHECKING:
    from ._meshlens import _SpaceName

__all__ = ["register", "to_multiblock"]


def register(extensions: Iterable[str] = (".md3", ".3d")) -> None:
    """Registers readers for extensions with ``pyvista.read``."""
    for extension in extensions:
        pyvista.register_reader("." + extension.lower().lstrip("."), _read, override=True)  # type: ignore[call-overload]


def to_multiblock(
    source: _SceneSource,
    clip: str | None = None,
    time: float = 0.0,
    *,
    space: _SpaceName = "unigine",
    scale: float = 1.0,
    **options: Any,
) -> pyvista.MultiBlock:
    """A scene as a ``pyvista.MultiBlock`` at one time: a block for each mesh. Z is up, as in VTK's views.

    Point data have ``Normals`` and ``Texture Coordinates``, and ``frame_0000``, ``frame_0001``... with the positions of all
    vertex frames if vertices move and no clip is given. Cell data have ``material``.

    Args:
        source: A scene, or what ``meshlens.open`` opens.
        clip: The clip that is shown; at rest without one.
        time: Seconds since the start of the clip.
        space: The space of vertices.
        scale: The factor for lengths.
        options: Options of ``meshlens.open``.
    """
    scene = source if isinstance(source, Scene) else open(source, **options)
    pose = scene.at(clip, time)
    nodes = scene.nodes
    blocks = pyvista.MultiBlock()
    for mesh in scene.meshes:
        node = nodes[mesh.node]
        name = mesh.name or f"mesh {mesh.index}"
        name = f"{node.name}/{name}" if len(nodes) > 1 else name
        if not mesh.point_count:
            blocks.append(pyvista.PolyData(), name)
            continue
        vertices = pose.vertices(mesh, space=space, scale=scale)
        triangles: Any = mesh.triangles(space).astype(np.int_)
        block = pyvista.PolyData.from_regular_faces(vertices["positions"], triangles)
        fields = vertices.dtype.names or ()
        if "normals" in fields:
            block.point_data.active_normals = np.ascontiguousarray(vertices["normals"])
        if "texcoords" in fields:
            uv = vertices["texcoords"].copy()
            uv[:, 1] = 1 - uv[:, 1]
            block.active_texture_coordinates = uv
        materials = np.full(len(triangles), -1, np.int32)
        for submesh in mesh.submeshes:
            materials[submesh.triangles] = -1 if submesh.material is None else submesh.material
        block.cell_data["material"] = materials
        if clip is None and mesh.frame_count > 1:
            for frame, positions in enumerate(_frames.frames(pose, node, mesh, space, scale)):
                block.point_data[f"frame_{frame:04}"] = positions
        blocks.append(block, name)
    return blocks


def _read(path: str, **kwargs: Any) -> Any:
    return to_multiblock(path, **kwargs)
