# SPDX-License-Identifier: GPL-3.0-or-later
"""Import and export of game meshes. The package meshlens, a wheel of this extension, knows the formats."""

from . import export_ops, import_ops, panel

_MODULES = (import_ops, export_ops, panel)


def register():
    for module in _MODULES:
        module.register()


def unregister():
    for module in reversed(_MODULES):
        module.unregister()
