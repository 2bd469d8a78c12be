# SPDX-License-Identifier: GPL-3.0-or-later
"""The operator that exports, and the dialog that shows what is lost before anything is written."""

from pathlib import Path

import bpy
from bpy.props import BoolProperty, EnumProperty, FloatProperty, IntProperty, StringProperty
from bpy_extras.io_utils import ExportHelper

from .report import ERRORS, Log, Problem, draw_lines
from .save import plan

EXTENSIONS = {"md3": ".md3", "unreal": "_d.3d", "u3d": ".u3d", "unigine": ".mesh"}


class EXPORT_SCENE_OT_meshlens(bpy.types.Operator, ExportHelper):
    """Export evaluated meshes, frame by frame, as a game mesh"""

    bl_idname = "export_scene.meshlens"
    bl_label = "Export game mesh"
    bl_options = {"REGISTER", "PRESET"}

    filename_ext = ""
    filter_glob: StringProperty(default="*.md3;*.3d;*.u3d;*.mesh", options={"HIDDEN"})
    format: EnumProperty(
        name="Format",
        items=(
            ("md3", "Quake 3 MD3", "One .md3, with animation.cfg or a list of clips"),
            ("unreal", "Unreal vertex mesh", "_d.3d, _a.3d and .uc"),
            ("u3d", "Ultimate 3D", "One .u3d, with its skeleton"),
            ("unigine", "UNIGINE", "One .mesh, and an .anim for each clip of its skeleton"),
        ),
        default="md3",
    )
    scope: EnumProperty(
        name="Objects",
        items=(
            ("SELECTION", "Selection", "The selected objects"),
            ("SCENE", "Visible scene", "All visible objects"),
            ("PART", "Active part", "The part of a player that the active object belongs to, relative to its root"),
            ("PLAYER", "Whole player", "All parts of the player of the active object, as MD3, with one animation.cfg"),
        ),
        default="SELECTION",
    )
    clips: EnumProperty(
        name="Clips",
        items=(
            ("AUTO", "Automatic", "The actions that move the objects, or the range of the scene if there are none"),
            ("ACTIONS", "Actions", "Each action that moves the objects is a clip"),
            ("MARKERS", "Markers", "A clip begins at each marker of the timeline"),
            ("RANGE", "Frame range", "The range of the scene is one clip"),
            ("NONE", "Current frame", "No animation"),
        ),
        default="AUTO",
    )
    step: IntProperty(name="Step", description="Frames of the scene from one exported frame to the next", default=1, min=1)
    skins: BoolProperty(
        name="Skeletons",
        description="Keep armatures and weights if the format has them; otherwise all frames are vertices",
        default=True,
    )
    unit: EnumProperty(
        name="Unit",
        items=(
            ("METERS", "Meters", "Meters become units of the game, if the format has a common unit"),
            ("UNITS", "Units of Blender", "A unit of Blender is a unit of the file"),
        ),
        default="METERS",
    )
    scale: FloatProperty(name="Scale", description="The factor that the import had", default=1.0, min=1e-6, soft_max=1000)
    check_only: BoolProperty(name="Check only", description="Show what would be lost, and write nothing", default=False)
    overwrite: BoolProperty(name="Replace files", default=True, options={"HIDDEN"})

    def draw(self, _context):
        layout = self.layout
        layout.use_property_split = True
        layout.use_property_decorate = False
        for name in ("format", "scope", "clips", "step", "skins", "unit", "scale", "check_only"):
            if name != "skins" or self.format in ("u3d", "unigine"):
                layout.prop(self, name)

    def check(self, _context):
        path = Path(self.filepath)
        stem = path.name
        for extension in EXTENSIONS.values():
            stem = stem.removesuffix(extension)
        wanted = str(path.with_name(stem + EXTENSIONS[self.format])) if stem else self.filepath
        changed, self.filepath = wanted != self.filepath, wanted
        return changed

    def invoke(self, context, event):
        self.asks = True
        return super().invoke(context, event)

    def execute(self, context):
        if context.mode != "OBJECT":
            bpy.ops.object.mode_set(mode="OBJECT")
        self.check(context)
        log = Log()
        path = bpy.path.abspath(self.filepath)
        try:
            made = plan(context, path, self)
        except (Problem, *ERRORS) as error:
            log.fail(Path(path).name, error)
            log.show(self, "")
            return {"CANCELLED"}
        if getattr(self, "asks", False) and (made.notes or made.replaced() or self.check_only):
            EXPORT_SCENE_OT_meshlens_confirm.plan = made
            bpy.ops.export_scene.meshlens_confirm("INVOKE_DEFAULT", write=not self.check_only)
            return {"FINISHED"}
        return _write(self, made, not self.check_only, self.overwrite)


def _write(operator, plan, wanted, overwrite=True):
    log = Log()
    for note in plan.notes:
        log.note("", note)
    try:
        written = plan.write(overwrite) if wanted else []
    except ERRORS as error:
        log.fail(plan.path.name, error)
        log.show(operator, "")
        return {"CANCELLED"}
    names = ", ".join(path.name for path in written)
    log.show(operator, f"{names} written." if wanted else "Nothing is written.")
    return {"FINISHED"}


class EXPORT_SCENE_OT_meshlens_confirm(bpy.types.Operator):
    """What the export loses, before it is written"""

    bl_idname = "export_scene.meshlens_confirm"
    bl_label = "Export game mesh"
    bl_options = {"INTERNAL"}

    plan = None
    write: BoolProperty(default=True)

    def invoke(self, context, _event):
        return context.window_manager.invoke_props_dialog(self, width=640)

    def draw(self, _context):
        plan = type(self).plan
        layout = self.layout
        layout.label(text=f"{', '.join(plan.files)}: nothing is written yet" if self.write else "Nothing will be written")
        if plan.notes:
            layout.label(text="This changes:", icon="INFO")
            draw_lines(layout, plan.notes)
        if replaced := plan.replaced():
            layout.label(text=f"This replaces {', '.join(replaced)}", icon="ERROR")

    def execute(self, _context):
        plan, type(self).plan = type(self).plan, None
        return {"CANCELLED"} if plan is None else _write(self, plan, self.write)


def menu(self, _context):
    self.layout.operator(EXPORT_SCENE_OT_meshlens.bl_idname, text="Game mesh (.md3, .3d, .u3d, .mesh)")


CLASSES = (EXPORT_SCENE_OT_meshlens, EXPORT_SCENE_OT_meshlens_confirm)


def register():
    for cls in CLASSES:
        bpy.utils.register_class(cls)
    bpy.types.TOPBAR_MT_file_export.append(menu)


def unregister():
    bpy.types.TOPBAR_MT_file_export.remove(menu)
    for cls in reversed(CLASSES):
        bpy.utils.unregister_class(cls)
