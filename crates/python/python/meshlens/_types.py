"""Plain data: findings, materials, joints and counts. They are compared by value and can be pickled."""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

if TYPE_CHECKING:
    from ._meshlens import Clip, Scene

__all__ = ["Exported", "Finding", "Inspection", "Joint", "Material", "SceneClip", "Submesh"]


@dataclass(frozen=True, slots=True)
class Finding:
    """One finding about a file, or one loss of a conversion.

    Attributes:
        severity: ``"error"``, ``"warning"``, ``"info"`` or ``"hint"``.
        code: A stable name, such as ``"INDEX_OUT_OF_RANGE"``; ``meshlens explain CODE`` describes it.
        message: The problem, with numbers.
        pointer: The place in the document, such as ``/surfaces/2/triangles/17``; empty for the whole document.
        offset: The byte offset in the file; ``None`` if the finding is not about a place in a file.
        count: The number of values that the finding is about, usually 1.
    """

    severity: Literal["error", "warning", "info", "hint"]
    code: str
    message: str
    pointer: str = ""
    offset: int | None = None
    count: int = 1

    def __str__(self) -> str:
        place = f" ({self.pointer})" if self.pointer else ""
        return f"{self.severity} {self.code}: {self.message}{place}"


@dataclass(frozen=True, slots=True)
class Submesh:
    """Triangles with one material.

    Attributes:
        material: The index of the material in its node; ``None`` if the file gives none.
        triangles: The rows of ``Mesh.triangles()``.
    """

    material: int | None
    triangles: slice


@dataclass(frozen=True, slots=True)
class Joint:
    """A joint of a skeleton at rest.

    Attributes:
        name: The name.
        parent: The index of the parent; ``None`` for a root. A parent may come after its children.
        translation: x, y, z, relative to the parent, in the unit of the node.
        rotation: A quaternion x, y, z, w of length 1.
        scale: The scale along the local axes.
    """

    name: str
    parent: int | None = None
    translation: tuple[float, float, float] = (0.0, 0.0, 0.0)
    rotation: tuple[float, float, float, float] = (0.0, 0.0, 0.0, 1.0)
    scale: tuple[float, float, float] = (1.0, 1.0, 1.0)


@dataclass(frozen=True, slots=True)
class SceneClip:
    """The clips of one name: those of the legs and of the torso of a player.

    Attributes:
        name: The name.
        tracks: The clip of each node that has one, by the index of the node.
    """

    name: str
    tracks: dict[int, Clip] = field(default_factory=dict)

    @property
    def duration(self) -> float:
        """The longest duration of its clips, in seconds."""
        return max((clip.duration for clip in self.tracks.values()), default=0.0)


@dataclass(frozen=True, slots=True)
class HeightMap:
    """A height map, from which a normal map is made.

    Attributes:
        texture: The path of the image, as written in the file. White is the highest point.
        scale: The height of white over black, for a texture with sides of length 1.
        texture_set: The set of texture coordinates.
    """

    texture: str
    scale: float = 1.0
    texture_set: int = 0


@dataclass(frozen=True, slots=True)
class NormalMap:
    """A normal map that exists as an image. It has the texture coordinates of the texture.

    Attributes:
        image: The content of an image file that the file contains.
        image_path: The path of the image, in the mounts or relative to the file.
        is_y_down: Whether y rises to the bottom of the image, as for ioquake3, and not to its top, as in glTF.
    """

    image: bytes | None = field(default=None, repr=False)
    image_path: str | None = None
    is_y_down: bool = False


