"""The positions of all vertex frames, for readers that keep them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from ._meshlens import Mesh, Node, Pose


def frames(pose: Pose, node: Node, mesh: Mesh, space: Any, scale: float) -> NDArray[np.float32]:
    """The positions of the vertices in all frames, ``(frames, vertices, 3)``, where the pose shows the node: placed by a script,
    attached to tags, in the space."""
    matrix = pose.matrix(node, space=space, scale=scale).astype(np.float64) @ node.placement
    positions = mesh.positions(slice(None)) @ matrix[:3, :3].T + matrix[:3, 3]
    points = mesh.points
    return (positions if points is None else positions[:, points]).astype(np.float32)
