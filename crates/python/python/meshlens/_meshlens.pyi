"""The compiled module. Its classes are those of ``meshlens``."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Sequence
from types import TracebackType
from typing import Any, Literal, Self, SupportsIndex, final, overload

import numpy as np
from numpy.typing import ArrayLike, NDArray
from typing_extensions import disjoint_base

from ._types import Exported, Finding, HeightMap, Inspection, Joint, Material, NormalMap, SceneClip, Submesh

__all__ = [
    "Animation", "Array", "Clip", "Mesh", "Node", "Pose", "RecordBatch", "Scene", "Space", "Tag", "_Model", "_Raw",
    "_arrow", "_census", "_inspect", "_models", "_open", "_plant_panic", "_validate", "_write", "command", "version",
]

_SpaceName = Literal["gltf", "md3", "unreal", "u3d", "unigine", "unreal_engine", "unity", "godot", "blender"]
_SpaceLike = Space | _SpaceName
_Clips = str | Clip | SceneClip | dict[str, float]
_Layout = str | dict[str, str] | Iterable[str | tuple[str, str]]
_Bounds = tuple[list[float], list[float]]
_Path = str | os.PathLike[str]

@final
class Space:
    """The axes, the winding and the unit of coordinates.

    The names are ``"gltf"``, ``"md3"``, ``"unreal"``, ``"u3d"``, ``"unigine"`` (the formats), and ``"unreal_engine"``,
    ``"unity"``, ``"godot"`` and ``"blender"`` (programs that vertices are given to).
    """

    def __new__(cls, name: _SpaceName) -> Self: ...
    @property
    def name(self) -> _SpaceName:
        """The name."""
    @property
    def right(self) -> str:
        """The axis to the right of a model, as seen by the model, such as ``"-X"``."""
    @property
    def up(self) -> str:
        """The axis that points up."""
    @property
    def forward(self) -> str:
        """The axis along which a model looks."""
    @property
    def is_right_handed(self) -> bool:
        """Whether the axes are those of a right hand."""
    @property
    def is_clockwise(self) -> bool:
        """Whether front faces are clockwise, as seen on the screen."""
    @property
    def meters(self) -> float | None:
        """The size of a unit in meters, as most models use it; ``None`` if models have no common unit."""
    def matrix_to(self, target: _SpaceLike, scale: float = 1.0) -> NDArray[np.float32]:
        """The matrix ``(4, 4)`` of positions from this space to another one: ``matrix @ (x, y, z, 1)``."""
    def swaps_winding(self, target: _SpaceLike) -> bool:
        """Whether two corners of each triangle are exchanged on the way to another space."""
    def __eq__(self, other: object, /) -> bool: ...
    def __hash__(self) -> int: ...

@final
class Clip:
    """A named range of frames, with the rate at which they play.

    Args:
        name: The name.
        first: The first frame: a vertex frame, or a frame of the animation of joints.
        count: The number of frames, at least 1.
        rate: Frames per second, above 0; ``None`` if no file gives one, and 10 is assumed.
        loop_frames: The number of frames at the end that repeat; 0 if the clip plays once.
        reversed: Whether the frames play from the last to the first.
        animation: The index of the animation of joints; ``None`` for vertex frames.

    Raises:
        ValueError: ``count`` is 0, or the rate is not positive and finite.
    """

    def __new__(
        cls,
        name: str,
        first: int,
        count: int,
        rate: float | None = None,
        *,
        loop_frames: int = 0,
        reversed: bool = False,
        animation: int | None = None,
    ) -> Self: ...
    @property
    def name(self) -> str:
        """The name."""
    @property
    def first(self) -> int:
        """The first frame."""
    @property
    def count(self) -> int:
        """The number of frames."""
    @property
    def rate(self) -> float:
        """Frames per second."""
    @property
    def is_rate_assumed(self) -> bool:
        """Whether no file gives the rate."""
    @property
    def loop_frames(self) -> int:
        """The number of frames at the end that repeat."""
    @property
    def reversed(self) -> bool:
        """Whether the frames play from the last to the first."""
    @property
    def animation(self) -> int | None:
        """The index of the animation of joints in ``Node.animations``; ``None`` for vertex frames."""
    @property
    def duration(self) -> float:
        """The time from the first frame to the last in seconds; for a cycle, the time of one repetition."""
    @property
    def is_cycle(self) -> bool:
        """Whether the whole clip repeats."""
    @property
    def frames(self) -> range:
        """The frames in the order in which they play."""
    def sample(self, time: float) -> tuple[int, int, float]:
        """Two frames to show ``time`` seconds after the start, and the weight of the second, from 0 to 1."""
    def __eq__(self, other: object, /) -> bool: ...

@final
class Animation:
    """Frames of transforms of joints."""

    @property
    def name(self) -> str:
        """The name."""
    @property
    def joints(self) -> list[int]:
        """The indices of the joints that the animation moves."""
    @property
    def frame_count(self) -> int:
        """The number of frames."""
    def transforms(
        self, frames: SupportsIndex | slice | None = None
    ) -> tuple[NDArray[np.float32], NDArray[np.float32], NDArray[np.float32]]:
        """Translations ``(frames, joints, 3)``, rotations ``(frames, joints, 4)`` (quaternions x, y, z, w) and scales
        ``(frames, joints, 3)``, relative to the parents. All frames if ``frames`` is ``None``.

        Raises:
            IndexError: A frame is out of range.
        """

@final
class Tag:
    """A named attachment point for another model. Positions are in the space of its node."""

    @property
    def name(self) -> str:
        """The name, such as ``"tag_weapon"``."""
    @property
    def node(self) -> int:
        """The index of its node."""
    @property
    def index(self) -> int:
        """The index in its node."""
    @property
    def frame_count(self) -> int:
        """The number of frames."""
    def matrix(self, frame: SupportsIndex | slice | None = None) -> NDArray[np.float32]:
        """The rotation and the origin as a matrix ``(4, 4)``, or ``(frames, 4, 4)`` for a slice: ``matrix @ (x, y, z, 1)``
        is a point of a model at the tag. The axes are at right angles; left-handed axes stay left-handed, as in `pose`.
        A scene attaches models without the mirror.

        Raises:
            IndexError: The frame is out of range.
        """
    def pose(self, frame: SupportsIndex | None = None) -> tuple[list[float], list[list[float]]]:
        """The origin, and the local X, Y and Z axis, each of length 1. In some files the axes are not at right angles, or
        left-handed."""

@final
class Array:
    """An array as it is stored in a file: its meaning, its encoding and its bytes. ``len()`` is the number of elements."""

    @property
    def semantic(self) -> str:
        """The meaning of the elements, such as ``"positions"``."""
    @property
    def node(self) -> int:
        """The index of the node."""
    @property
    def mesh(self) -> int:
        """The index of the surface or mesh in the file."""
    @property
    def set(self) -> int:
        """The index of the set of texture coordinates or colors."""
    @property
    def frame(self) -> int:
        """The frame or morph target; 0 if all frames share the array."""
    @property
    def lod(self) -> int:
        """The level of detail, 0 for the finest."""
    @property
    def bone(self) -> int:
        """The index of the bone of animation keys."""
    @property
    def file(self) -> int:
        """The index of the file, for models of two files."""
    @property
    def is_part(self) -> bool:
        """Whether another array covers the same bytes."""
    @property
    def offset(self) -> int:
        """The byte offset of the first element in its file."""
    @property
    def stride(self) -> int:
        """The number of bytes from one element to the next."""
    @property
    def encoding(self) -> str:
        """How elements are stored, such as ``"i16x3 / 64"``."""
    @property
    def dtype(self) -> np.dtype[Any]:
        """The numpy type of one stored number, or of one element if its fields have different types."""
    @property
    def components(self) -> int:
        """The number of stored numbers in an element."""
    @property
    def scale(self) -> float | None:
        """The factor from stored numbers to values; ``None`` if it takes more than a factor."""
    @property
    def nbytes(self) -> int:
        """The number of bytes of all elements."""
    @property
    def raw(self) -> NDArray[Any]:
        """The elements as they lie in the file: ``(n, components)``, or ``(n,)``, with the stride of the file. Nothing is
        copied, and writing raises. The scene cannot be closed while the array, or a view of it, exists.
        """
    def decode(self, *, out: NDArray[Any] | None = None) -> NDArray[Any]:
        """The values ``(n, components)``: ``float32`` for positions and the like, integers for indices.

        Raises:
            TypeError: ``out`` has another type.
            ValueError: ``out`` has another shape, is not C-contiguous, or cannot be written to.
        """
    def __array__(self, dtype: Any = None, copy: bool | None = None) -> NDArray[Any]:
        """The values that ``decode`` returns, for ``numpy.asarray``.

        Raises:
            ValueError: ``copy`` is false.
        """
    def max_index(self) -> int | None:
        """The largest index; ``None`` without elements.

        Raises:
            ValueError: The elements are not indices.
        """
    def __len__(self) -> int: ...

@final
class Mesh:
    """Triangles, and vertices that move together.

    A **point** has a position, joints and weights. A **corner** has a normal, a tangent, a color and texture coordinates. If
    ``is_welded``, vertex ``i`` has point ``i`` and corner ``i``. Otherwise ``points`` and ``corners`` give those of each
    vertex, and ``vertices()`` gathers them. Coordinates are in the space of the node, unless a call has a ``space``.
    """

    @property
    def name(self) -> str:
        """The name, which may be empty."""
    @property
    def node(self) -> int:
        """The index of the node."""
    @property
    def index(self) -> int:
        """The index in its model."""
    @property
    def lod(self) -> int:
        """The level of detail, 0 for the finest."""
    @property
    def material(self) -> int | None:
        """The index in ``Node.materials``; ``None`` if the mesh has none or several: see ``submeshes``."""
    @property
    def point_count(self) -> int:
        """The number of points."""
    @property
    def corner_count(self) -> int:
        """The number of corners."""
    @property
    def vertex_count(self) -> int:
        """The number of vertices. If the mesh is not welded, it is welded once: O(triangles)."""
    @property
    def triangle_count(self) -> int:
        """The number of triangles, without the weapon triangle of an Unreal mesh. Those with an index out of range count, and
        are not in `triangles`."""
    @property
    def frame_count(self) -> int:
        """The number of vertex frames or morph targets; 1 if vertices do not move."""
    @property
    def frame_names(self) -> list[str]:
        """The names of the frames, which may be empty."""
    @property
    def texcoord_sets(self) -> int:
        """The number of sets of texture coordinates."""
    @property
    def color_sets(self) -> int:
        """The number of sets of colors."""
    @property
    def is_welded(self) -> bool:
        """Whether vertex ``i`` has point ``i`` and corner ``i``."""
    @property
    def is_skinned(self) -> bool:
        """Whether joints move the points."""
    @property
    def points(self) -> NDArray[np.uint32] | None:
        """The point of each vertex ``(vertices,)``; ``None`` if vertex ``i`` has point ``i``."""
    @property
    def corners(self) -> NDArray[np.uint32] | None:
        """The corner of each vertex ``(vertices,)``; ``None`` if vertex ``i`` has corner ``i``."""
    @property
    def submeshes(self) -> list[Submesh]:
        """The ranges of triangles with one material each, which cover all triangles."""
    def positions(
        self, frame: SupportsIndex | slice | None = None, *, out: NDArray[np.float32] | None = None
    ) -> NDArray[np.float32]:
        """The positions ``(points, 3)`` of one frame, by default the first; ``(frames, points, 3)`` for a slice.

        Args:
            frame: The frame; negative ones count from the end.
            out: A C-contiguous array of this shape to write to.

        Raises:
            IndexError: The frame is out of range.
            TypeError: ``out`` has another type.
            ValueError: ``out`` has another shape, or the scene is closed.
        """
    def normals(
        self, frame: SupportsIndex | slice | None = None, *, out: NDArray[np.float32] | None = None
    ) -> NDArray[np.float32] | None:
        """The normals ``(corners, 3)`` of one frame, of length 1; ``None`` if the mesh has none. Like ``positions``."""
    def tangents(
        self, frame: SupportsIndex | slice | None = None, *, out: NDArray[np.float32] | None = None
    ) -> NDArray[np.float32] | None:
        """The tangents ``(corners, 4)``: x, y, z, and the sign of the bitangent; ``None`` if the mesh has none."""
    def texcoords(
        self, set: int = 0, *, frame: SupportsIndex | slice | None = None, out: NDArray[np.float32] | None = None
    ) -> NDArray[np.float32] | None:
        """The texture coordinates ``(corners, 2)``, with the origin at the top left; ``None`` without this set.

        Only Ultimate 3D stores others in later frames. Its sets of 1, 3 or 4 numbers have all of them in ``Scene.arrays``.
        """
    def colors(
        self, set: int = 0, *, frame: SupportsIndex | slice | None = None, out: NDArray[np.float32] | None = None
    ) -> NDArray[np.float32] | None:
        """Red, green, blue and alpha ``(corners, 4)``, from 0 to 1; ``None`` without this set."""
    def joints(self) -> NDArray[np.uint16] | None:
        """The indices of up to four joints of each point ``(points, 4)``; ``None`` if no joint moves the mesh."""
    def weights(self, *, out: NDArray[np.float32] | None = None) -> NDArray[np.float32] | None:
        """The weights of these joints ``(points, 4)``, which add up to 1; ``None`` if no joint moves the mesh."""
    def inverse_bind(self) -> NDArray[np.float32] | None:
        """The inverse bind matrix of each joint ``(joints, 4, 4)``: from the space of the mesh to that of the joint at
        rest; ``None`` if no joint moves the mesh."""
    def triangles(self, space: _SpaceLike | None = None) -> NDArray[np.uint32]:
        """The vertices of each triangle ``(triangles, 3)``, with the winding of the file, or of ``space``.

        They are grouped by material (Unreal, Ultimate 3D), and in file order for each material.

        Raises:
            FormatError: An index in the file is out of range.
        """
    def triangle_types(self) -> NDArray[np.uint8] | None:
        """The type of each triangle of an Unreal mesh ``(triangles,)``, as the file stores it; ``None`` for other formats."""
    def vertices(
        self,
        clip: _Clips | None = None,
        time: float = 0.0,
        layout: _Layout | None = None,
        *,
        space: _SpaceLike | None = None,
        scale: float = 1.0,
    ) -> NDArray[Any]:
        """The vertices ``(vertices,)`` of a clip, ``time`` seconds after its start, as records, in one pass: frames are
        blended, joints move their vertices, and a mesh stands where tags and scripts put its node.

        Args:
            clip: The clip, or several as ``{name: seconds}``; at rest without one.
            time: Seconds since the start of the clip.
            layout: The fields: ``"positions normals texcoords"``, a list, or ``{"positions": "float32x3", "normals":
                "octahedral16x2"}`` with the names of WebGPU. By default, those of the three that the mesh has.
            space: The space of the result; by default that of the first node.
            scale: The factor for lengths.

        Raises:
            LookupError: There is no clip with this name, or the mesh does not have an attribute.
            ValueError: The layout is wrong.
        """
    def bounds(self, frame: SupportsIndex | None = None) -> _Bounds | None:
        """The smallest and the largest position of a frame; ``None`` without points."""
    def array(self, semantic: str, *, set: int = 0, frame: SupportsIndex | None = None) -> Array | None:
        """An attribute as it is stored, such as ``"positions"``; ``None`` if it is computed, or the mesh does not have it."""
    def __eq__(self, other: object, /) -> bool: ...
    def __hash__(self) -> int: ...

@final
class Node:
    """A model that stands in a scene: one file, or one part of a player."""

    @property
    def index(self) -> int:
        """The index in the scene."""
    @property
    def name(self) -> str:
        """The name: that of its file without the extension."""
    @property
    def model_name(self) -> str:
        """The name in the file: often empty, or a path."""
    @property
    def format(self) -> str | None:
        """The format, such as ``"md3"``; ``None`` for glTF, and for models made of arrays."""
    @property
    def space(self) -> Space:
        """The space of its coordinates."""
    @property
    def path(self) -> str | None:
        """The path of its file in the mounts."""
    @property
    def meshes(self) -> list[Mesh]:
        """The meshes of every level of detail."""
    @property
    def materials(self) -> list[Material]:
        """The materials."""
    @property
    def tags(self) -> list[Tag]:
        """The tags."""
    @property
    def clips(self) -> list[Clip]:
        """The clips."""
    @property
    def animations(self) -> list[Animation]:
        """The animations of joints."""
    @property
    def joints(self) -> list[Joint]:
        """The joints of the skeleton at rest."""
    @property
    def frame_count(self) -> int:
        """The number of vertex frames: the largest of all meshes and of the tags."""
    @property
    def frame_names(self) -> list[str]:
        """The names of the vertex frames; empty if they have none."""
    @property
    def rest_frame(self) -> int:
        """The frame that is shown while no clip plays."""
    @property
    def placement(self) -> NDArray[np.float32]:
        """The matrix ``(4, 4)`` from stored positions to the displayed model: the identity, unless a script places it."""
    @property
    def transform(self) -> NDArray[np.float32]:
        """The matrix ``(4, 4)`` from the displayed model to the node that it is attached to, or to the scene. It is the identity,
        unless the scene was imported from glTF."""
    @property
    def attachment(self) -> tuple[int, str] | None:
        """The index of the node that this one is attached to, and the name of its tag or joint."""
    def transforms(
        self, clip: Clip | str, times: ArrayLike
    ) -> tuple[NDArray[np.float32], NDArray[np.float32], NDArray[np.float32]]:
        """The transforms of all joints relative to their parents, at ``times`` (seconds): translations ``(times, joints,
        3)``, rotations ``(times, joints, 4)`` (x, y, z, w) and scales ``(times, joints, 3)``.

        Raises:
            LookupError: The node has no clip with this name.
        """

@final
class Pose:
    """What the nodes of a scene show at one time."""

    def vertices(
        self,
        mesh: Mesh,
        layout: _Layout | None = None,
        *,
        space: _SpaceLike | None = None,
        scale: float = 1.0,
    ) -> NDArray[Any]:
        """The vertices of a mesh, like ``Mesh.vertices``."""
    def positions(
        self, mesh: Mesh, *, space: _SpaceLike | None = None, scale: float = 1.0
    ) -> NDArray[np.float32]:
        """The positions of the vertices ``(vertices, 3)``."""
    def normals(self, mesh: Mesh, *, space: _SpaceLike | None = None) -> NDArray[np.float32]:
        """The normals of the vertices ``(vertices, 3)``.

        Raises:
            LookupError: The mesh has no normals.
        """
    def frames(self, mesh: Mesh) -> tuple[int, int, float]:
        """Two frames that the mesh shows, and the weight of the second."""
    def skin(self, mesh: Mesh, *, space: _SpaceLike | None = None, scale: float = 1.0) -> NDArray[np.float32]:
        """The matrix of each joint ``(joints, 4, 4)`` with which a shader moves vertices that have joints and weights."""
    def joints(self, node: Node | int) -> NDArray[np.float32]:
        """The matrix of each joint ``(joints, 4, 4)`` in the space of its model."""
    def matrix(
        self, node: Node | int, *, space: _SpaceLike | None = None, scale: float = 1.0
    ) -> NDArray[np.float32]:
        """The matrix ``(4, 4)`` from a node's model to the space."""
    def socket(
        self, tag: Tag | str, *, space: _SpaceLike | None = None, scale: float = 1.0
    ) -> NDArray[np.float32] | None:
        """The matrix ``(4, 4)`` of a tag, or of a joint by its name, in the space; ``None`` if the tag has no frames."""
    def bounds(self, *, space: _SpaceLike | None = None, scale: float = 1.0) -> _Bounds | None:
        """The smallest and the largest position of all vertices; ``None`` without any."""

