# SPDX-License-Identifier: GPL-3.0-or-later
"""Axes, units and matrices of whole animations as arrays."""

import numpy as np


def scale_of(space, settings):
    """The factor from the unit of a space to that of Blender."""
    meters = (space.meters or 1.0) if settings.unit == "METERS" else 1.0
    return meters * settings.scale


class Axes:
    """The conversion from the space of a model to that of Blender."""

    def __init__(self, space, scale, placement=None):
        self.matrix = space.matrix_to("blender", scale).astype(np.float64)
        self.inverse = np.linalg.inv(self.matrix)
        placement = np.eye(4) if placement is None else placement.astype(np.float64)
        self.placed = self.matrix @ placement
        mirrors = np.linalg.det(placement[:3, :3]) < 0
        self.swaps_winding = space.swaps_winding("blender") != mirrors

    def points(self, positions):
        """Positions ``(..., 3)``, as the script of a model places them."""
        matrix = self.placed.astype(np.float32)
        return positions @ matrix[:3, :3].T + matrix[:3, 3]

    def normals(self, normals):
        """Normals ``(..., 3)``, of length 1."""
        turned = normals @ np.linalg.inv(self.placed[:3, :3]).astype(np.float32)
        length = np.linalg.norm(turned, axis=-1, keepdims=True)
        return np.divide(turned, length, out=np.zeros_like(turned), where=length > 0)

    def transforms(self, matrices):
        """Matrices ``(..., 4, 4)`` between two frames of reference that are both converted."""
        return self.matrix @ matrices @ self.inverse


def compose(translations, rotations, scales):
    """Matrices ``(..., 4, 4)`` of translations, quaternions x, y, z, w and scales."""
    x, y, z, w = np.moveaxis(np.asarray(rotations, np.float64), -1, 0)
    matrices = np.zeros((*x.shape, 4, 4))
    rows = (
        (1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w)),
        (2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w)),
        (2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)),
    )
    for row, values in enumerate(rows):
        for column, value in enumerate(values):
            matrices[..., row, column] = value
    matrices[..., :3, :3] *= np.asarray(scales, np.float64)[..., None, :]
    matrices[..., :3, 3] = translations
    matrices[..., 3, 3] = 1
    return matrices


def quaternions(rotations):
    """Quaternions w, x, y, z of rotation matrices ``(n, 3, 3)``. Neighbours have the same sign."""
    m = rotations
    xx, yy, zz = m[:, 0, 0], m[:, 1, 1], m[:, 2, 2]
    # Four times the square of each component; the largest is the divisor.
    squares = np.stack([1 + xx + yy + zz, 1 + xx - yy - zz, 1 - xx + yy - zz, 1 - xx - yy + zz], -1)
    best = squares.argmax(-1)
    a, b, c = m[:, 2, 1] - m[:, 1, 2], m[:, 0, 2] - m[:, 2, 0], m[:, 1, 0] - m[:, 0, 1]
    d, e, f = m[:, 1, 0] + m[:, 0, 1], m[:, 0, 2] + m[:, 2, 0], m[:, 2, 1] + m[:, 1, 2]
    s0, s1, s2, s3 = squares.T
    choices = np.stack(
        [
            np.stack([s0, a, b, c], -1),
            np.stack([a, s1, d, e], -1),
            np.stack([b, d, s2, f], -1),
            np.stack([c, e, f, s3], -1),
        ],
        1,
    )
    found = choices[np.arange(len(m)), best]
    found /= np.linalg.norm(found, axis=-1, keepdims=True)
    if len(found) > 1:
        turns = np.where((found[1:] * found[:-1]).sum(-1) < 0, -1.0, 1.0)
        found[1:] *= np.cumprod(turns)[:, None]
    return found


def decompose(matrices):
    """Translations, quaternions w, x, y, z, scales, and the largest error, of matrices ``(n, 4, 4)``: a matrix that also
    shears is not the product of the three."""
    linear = matrices[:, :3, :3]
    scales = np.linalg.norm(linear, axis=1)
    mirrored = np.linalg.det(linear) < 0
    scales[mirrored] *= -1
    safe = np.where(np.abs(scales) < 1e-12, 1.0, scales)
    rotations = linear / safe[:, None, :]
    flat = (np.abs(scales) < 1e-12).any(-1)
    rotations[flat] = np.eye(3)
    turns = quaternions(rotations)
    again = compose(matrices[:, :3, 3], np.roll(turns, -1, -1), scales)
    error = float(np.abs(again - matrices).max()) if len(matrices) else 0.0
    return matrices[:, :3, 3], turns, scales, error


def rigid(matrices):
    """Rotation and origin of matrices ``(n, 4, 4)``."""
    origins, turns, scales, _ = decompose(matrices)
    return compose(origins, np.roll(turns, -1, -1), np.ones_like(scales))
