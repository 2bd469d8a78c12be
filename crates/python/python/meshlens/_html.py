"""Tables for notebooks."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ._meshlens import Scene


def _row(cells: list[str], tag: str = "td") -> str:
    return "<tr>" + "".join(f"<{tag}>{escape(cell)}</{tag}>" for cell in cells) + "</tr>"


def scene(scene: Scene) -> str:
    """A table of the meshes of a scene."""
    if scene.closed:
        return escape(repr(scene))
    nodes = scene.nodes
    rows = [_row(["node", "mesh", "points", "triangles", "frames", "material"], "th")]
    for mesh in scene.meshes[:100]:
        node = nodes[mesh.node]
        material = "" if mesh.material is None else node.materials[mesh.material].name
        counts = [str(count) for count in (mesh.point_count, mesh.triangle_count, mesh.frame_count)]
        rows.append(_row([node.name, mesh.name, *counts, material]))
    clips = ", ".join(clip.name for clip in scene.clips[:30])
    caption = f"{escape(scene.path)} ({escape(scene.format or 'memory')})"
    below = f"<p>Clips: {escape(clips)}</p>" if clips else ""
    return f"<table><caption>{caption}</caption>{''.join(rows)}</table>{below}"
