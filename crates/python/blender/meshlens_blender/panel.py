# SPDX-License-Identifier: GPL-3.0-or-later
"""The clips of the active model, in the sidebar of the view."""

import bpy
from bpy.props import StringProperty

from . import actions


class MESHLENS_OT_play_clip(bpy.types.Operator):
    """Show a clip on every part of the model that it moves"""

    bl_idname = "meshlens.play_clip"
    bl_label = "Show clip"
    bl_options = {"REGISTER", "UNDO"}

    clip: StringProperty(name="Clip")

    @classmethod
    def poll(cls, context):
        return context.object is not None

    def execute(self, context):
        objects = actions.family(context.object)
        found = actions.clips_of(objects).get(self.clip)
        if not found:
            self.report({"ERROR"}, f"{context.object.name} has no clip {self.clip}")
            return {"CANCELLED"}
        actions.play_clip(objects, found)
        end = max(action.frame_end for action in found)
        context.scene.frame_start, context.scene.frame_end = 1, max(round(end), 1)
        return {"FINISHED"}


class MESHLENS_PT_clips(bpy.types.Panel):
    bl_label = "Clips"
    bl_space_type = "VIEW_3D"
    bl_region_type = "UI"
    bl_category = "Game mesh"

    @classmethod
    def poll(cls, context):
        return context.object is not None and actions.MODEL in context.object

    def draw(self, context):
        objects = actions.family(context.object)
        shown = {
            owner.animation_data.action.get(actions.CLIP)
            for obj in objects
            for owner in actions.owners_of(obj)
            if owner.animation_data and owner.animation_data.action
        }
        column = self.layout.column(align=True)
        for name, found in actions.clips_of(objects).items():
            rate = found[0][actions.RATE]
            row = column.operator("meshlens.play_clip", text=f"{name}   {rate:g} fps", depress=name in shown)
            row.clip = name


CLASSES = (MESHLENS_OT_play_clip, MESHLENS_PT_clips)


def register():
    for cls in CLASSES:
        bpy.utils.register_class(cls)


def unregister():
    for cls in reversed(CLASSES):
        bpy.utils.unregister_class(cls)
