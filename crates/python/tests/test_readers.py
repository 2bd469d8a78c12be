"""Readers of trimesh and pyvista."""

from __future__ import annotations

import shutil
import zipfile
from pathlib import Path

import numpy as np
import pytest

import meshlens


def test_trimesh(corpus: Path, tmp_path: Path) -> None:
    trimesh = pytest.importorskip("trimesh")
    import meshlens.trimesh as reader

    before = set(trimesh.exchange.load.mesh_loaders)
    reader.register()
    assert set(trimesh.exchange.load.mesh_loaders) - before <= {"md3", "3d"}
    assert "u3d" not in trimesh.exchange.load.mesh_loaders and "mesh" not in trimesh.exchange.load.mesh_loaders
    path = corpus / "md3/static.md3"
    loaded = trimesh.load_scene(str(path), process=False)
    mesh = meshlens.open(path).meshes[0]
    [geometry] = loaded.geometry.values()
    assert np.array_equal(geometry.vertices, mesh.vertices(layout="positions", space="gltf")["positions"])
    assert np.array_equal(geometry.faces, mesh.triangles("gltf"))
    # A closed box whose faces point outwards has a positive volume.
    box = reader.to_scene(corpus / "gallery/crate.md3").to_mesh()
    box.merge_vertices(merge_tex=True, merge_norm=True)
    assert box.volume == pytest.approx(16**3, rel=0.01)
    flag = reader.to_scene(corpus / "gallery/flag.md3")
    frames = next(iter(flag.geometry.values())).metadata["frames"]
    assert frames.shape[0] == 8 and np.array_equal(frames[0], next(iter(flag.geometry.values())).vertices)
    with zipfile.ZipFile(tmp_path / "models.zip", "w") as archive:
        archive.write(path, "static.md3")
    with zipfile.ZipFile(tmp_path / "models.zip") as archive, archive.open("static.md3") as member:
        [same] = trimesh.load_scene(member, file_type="md3", process=False).geometry.values()
    assert np.array_equal(same.vertices, geometry.vertices)
    player = tmp_path / "player"
    shutil.copytree(corpus / "md3/player", player)
    assert len(reader.to_scene(player, "LEGS_RUN", 0.1).geometry) == 3
    # Frames are where the vertices are: on the tag of the legs, or as a script places them.
    for source in [player, corpus / "unreal/Classes/Figure.uc"]:
        scene = meshlens.open(source)
        made = reader.to_scene(scene)
        kept = [(mesh, made.geometry[f"{scene.nodes[mesh.node].name}/{mesh.name}"]) for mesh in scene.meshes]
        moving = [(mesh, geometry) for mesh, geometry in kept if "frames" in geometry.metadata]
        assert moving
        for mesh, geometry in moving:
            frame = scene.nodes[mesh.node].rest_frame
            assert np.allclose(geometry.metadata["frames"][frame], geometry.vertices, atol=1e-4)


def test_surfaces_without_points(corpus: Path) -> None:
    path = corpus / "md3/empty_surface.md3"
    counts = [mesh.point_count for mesh in meshlens.open(path).meshes]
    assert 0 in counts
    pytest.importorskip("trimesh")
    import meshlens.trimesh as trimesh_reader

    assert len(trimesh_reader.to_scene(path).geometry) == sum(count > 0 for count in counts)
    pytest.importorskip("pyvista")
    import meshlens.pyvista as pyvista_reader

    blocks = pyvista_reader.to_multiblock(path)
    assert [blocks[index].n_points for index in range(len(blocks))] == counts


def test_pyvista(corpus: Path) -> None:
    pyvista = pytest.importorskip("pyvista")
    import meshlens.pyvista as reader

    reader.register()
    reader.register([".u3d"])
    path = corpus / "gallery/flag.md3"
    blocks = pyvista.read(str(path))
    mesh = meshlens.open(path).meshes[0]
    flag = blocks[0]
    assert blocks.keys() == ["flag", "pole"] or len(blocks) == 2
    assert np.allclose(flag.points, mesh.vertices(layout="positions", space="unigine")["positions"])
    assert flag.n_cells == mesh.triangle_count and flag.point_data["frame_0007"].shape == (mesh.point_count, 3)
    assert np.array_equal(flag.point_data["frame_0000"], flag.points)
    assert set(flag.cell_data["material"]) == {mesh.material}
    crate = reader.to_multiblock(corpus / "gallery/crate.md3").combine().extract_surface(algorithm="dataset_surface").clean()
    assert abs(crate.volume) == pytest.approx(16**3, rel=0.01)
    walker = reader.to_multiblock(corpus / "gallery/walker.u3d", "walk", 0.1)
    assert walker.n_blocks == 1 and "frame_0000" not in walker[0].point_data
