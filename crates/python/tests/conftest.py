"""The corpus, and models that tests make."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
import pytest

import meshlens

ROOT = Path(__file__).parents[3]


@pytest.fixture(scope="session")
def corpus() -> Path:
    """The folder of models that belongs to this repository."""
    return ROOT / "corpus"


@pytest.fixture(scope="session")
def doors() -> Path:
    """The folder of models that every interface is compared by."""
    return ROOT / "crates/testkit/doors"


@pytest.fixture(scope="session")
def real() -> Path:
    """A folder of real files, and of what independent readers say about them."""
    folder = os.environ.get("MESHLENS_REAL")
    if not folder:
        pytest.skip("MESHLENS_REAL names no folder of real files")
    return Path(folder)


def square(**kwargs: object) -> meshlens.Model:
    """A model of one square in the XY plane with two frames: the second is 4 units higher."""
    model = meshlens.Model("square", space="md3")
    points = np.array([[0, 0, 0], [8, 0, 0], [8, 8, 0], [0, 8, 0]], np.float32)
    frames = np.stack([points, points + np.float32([0, 0, 4])])
    normals = np.zeros((2, 4, 3), np.float32)
    normals[..., 2] = 1
    texcoords = points[:, :2] / 8
    model.add_mesh(
        "square", frames, [[0, 1, 2], [0, 2, 3]], normals=normals, texcoords=texcoords, **kwargs  # type: ignore[arg-type]
    )
    model.add_clip(meshlens.Clip("rise", 0, 2, 4.0))
    return model


@pytest.fixture
def md3() -> bytes:
    """The square as an MD3 file."""
    exported = square().scene().export("md3")
    return exported.files["square.md3"]