@final
class Scene:
    """Models that stand somewhere and move: what ``meshlens.open`` returns. It is a context manager that closes itself."""

    @property
    def path(self) -> str:
        """The path that was opened, or the name that was given."""
    @property
    def format(self) -> str | None:
        """The format of the first node."""
    @property
    def version(self) -> str | None:
        """The version of the format."""
    @property
    def space(self) -> Space:
        """The space of the first node."""
    @property
    def nodes(self) -> list[Node]:
        """The nodes: one, or the parts of a player."""
    @property
    def meshes(self) -> list[Mesh]:
        """The meshes of the finest level of detail."""
    def meshes_at(self, lod: int) -> list[Mesh]:
        """The meshes of a level of detail, 0 for the finest. Nodes with fewer levels give their coarsest."""
    @property
    def materials(self) -> list[Material]:
        """The materials of all nodes."""
    @property
    def tags(self) -> list[Tag]:
        """The tags of all nodes."""
    @property
    def clips(self) -> list[SceneClip]:
        """The clips of all nodes by name."""
    @property
    def arrays(self) -> list[Array]:
        """Every array of the files as it is stored."""
    @property
    def findings(self) -> list[Finding]:
        """What does not fit together: missing textures, companion files, losses of an import."""
    @property
    def files(self) -> list[tuple[str, int]]:
        """The names and the sizes of the files that were read."""
    def attach(self, other: Scene, to: Tag | str) -> Scene:
        """A scene with the nodes of both, of which those of ``other`` are attached to a tag or a joint of this one, such as
        a weapon to a hand. Neither scene changes, and no bytes are copied.

        Args:
            other: The scene of the weapon.
            to: A ``Tag`` of this scene, or the name of a tag or a joint, such as ``"tag_weapon"``.

        Raises:
            LookupError: There is no tag or joint with this name.
            ValueError: The tag belongs to another scene.
        """
    def at(self, clip: _Clips | None = None, time: float = 0.0) -> Pose:
        """What the nodes show ``time`` seconds after the start of a clip, or of several: ``{"LEGS_RUN": 0.25,
        "TORSO_STAND": 1.0}``. At rest without a clip.

        Raises:
            LookupError: There is no clip with this name.
        """
    def export(
        self,
        format: Literal["glb", "md3", "unreal", "u3d", "unigine", "unigine-anim"],
        *,
        name: str | None = None,
        node: int = 0,
        scale: float = 1.0,
        wide_vertices: bool | None = None,
        animation_cfg: bytes | None = None,
        quantize: bool = False,
        meshopt: bool | Literal["khr", "ext"] = False,
        lods: bool = False,
        base_normals: bool = False,
        step: bool = False,
        textures: bool = True,
        clip: str | None = None,
        frame: int | None = None,
        memory_limit: int | None = None,
        carry: bool = True,
        variants: bool = False,
        skeleton: bool | float = False,
    ) -> Exported:
        """Writes the scene as glTF, or one node as a format of a game, in memory.

        Args:
            format: ``"glb"``, ``"md3"``, ``"unreal"``, ``"u3d"``, ``"unigine"`` or ``"unigine-anim"``.
            name: The name of the model and of its files, without an extension.
            node: The node, for formats of games.
            scale: The factor for lengths.
            wide_vertices: Unreal: whether vertices have 16 bits; ``None`` if whichever is needed.
            animation_cfg: MD3: the ``animation.cfg`` of the other parts of a player, to which the clips are added.
            quantize: glTF: keep the stored integers (``KHR_mesh_quantization``).
            meshopt: glTF: compress (``KHR_meshopt_compression``, or with ``"ext"`` its older name, for older readers).
            lods: glTF: also the coarser levels of detail (``MSFT_lod``).
            base_normals: glTF: only normals at rest.
            step: glTF: show each frame until the next one, without blending.
            textures: glTF: embed textures.
            clip: glTF: only this clip.
            frame: glTF: only this frame.
            memory_limit: The largest number of bytes that the conversion may take; 1 GiB by default.
            carry: glTF: also the files that belong to the models, such as skins and shaders, in extras.
            variants: glTF: also the other skins (``KHR_materials_variants``).
            skeleton: glTF: a skeleton with weights and rigid keys instead of vertex frames; a number is the largest root mean
                square of the distances between vertices and their frames, in units of the model.

        Raises:
            LookupError: There is no such clip or frame.
            MemoryLimitError: The conversion needs more memory.
            TypeError: The format does not have an option.
            ValueError: The model cannot be written.
        """
    def to_glb(
        self,
        *,
        scale: float = 1.0,
        quantize: bool = False,
        meshopt: bool | Literal["khr", "ext"] = False,
        lods: bool = False,
        base_normals: bool = False,
        step: bool = False,
        textures: bool = True,
        clip: str | None = None,
        frame: int | None = None,
        memory_limit: int | None = None,
        carry: bool = True,
        variants: bool = False,
        skeleton: bool | float = False,
    ) -> bytes:
        """The scene as a GLB file (glTF 2.0), with clips and textures. ``export("glb")`` also lists the losses."""
    def thumb(
        self,
        size: int = 512,
        *,
        clip: str | None = None,
        frame: int | None = None,
        view: Literal["iso", "front", "side", "top"] = "iso",
        background: Literal["auto", "light", "dark", "transparent"] = "auto",
        wireframe: bool = False,
        textures: bool = True,
        threads: int = 1,
        animated: bool = False,
    ) -> bytes:
        """A picture as the bytes of a PNG, the same on every machine; an animated PNG of a clip if ``animated``.

        Raises:
            LookupError: There is no such clip or frame.
            ValueError: The picture exceeds a limit.
        """
    def texture(self, material: Material | HeightMap | NormalMap, node: int = 0) -> tuple[str, bytes] | None:
        """The texture of a material as ``("image/png", bytes)`` or ``("image/jpeg", bytes)``; ``None`` if it is not found. A
        height map becomes a normal map, and the y of a normal map is up.

        Raises:
            ValueError: The image cannot be decoded.
        """
    @property
    def closed(self) -> bool:
        """Whether the scene is closed."""
    def close(self) -> None:
        """Frees the files. Objects of the scene raise ``ValueError`` afterwards.

        Raises:
            BufferError: There are arrays of ``Array.raw``.
        """
    def __enter__(self) -> Self: ...
    def __exit__(self, error: object = None, *_rest: object) -> None: ...
    def _repr_png_(self) -> bytes: ...
    def _repr_html_(self) -> str: ...

