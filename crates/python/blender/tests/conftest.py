# SPDX-License-Identifier: GPL-3.0-or-later
"""Blender as a module, with the add-on registered."""

import os
import sys
from pathlib import Path

import bpy
import numpy as np
import pytest

HERE = Path(__file__).parents[1]
ROOT = HERE.parents[2]
CORPUS = ROOT / "corpus"
sys.path.insert(0, str(HERE))

import meshlens_blender  # noqa: E402
from meshlens_blender import actions  # noqa: E402

MODELS = {".md3", ".3d", ".u3d", ".mesh", ".uc"}


def models_of(folder):
    """The files of models below a folder: one of each pair of Unreal's."""
    found = sorted(path for path in folder.rglob("*") if path.suffix.lower() in MODELS)
    return [path for path in found if not path.stem.lower().endswith("_a") and "ANIV" not in path.name]


def real_models():
    folder = os.environ.get("MESHLENS_REAL")
    return models_of(Path(folder)) if folder else []


@pytest.fixture(autouse=True)
def blender():
    """An empty file with the add-on registered."""
    bpy.ops.wm.read_factory_settings(use_empty=True)
    meshlens_blender.register()
    yield
    meshlens_blender.unregister()


@pytest.hookimpl(trylast=True)
def pytest_sessionfinish(session, exitstatus):
    """Some versions of the module bpy do not end by themselves."""
    reporter = session.config.pluginmanager.get_plugin("terminalreporter")
    if reporter is not None:
        reporter.summary_stats()
        if exitstatus:
            reporter.summary_failures()
            reporter.summary_errors()
            reporter.short_test_summary()
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(int(exitstatus))


def load(path, **options):
    """Imports a model, and returns the objects of the scene."""
    assert bpy.ops.import_scene.meshlens(filepath=str(path), **options) == {"FINISHED"}
    return list(bpy.context.scene.objects)


def world_positions(obj):
    """The evaluated positions of an object in the world."""
    depsgraph = bpy.context.evaluated_depsgraph_get()
    shown = obj.evaluated_get(depsgraph)
    mesh = shown.data
    found = np.empty(len(mesh.vertices) * 3, np.float32)
    mesh.vertices.foreach_get("co", found)
    matrix = np.array(shown.matrix_world)
    return found.reshape(-1, 3) @ matrix[:3, :3].T + matrix[:3, 3]


def show(objects, name, time):
    """Shows a clip at a time in seconds."""
    found = actions.clips_of(objects)
    actions.play_clip(objects, found[name])
    scene = bpy.context.scene
    at = 1 + time * actions.frame_rate(scene)
    whole = int(np.floor(at + 1e-4))
    scene.frame_set(whole, subframe=float(np.clip(at - whole, 0, 0.999999)))
