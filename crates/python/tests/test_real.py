"""Real files, compared with what independent readers found in them."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import meshlens


def documents(format: str) -> Iterator[Any]:
    """What an independent reader found in each file of a format."""
    folder = os.environ.get("MESHLENS_REAL")
    if folder:
        with open(Path(folder, "expected", f"{format}.jsonl"), encoding="utf-8") as lines:
            yield from map(json.loads, lines)


def check(found: Any, expected: Any, name: str) -> None:
    """Compares an array with its shape, and with the minimum, the maximum and the mean of each component."""
    assert list(found.shape) == expected["shape"], name
    if found.size:
        rows = found.reshape(-1, found.shape[-1]).astype(np.float64)
        for what, value in (("min", rows.min(0)), ("max", rows.max(0)), ("mean", rows.mean(0))):
            assert np.allclose(value, expected[what], rtol=1e-5, atol=2e-4), f"{name}: {what}"


@pytest.mark.parametrize("document", list(documents("md3")), ids=lambda document: document["uri"])
def test_md3(real: Path, document: Any) -> None:
    scene = meshlens.open(real / document["uri"], lods=False, materials=False)
    node = scene.nodes[0]
    assert [mesh.name for mesh in node.meshes] == [surface["name"] for surface in document["surfaces"]]
    for mesh, surface in zip(node.meshes, document["surfaces"]):
        check(mesh.positions(slice(None)), surface["positions"], "positions")
        check(mesh.texcoords(), surface["texcoords"], "texture coordinates")
        normals = mesh.normals(slice(None))
        # Normals of the file are two angles: kernels are within their tolerance of the exact values.
        assert normals is not None and list(normals.shape) == surface["normals"]["shape"]
        if normals.size:
            mean = normals.reshape(-1, 3).astype(np.float64).mean(0)
            assert np.allclose(mean, surface["normals"]["mean"], atol=2e-4)
        if surface["triangles"]["shape"][0]:
            check(mesh.triangles(), surface["triangles"], "triangles")
    tags = document["tags"]
    assert [tag.name for tag in node.tags] == tags["names"]
    if tags["names"] and tags["origin"]["shape"][0]:
        origins = np.stack([tag.matrix(slice(None))[:, :3, 3] for tag in node.tags], 1)
        check(origins, tags["origin"], "origins of tags")
    assert node.frame_names == [] or len(node.frame_names) == len(document["frames"])


@pytest.mark.parametrize("document", list(documents("unreal")), ids=lambda document: document["uri"])
def test_unreal(real: Path, document: Any) -> None:
    scene = meshlens.open(real / document["uri"], materials=False)
    assert scene.format == "unreal"
    positions = [array.decode() for array in scene.arrays if array.semantic == "positions"]
    check(np.stack(positions), document["positions"], "positions")
    mesh = scene.nodes[0].meshes[0]
    assert mesh.frame_count == document["frames"]
    # Every frame of the model, against the arrays of the file.
    points = mesh.positions(slice(None))
    assert points.shape[0] == document["frames"] and points.shape[1] <= document["vertices"]


@pytest.mark.parametrize("document", list(documents("u3d")), ids=lambda document: document["uri"])
def test_u3d(real: Path, document: Any) -> None:
    password = document.get("password")
    scene = meshlens.open(real / document["uri"], materials=False, **({"password": password} if password else {}))
    assert scene.version == document["version"]
    found = [array for array in scene.arrays if array.semantic == "positions"]
    assert len(found) == len(document["meshes"])
    for array, mesh in zip(found, document["meshes"]):
        check(array.decode(), mesh["positions"], f"positions of {mesh['name']}")


@pytest.mark.parametrize("document", list(documents("unigine")), ids=lambda document: document["uri"])
def test_unigine(real: Path, document: Any) -> None:
    scene = meshlens.open(real / document["uri"], materials=False, animations=())
    assert scene.version == document["version"]
    assert [joint.name for joint in scene.nodes[0].joints] == [bone["name"] for bone in document.get("bones", [])]
    meshes = scene.nodes[0].meshes
    for mesh, surface in zip(meshes, document.get("surfaces", [])):
        assert mesh.name == surface["name"]
        check(mesh.positions(0), surface["morph_targets"][0]["positions"], "positions")


def test_the_ten_lines_on_a_player(tmp_path: Path) -> None:
    """The first lines of the README, on the archive of a game."""
    folder = os.environ.get("MESHLENS_OPENARENA")
    if not folder:
        pytest.skip("MESHLENS_OPENARENA names no folder of archives")
    scene = meshlens.open(f"{folder}/pak0.pk3!models/players/sarge")
    assert [node.name for node in scene.nodes] == ["lower", "upper", "head"]
    legs = scene.meshes[0]
    moved = legs.vertices("LEGS_RUN", 0.25, "positions normals texcoords", space="gltf")
    assert len(moved) == legs.vertex_count and np.isfinite(moved["positions"]).all()
    glb = scene.to_glb()
    assert glb[:4] == b"glTF" and scene.thumb(256)[:4] == b"\x89PNG"
    again = meshlens.open(glb, name="sarge.glb")
    assert {"LEGS_RUN", "TORSO_STAND"} <= {clip.name for clip in again.clips}
