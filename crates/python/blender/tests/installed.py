# SPDX-License-Identifier: GPL-3.0-or-later
"""Installs a zip as a user does, and imports a model: python tests/installed.py ZIP. The package must not be installed otherwise."""

import os
import sys
import tempfile
from pathlib import Path

folder = tempfile.mkdtemp()
os.environ["BLENDER_USER_RESOURCES"] = folder

import bpy  # noqa: E402

bpy.ops.wm.read_factory_settings(use_empty=True)
bpy.ops.preferences.addon_enable(module="bl_pkg")
bpy.ops.extensions.package_install_files(filepath=str(Path(sys.argv[1]).resolve()), repo="user_default", enable_on_install=True)

import meshlens  # noqa: E402

assert meshlens.__file__.startswith(folder), f"the package is that of {meshlens.__file__}"
model = Path(__file__).parents[4] / "corpus/gallery/flag.md3"
assert bpy.ops.import_scene.meshlens(filepath=str(model)) == {"FINISHED"}
assert len(bpy.data.objects["flag"].children) == 2
print(f"installed in Blender {bpy.app.version_string}, and a model is imported")
sys.stdout.flush()
os._exit(0)