@disjoint_base
class _Model:
    """What ``Model`` is made of."""

    def __new__(cls, name: str = ..., *, space: _SpaceLike | None = None) -> Self: ...
    @property
    def name(self) -> str:
        """The name."""
    @property
    def space(self) -> Space:
        """The space."""
    def add_material(self, material: Material) -> int:
        """Adds a material, and returns its index."""
    def add_joint(
        self,
        name: str,
        parent: int | None = None,
        translation: Sequence[float] = ...,
        rotation: Sequence[float] = ...,
        scale: Sequence[float] = ...,
    ) -> int:
        """Adds a joint at rest, relative to its parent, and returns its index. ``rotation`` is x, y, z, w."""
    def add_clip(self, clip: Clip) -> int:
        """Adds a clip, and returns its index. Its frames are checked by ``scene``."""
    def set_frame_names(self, names: Sequence[str]) -> None:
        """Sets the names of the vertex frames of the whole model."""
    def scene(self) -> Scene:
        """A scene of one node with the model as it is now.

        Raises:
            IndexError: A clip plays frames that do not exist, or a parent of a joint does not exist.
        """
    def _mesh(self, arrays: dict[str, Any]) -> int: ...
    def _tag(self, name: str, matrices: NDArray[np.float32]) -> int: ...
    def _animation(
        self,
        name: str,
        joints: Sequence[int],
        translations: NDArray[np.float32],
        rotations: NDArray[np.float32],
        scales: NDArray[np.float32],
    ) -> int: ...
    def _rest(self) -> NDArray[np.float32]: ...