@dataclass(frozen=True, slots=True)
class Material:
    """How a surface is drawn.

    Attributes:
        name: The name; the path of the shader or of the texture if the format has no other name.
        texture: The path of the color texture in the mounts, or as it is written in the file.
        image: The content of an image file that the file contains.
        image_path: The path of an image, if the file names it apart from the texture.
        texture_alpha: The source of the alpha of the texture: ``"stored"``, or how it is computed from the colors.
        is_environment: Whether the texture is an environment map; texture coordinates then mean nothing.
        texture_set: The set of texture coordinates of the texture.
        height_map: The height map of the surface. ``Scene.texture`` makes a normal map of it.
        normal_map: The normal map of the surface, if it exists as an image. ``Scene.texture`` gives it with y to the top.
        nearest: Whether the texture is drawn without filtering.
        wrap: ``"repeat"``, ``"mirror"`` or ``"clamp"`` along U and V.
        color: Red, green, blue and alpha that the texture is multiplied by, linear, from 0 to 1.
        emissive: Red, green and blue of emitted light, linear.
        two_sided: Whether back faces are drawn.
        unlit: Whether the material is drawn at full brightness.
        alpha: ``"opaque"``, ``"mask"`` or ``"blend"``.
        cutoff: The smallest alpha that is drawn with ``"mask"``.
        sprites: Whether each four vertices are a square that turns to the camera.
        hidden: Whether surfaces with this material are not drawn.
    """

    name: str
    texture: str | None = None
    image: bytes | None = field(default=None, repr=False)
    image_path: str | None = None
    texture_alpha: str = "stored"
    is_environment: bool = False
    texture_set: int = 0
    height_map: HeightMap | None = None
    normal_map: NormalMap | None = None
    nearest: bool = False
    wrap: tuple[str, str] = ("repeat", "repeat")
    color: tuple[float, float, float, float] = (1.0, 1.0, 1.0, 1.0)
    emissive: tuple[float, float, float] = (0.0, 0.0, 0.0)
    two_sided: bool = False
    unlit: bool = False
    alpha: Literal["opaque", "mask", "blend"] = "opaque"
    cutoff: float = 0.5
    sprites: bool = False
    hidden: bool = False


@dataclass(frozen=True, slots=True)
class Inspection:
    """The counts of a file.

    Attributes:
        path: The path, or the name that was given.
        format: The format, such as ``"md3"``.
        version: The version of the format.
        frames: The number of frames, of vertices or of bones.
        surfaces: The number of surfaces or meshes.
        vertices: The number of vertices in one frame, over all surfaces.
        triangles: The number of triangles, over all surfaces.
        tags: The number of tags or bones.
        bytes: The number of bytes of all files.
        bounds: The smallest and the largest position in frame 0, in the space of the format, as a script places them; ``None``
            without vertices, for glTF, and for a player, whose parts have no common space.
    """

    path: str
    format: str
    version: str
    frames: int
    surfaces: int
    vertices: int
    triangles: int
    tags: int
    bytes: int
    bounds: tuple[tuple[float, float, float], tuple[float, float, float]] | None


@dataclass(frozen=True, slots=True)
class Exported:
    """The files of a conversion.

    Attributes:
        files: The content of each file by its name. The first is the model.
        losses: What the format cannot store.
        warnings: What may cause problems in some readers, one line each.
    """

    files: dict[str, bytes] = field(repr=False)
    losses: list[Finding] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)

    def write(self, folder: str | os.PathLike[str], *, overwrite: bool = False) -> list[Path]:
        """Writes the files to a folder, all of them or none, and returns their paths.

        Raises:
            FileExistsError: A file exists, and ``overwrite`` is false.
            OSError: A file cannot be written.
        """
        from ._meshlens import _write

        paths = [Path(folder) / name for name in self.files]
        _write(list(zip(paths, self.files.values())), overwrite)
        return paths


def _clip(name: str, first: int, count: int, rate: float | None, loop: int, reversed: bool, animation: int | None) -> Clip:
    from ._meshlens import Clip

    return Clip(name, first, count, rate, loop_frames=loop, reversed=reversed, animation=animation)


def _reopen(source: Any, name: str | None, options: dict[str, Any]) -> Scene:
    from . import open

    return open(source, name=name, **options)


for _class in (Exported, Finding, HeightMap, Inspection, Joint, Material, NormalMap, SceneClip, Submesh):
    _class.__module__ = "meshlens"
