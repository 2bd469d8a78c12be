"""Scenes as ``trimesh.Scene``, and readers for ``trimesh.load``.

>>> import trimesh, meshlens.trimesh
>>> meshlens.trimesh.register()                  # .md3 and .3d
>>> scene = trimesh.load("sarge/head.md3")       # doctest: +SKIP

``.u3d`` and ``.mesh`` mean other formats elsewhere: register them by name if a program reads only those of games.
"""

from __future__ import annotations

import io
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import numpy as np

import trimesh
import trimesh.exchange.load
import trimesh.visual

from . import Scene, _frames, _SceneSource, open

if TYPE_CHECKING:
    from ._meshlens import _SpaceName

__all__ = ["register", "to_scene"]


def register(extensions: Iterable[str] = ("md3", "3d")) -> None:
    """Registers readers for extensions, without the dot, with ``trimesh.load``."""
    for extension in extensions:
        trimesh.exchange.load.mesh_loaders[extension.lower().lstrip(".")] = _load


def to_scene(
    source: _SceneSource,
    clip: str | None = None,
    time: float = 0.0,
    *,
    space: _SpaceName = "gltf",
    scale: float = 1.0,
    textures: bool = True,
    **options: Any,
) -> trimesh.Scene:
    """A scene as a ``trimesh.Scene`` at one time: a geometry for each mesh and material, in the space of glTF.
    Meshes without points are left out.

    The positions of all vertex frames are in ``geometry.metadata["frames"]``, ``(frames, vertices, 3)``, if vertices move
    and no clip is given.

    Args:
        source: A scene, or what ``meshlens.open`` opens.
        clip: The clip that is shown; at rest without one.
        time: Seconds since the start of the clip.
        space: The space of vertices.
        scale: The factor for lengths.
        textures: Whether images of materials are decoded, which needs Pillow.
        options: Options of ``meshlens.open``.
    """
    scene = source if isinstance(source, Scene) else open(source, **options)
    pose = scene.at(clip, time)
    nodes = scene.nodes
    made = trimesh.Scene()
    for mesh in scene.meshes:
        if not mesh.point_count:
            continue
        node = nodes[mesh.node]
        vertices = pose.vertices(mesh, space=space, scale=scale)
        triangles = mesh.triangles(space).astype(np.int64)
        fields = vertices.dtype.names or ()
        frames = None
        if clip is None and mesh.frame_count > 1:
            frames = _frames.frames(pose, node, mesh, space, scale)
        for submesh in mesh.submeshes:
            material = None if submesh.material is None else node.materials[submesh.material]
            uv = vertices["texcoords"].copy() if "texcoords" in fields else None
            if uv is not None:
                uv[:, 1] = 1 - uv[:, 1]
            image = _image(scene, material, mesh.node) if textures and material is not None else None
            visual = None
            if material is not None:
                color = np.clip(np.array(material.color) * 255, 0, 255).astype(np.uint8)
                pbr = trimesh.visual.material.PBRMaterial(  # type: ignore[no-untyped-call]
                    name=material.name,
                    baseColorFactor=color,
                    baseColorTexture=image,
                    doubleSided=material.two_sided,
                    metallicFactor=0.0,
                )
                visual = trimesh.visual.TextureVisuals(uv=uv, material=pbr)  # type: ignore[no-untyped-call]
            geometry = trimesh.Trimesh(
                vertices=vertices["positions"],
                faces=triangles[submesh.triangles],
                vertex_normals=vertices["normals"] if "normals" in fields else None,
                visual=visual,
                process=False,
                metadata={"node": node.name, "mesh": mesh.name} | ({} if frames is None else {"frames": frames}),
            )
            made.add_geometry(geometry, geom_name=f"{node.name}/{mesh.name}", node_name=None)
    return made


def _image(scene: Scene, material: Any, node: int) -> Any:
    try:
        found = scene.texture(material, node)
        if found is None:
            return None
        from PIL import Image

        return Image.open(io.BytesIO(found[1]))
    except (ImportError, ValueError, OSError):
        return None


def _load(file_obj: Any, file_type: str | None = None, resolver: Any = None, **kwargs: Any) -> dict[str, Any]:
    # Members of archives have names, too, which are no paths.
    is_file = isinstance(getattr(file_obj, "raw", file_obj), io.FileIO)
    path = file_obj.name if is_file else None
    name = f"model.{file_type or 'md3'}"
    scene = open(path) if isinstance(path, str) else open(file_obj.read(), name=name)
    made = to_scene(scene, **_known(kwargs))
    # Vertices keep their order, which frames need, unless the caller wants them merged.
    process = bool(kwargs.get("process", False))
    return {"geometry": {name: _parts(geometry, process) for name, geometry in made.geometry.items()}}


def _parts(geometry: Any, process: bool) -> dict[str, Any]:
    """What a geometry is made of again."""
    parts = {name: getattr(geometry, name) for name in ("vertices", "faces", "vertex_normals", "visual", "metadata")}
    return parts | {"process": process}


def _known(kwargs: dict[str, Any]) -> dict[str, Any]:
    names = ("clip", "time", "space", "scale", "textures")
    return {name: kwargs[name] for name in names if name in kwargs}