@final
class RecordBatch:
    """A record batch that other libraries read by the Arrow PyCapsule interface."""

    @property
    def num_rows(self) -> int:
        """The number of rows."""
    @property
    def column_names(self) -> list[str]:
        """The names of the columns."""
    def __len__(self) -> int: ...
    def __arrow_c_schema__(self) -> object: ...
    def __arrow_c_array__(self, requested_schema: object | None = None) -> tuple[object, object]: ...
    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object: ...

@final
class _Raw:
    def __len__(self) -> int: ...

def _arrow(columns: str, sources: list[tuple[str | bytes | Exception, str]], threads: int, **kwargs: Any) -> RecordBatch: ...
def _census(
    uris: Any,
    contents: Any,
    etags: Any | None,
    columns: str | None,
    threads: int,
    read: Callable[[str, str], bytes | Exception] | None = None,
) -> RecordBatch: ...
def _open(source: str | bytes, name: str, again: Any | None = None, **kwargs: Any) -> Scene: ...
def _inspect(source: str | bytes, name: str, **kwargs: Any) -> Inspection: ...
def _validate(source: str | bytes, name: str, limit: int, **kwargs: Any) -> list[Finding]: ...
def _models(path: _Path, players: bool, archives: bool) -> tuple[list[str], list[str]]: ...
def _write(files: Sequence[tuple[_Path, bytes]], overwrite: bool) -> None: ...
def _plant_panic() -> None: ...
def command(arguments: Sequence[str]) -> int:
    """Runs the command ``meshlens`` with ``arguments``, the first of which is the name of the program."""

def version() -> str:
    """The version of the package."""
