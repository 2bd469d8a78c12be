"""Models made of arrays, to be written in any format."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from ._meshlens import _Model

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    from ._types import Submesh

    _Floats: TypeAlias = NDArray[np.float32]

__all__ = ["Model"]


class Model(_Model):
    """A model made of arrays, which ``scene().export()`` writes in any format.

    Args:
        name: The name.
        space: The space of all coordinates; glTF by default.
    """

    def add_mesh(
        self,
        name: str,
        positions: ArrayLike,
        triangles: ArrayLike,
        *,
        normals: ArrayLike | None = None,
        tangents: ArrayLike | None = None,
        texcoords: ArrayLike | Sequence[NDArray[Any]] | None = None,
        colors: ArrayLike | Sequence[NDArray[Any]] | None = None,
        joints: ArrayLike | None = None,
        weights: ArrayLike | None = None,
        inverse_bind: ArrayLike | None = None,
        points: ArrayLike | None = None,
        corners: ArrayLike | None = None,
        submeshes: Iterable[Submesh] | None = None,
        material: int | None = None,
        frame_names: Sequence[str] | None = None,
        lod: int = 0,
    ) -> int:
        """Adds a mesh, and returns its index. Joints and materials are added before.

        Args:
            name: The name.
            positions: ``(points, 3)``, or ``(frames, points, 3)``.
            triangles: Vertices ``(triangles, 3)``, with the winding of the space.
            normals: ``(corners, 3)`` or ``(frames, corners, 3)``, of length 1.
            tangents: ``(corners, 4)`` or ``(frames, corners, 4)``.
            texcoords: ``(corners, 2)``, or a list of sets; the origin is at the top left.
            colors: ``(corners, 4)``, or a list of sets; linear, from 0 to 1.
            joints: Up to four joints of each point, ``(points, 4)``.
            weights: Their weights ``(points, 4)``, which are scaled to add up to 1.
            inverse_bind: ``(joints, 4, 4)``; by default the inverse of the joints at rest.
            points: The point of each vertex, if vertex ``i`` does not have point ``i``.
            corners: The corner of each vertex, if vertex ``i`` does not have corner ``i``.
            submeshes: The materials of ranges of triangles, which cover all triangles.
            material: The index of the material.
            frame_names: The names of the frames.
            lod: The level of detail.

        Raises:
            IndexError: A vertex, point, corner, joint or material is out of range.
            TypeError: Indices are not integers.
            ValueError: Shapes do not match.
        """
        frames = _frames(positions, "positions", 3)
        if not frames:
            raise ValueError("a mesh has at least one frame")
        moving = {"normals": (normals, 3), "tangents": (tangents, 4)}
        sets = {"texcoords": (texcoords, 2), "colors": (colors, 4)}
        indices = {"points": points, "corners": corners}
        is_skinned = joints is not None
        if is_skinned != (weights is not None) or (inverse_bind is not None and not is_skinned):
            raise ValueError("a mesh has joints and weights, or neither, and inverse_bind only with them")
        return self._mesh(
            {
                "name": name,
                "positions": frames,
                "triangles": _integers(triangles, "triangles", np.uint32, 3),
                **{what: _moving(given, what, size, len(frames)) for what, (given, size) in moving.items()},
                **{what: _sets(given, what, size) for what, (given, size) in sets.items()},
                **{what: _integers(() if given is None else given, what, np.uint32) for what, given in indices.items()},
                "influences": _influences(joints, weights) if is_skinned else None,
                "skin": self._skin(inverse_bind) if is_skinned else None,
                "submeshes": [(of.material, of.triangles.start, of.triangles.stop) for of in submeshes or ()],
                "material": material,
                "frame_names": list(frame_names or ()),
                "lod": lod,
            }
        )

    def add_tag(self, name: str, matrices: ArrayLike) -> int:
        """Adds a tag with a matrix ``(4, 4)``, or one for each frame ``(frames, 4, 4)``, and returns its index."""
        found = _matrices(matrices, "matrices")
        if not len(found):
            raise ValueError("a tag has at least one frame")
        return self._tag(name, found)

    def add_animation(
        self,
        name: str,
        joints: Sequence[int],
        translations: ArrayLike,
        rotations: ArrayLike,
        scales: ArrayLike | None = None,
    ) -> int:
        """Adds an animation of joints: ``(frames, joints, 3)``, ``(frames, joints, 4)`` and ``(frames, joints, 3)``."""
        count = len(joints)
        origins, turns = _floats(translations, "translations", count, 3), _floats(rotations, "rotations", count, 4)
        sizes = np.ones_like(origins) if scales is None else _floats(scales, "scales", count, 3)
        if not origins.size // 3 == turns.size // 4 == sizes.size // 3:
            raise ValueError("translations, rotations and scales have the same number of frames")
        return self._animation(name, joints, origins, turns, sizes)

    def _skin(self, inverse_bind: ArrayLike | None) -> _Floats:
        """The inverse bind matrices: the caller's, or those of the joints at rest."""
        rest = self._rest()
        if inverse_bind is None:
            return _matrices(np.linalg.inv(rest.astype(np.float64)), "inverse_bind")
        given = _matrices(inverse_bind, "inverse_bind")
        if len(given) != len(rest):
            raise ValueError(f"inverse_bind has {len(given)} matrices for {len(rest)} joints")
        return given


def _floats(values: Any, what: str, *tail: int) -> _Floats:
    """Floats, in a shape whose last dimensions are ``tail``."""
    try:
        array = np.ascontiguousarray(values, np.float32)
    except (TypeError, ValueError) as error:
        raise TypeError(f"{what}: {error}") from None
    if array.shape[-len(tail) :] != tail:
        raise ValueError(f"{what} has the shape {list(array.shape)}, which has to end with {list(tail)}")
    return array


def _integers(values: Any, what: str, kind: type[np.unsignedinteger[Any]], *tail: int) -> NDArray[Any]:
    """Integers of a type, in a shape whose last dimensions are ``tail``."""
    array = np.asarray(values)
    if array.size == 0:
        return np.empty((0, *tail), kind)
    if array.dtype.kind not in "iu":
        raise TypeError(f"{what} has to be an array of integers")
    if tail and array.shape[-len(tail) :] != tail:
        raise ValueError(f"{what} has the shape {list(array.shape)}, which has to end with {list(tail)}")
    wrong = (array < 0) | (array > np.iinfo(kind).max)
    if wrong.any():
        raise ValueError(f"{what}: {array[wrong][0]} is out of range")
    return np.ascontiguousarray(array, kind)


def _frames(values: Any, what: str, size: int) -> list[_Floats]:
    """The frames of an attribute: ``(n, size)`` is one frame, ``(frames, n, size)`` are several."""
    array = _floats(values, what, size)
    if array.ndim not in (2, 3):
        raise ValueError(f"{what} has the shape {list(array.shape)}; (n, {size}) or (frames, n, {size}) is needed")
    return [array] if array.ndim == 2 else list(array)


def _moving(values: Any, what: str, size: int, count: int) -> list[_Floats]:
    """The frames of an optional attribute, which has as many as the positions."""
    frames = [] if values is None else _frames(values, what, size)
    if values is not None and len(frames) != count:
        raise ValueError(f"{what} has {len(frames)} frames, and positions have {count}")
    return frames


def _sets(values: Any, what: str, size: int) -> list[_Floats]:
    """The sets of an attribute: one array, or a list of arrays."""
    if values is None:
        return []
    if isinstance(values, list | tuple) and all(hasattr(each, "dtype") for each in values):
        return [_floats(each, what, size) for each in values]
    return _frames(values, what, size)


def _matrices(values: Any, what: str) -> _Floats:
    """Matrices by columns, of matrices by rows."""
    array = _floats(values, what, 4, 4)
    if array.ndim > 3:
        raise ValueError(f"{what} has the shape {list(array.shape)}; (4, 4) or (n, 4, 4) is needed")
    return np.ascontiguousarray(array.reshape(-1, 4, 4).swapaxes(1, 2))


def _influences(joints: Any, weights: Any) -> tuple[NDArray[Any], _Floats]:
    """The joints of each point and their weights, which are scaled to add up to 1."""
    indices, given = _integers(joints, "joints", np.uint16, 4), _floats(weights, "weights", 4)
    if indices.size != given.size:
        raise ValueError("joints and weights have the same shape, (points, 4)")
    sums = given.sum(-1, keepdims=True)
    has_sum = (sums > 0) & np.isfinite(sums)
    first = np.array([1, 0, 0, 0], np.float32)
    return indices, np.where(has_sum, given / np.where(has_sum, sums, 1), first)


Model.__module__ = "meshlens"
