# SPDX-License-Identifier: GPL-3.0-or-later
"""Operators that import: files, entries of archives, players, and folders."""

from pathlib import Path

import bpy
import meshlens
from bpy.props import BoolProperty, CollectionProperty, EnumProperty, FloatProperty, IntProperty, StringProperty
from bpy_extras.io_utils import ImportHelper

from .load import load
from .report import ERRORS, Log, Problem, told

EXTENSIONS = (".md3", ".3d", ".uc", ".u3d", ".mesh", ".anim", ".pk3")
#: What a listing in an error shows.
_SHOWN = 8


class ImportOptions:
    """The options of every import."""

    unit: EnumProperty(
        name="Unit",
        description="The length of a unit of the file",
        items=(
            ("METERS", "Meters", "Units of the game become meters, if the format has a common unit"),
            ("UNITS", "Units of the file", "A unit of the file is a unit of Blender"),
        ),
        default="METERS",
    )
    scale: FloatProperty(name="Scale", description="A factor for all lengths", default=1.0, min=1e-6, soft_max=1000)
    frames: EnumProperty(
        name="Frames",
        description="How vertex animations are stored",
        items=(
            ("AUTO", "Automatic", "Shape keys up to 256 frames, a mesh cache for more"),
            ("KEYS", "Shape keys", "Absolute shape keys, which can be edited, and an action for each clip"),
            ("CACHE", "Mesh cache", "A PC2 file and a modifier: fast for long animations"),
            ("NONE", "None", "Only the first frame"),
        ),
        default="AUTO",
    )
    cache_folder: StringProperty(
        name="Cache folder", description="Where PC2 files are written; by default beside the saved file", subtype="DIR_PATH"
    )
    normals: EnumProperty(
        name="Normals",
        items=(
            ("FILE", "Of the file", "Custom normals as they are stored"),
            ("SMOOTH", "Smooth", "Normals that Blender computes"),
        ),
        default="FILE",
    )
    textures: BoolProperty(name="Textures", description="Look for textures, and pack them", default=True)
    tags: BoolProperty(name="Tags", description="Tags as empties", default=True)
    levels: BoolProperty(name="Levels of detail", description="Coarser levels, in hidden collections", default=False)
    whole_player: BoolProperty(
        name="Whole player", description="Import all parts of a player when one of them is chosen", default=True
    )
    skin: StringProperty(name="Skin", description="The skin of a Quake 3 model, such as red; by default the first")
    parts: StringProperty(name="Parts", description="Only these parts of a player, such as upper,head; by default all")
    password: StringProperty(name="Password", description="For encrypted files (Ultimate 3D)", subtype="PASSWORD", options={"SKIP_SAVE"})
    mount: StringProperty(
        name="Game folders",
        description="Folders and archives with textures and companion files, separated by semicolons; by default those "
        "of the game that the file lies in",
    )
    animations: StringProperty(
        name="Animations", description="Animation files (.anim), separated by semicolons; by default those beside the mesh"
    )
    set_range: BoolProperty(
        name="Set frame range", description="Set the range of the scene to that of the first clip", default=True
    )

    def draw_options(self, layout):
        layout.use_property_split = True
        layout.use_property_decorate = False
        for names in (
            ("unit", "scale"),
            ("frames", "cache_folder", "set_range", "animations"),
            ("normals", "textures", "tags", "levels"),
            ("whole_player", "skin", "parts"),
            ("mount", "password"),
        ):
            column = layout.column(heading="")
            for name in names:
                column.prop(self, name)


#: The names of these options, to pass them on.
NAMES = tuple(ImportOptions.__annotations__)


def expand(path, settings):
    """The models that a path has: one, or those of an archive, a folder or a script."""
    if "!" in path or not Path(path).exists():
        return [path]
    if Path(path).suffix.lower() == ".anim":
        return [path]
    if settings.whole_player and Path(path).is_file():
        parent = str(Path(path).parent)
        siblings = [entry for entry in Path(parent).iterdir() if entry.suffix.lower() == Path(path).suffix.lower()]
        if len(siblings) <= 16 and parent in meshlens.models(parent) and _is_part(parent, path):
            return [parent]
    found = meshlens.models(path)
    # A file that is one model is opened by its own name, so that its script is that of the user's choice.
    if not found or (len(found) == 1 and found[0].replace("\\", "/").count("!") == path.count("!") and not Path(path).is_dir()):
        return [path]
    return found


def _is_part(player, path):
    """Whether a file is a part of a player."""
    try:
        with meshlens.open(player, materials=False, lods=False) as scene:
            names = {Path(name.replace("!", "/")).name.lower() for name, _ in scene.files}
            return Path(path).name.lower() in names
    except ERRORS:
        return False


def _files(path, settings):
    """The files of a model, by which one that is chosen twice is known."""
    try:
        with meshlens.open(path, materials=False, lods=False, password=settings.password or None) as scene:
            return frozenset(file for file, _ in scene.files)
    except ERRORS:
        # `load` tells the reason.
        return frozenset({path})


def import_all(operator, paths, settings, spread=0.0):
    """Imports models, each or nothing of it, and reports. Returns the state of an operator."""
    if bpy.context.mode != "OBJECT":
        bpy.ops.object.mode_set(mode="OBJECT")
    log, made, seen, column = Log(), [], set(), 0.0
    for path in paths:
        name = Path(path).name
        files = _files(path, settings) if len(paths) > 1 else frozenset({path})
        if files in seen:
            continue
        seen.add(files)
        try:
            objects = load(path, settings, log)
        except Problem as error:
            log.fail(name, error)
            continue
        if spread:
            for obj in objects:
                if obj.parent is None:
                    obj.location.x += column
            column += spread
        made += objects
    if made:
        bpy.ops.object.select_all(action="DESELECT")
        for obj in made:
            if obj.name in bpy.context.view_layer.objects:
                obj.select_set(True)
        bpy.context.view_layer.objects.active = made[0]
    log.show(operator, f"{len(seen) - len(log.errors)} models imported.")
    return {"FINISHED"} if made else {"CANCELLED"}


class IMPORT_SCENE_OT_meshlens(bpy.types.Operator, ImportHelper, ImportOptions):
    """Import game meshes with their animations, tags, skeletons and materials"""

    bl_idname = "import_scene.meshlens"
    bl_label = "Import game mesh"
    bl_options = {"REGISTER", "UNDO", "PRESET"}

    filename_ext = ".md3"
    filter_glob: StringProperty(default=";".join(f"*{e}" for e in (*EXTENSIONS, ".zip")), options={"HIDDEN"})
    files: CollectionProperty(type=bpy.types.OperatorFileListElement, options={"HIDDEN", "SKIP_SAVE"})
    directory: StringProperty(subtype="DIR_PATH", options={"HIDDEN", "SKIP_SAVE"})
    entry: StringProperty(
        name="Entry",
        description="The model in an archive, a folder or a script, such as models/players/sarge; several are separated "
        "by semicolons, and * is all of them",
        options={"SKIP_SAVE"},
    )

    def draw(self, _context):
        self.draw_options(self.layout)
        self.layout.prop(self, "entry")

    def invoke(self, context, event):
        # Files that are dropped into the view are known already.
        if self.filepath or (self.directory and any(file.name for file in self.files)):
            return context.window_manager.invoke_props_dialog(self, width=420)
        return super().invoke(context, event)

    def paths(self):
        names = [file.name for file in self.files if file.name]
        return [str(Path(self.directory) / name) for name in names] if names else [self.filepath]

    def execute(self, context):
        models = []
        for path in self.paths():
            path = str(Path(bpy.path.abspath(path)))
            try:
                found = expand(path, self)
            except ERRORS as error:
                self.report({"ERROR"}, f"{Path(path).name}: {told(error)}")
                return {"CANCELLED"}
            chosen = self._chosen(path, found)
            if chosen is None:
                if not bpy.app.background:
                    options = {name: getattr(self, name) for name in NAMES}
                    # The dialog imports, and is what can be undone.
                    bpy.ops.import_scene.meshlens_choose("INVOKE_DEFAULT", path=path, **options)
                    return {"CANCELLED"}
                names = ", ".join(_inside(path, entry) for entry in found[:_SHOWN])
                more = f" and {len(found) - _SHOWN} more" if len(found) > _SHOWN else ""
                self.report({"ERROR"}, f"{Path(path).name} has {len(found)} models; name one as the entry: {names}{more}")
                return {"CANCELLED"}
            models += chosen
        return import_all(self, models, self)

    def _chosen(self, path, found):
        if self.entry == "*":
            return found
        if self.entry:
            wanted = [entry.strip() for entry in self.entry.split(";") if entry.strip()]
            known = {_inside(path, entry): entry for entry in found}
            return [known.get(entry, f"{path}!{entry}") for entry in wanted]
        return found if len(found) == 1 else None


def _inside(path, entry):
    """The path of an entry in its container."""
    return entry.removeprefix(path).lstrip("!/\\")


class MeshlensEntry(bpy.types.PropertyGroup):
    """A model in an archive or a folder."""

    path: StringProperty()
    chosen: BoolProperty(name="", description="Import this model")


class MESHLENS_UL_entries(bpy.types.UIList):
    """Models to choose from, which can be searched by name."""

    def draw_item(self, _context, layout, _data, item, _icon, _active_data, _active_name, _index=0, _flag=0):
        row = layout.row(align=True)
        row.prop(item, "chosen")
        row.label(text=item.name)


class IMPORT_SCENE_OT_meshlens_choose(bpy.types.Operator, ImportOptions):
    """Choose models in an archive or a folder"""

    bl_idname = "import_scene.meshlens_choose"
    bl_label = "Import models of an archive"
    bl_options = {"REGISTER", "UNDO"}

    path: StringProperty(options={"HIDDEN"})
    entries: CollectionProperty(type=MeshlensEntry, options={"SKIP_SAVE"})
    active: IntProperty(options={"SKIP_SAVE"})
    spread: FloatProperty(name="Distance", description="Models stand in a row, this far apart", default=0.0, min=0.0)

    def invoke(self, context, _event):
        self.entries.clear()
        for path in meshlens.models(self.path):
            entry = self.entries.add()
            entry.path, entry.name = path, _inside(self.path, path)
        return context.window_manager.invoke_props_dialog(self, width=560)

    def draw(self, _context):
        self.layout.template_list("MESHLENS_UL_entries", "", self, "entries", self, "active", rows=12)
        self.layout.prop(self, "spread")
        self.draw_options(self.layout)

    def execute(self, _context):
        chosen = [entry.path for entry in self.entries if entry.chosen]
        if not chosen and self.entries:
            chosen = [self.entries[self.active].path]
        return import_all(self, chosen, self, self.spread)


class IMPORT_SCENE_OT_meshlens_folder(bpy.types.Operator, ImportOptions):
    """Import every model below a folder"""

    bl_idname = "import_scene.meshlens_folder"
    bl_label = "Import folder of game meshes"
    bl_options = {"REGISTER", "UNDO"}

    directory: StringProperty(subtype="DIR_PATH")
    filter_folder: BoolProperty(default=True, options={"HIDDEN"})
    archives: BoolProperty(name="Archives", description="Also the models in archives", default=False)
    spread: FloatProperty(name="Distance", description="Models stand in a row, this far apart", default=2.0, min=0.0)

    def invoke(self, context, _event):
        context.window_manager.fileselect_add(self)
        return {"RUNNING_MODAL"}

    def draw(self, _context):
        self.layout.prop(self, "archives")
        self.layout.prop(self, "spread")
        self.draw_options(self.layout)

    def execute(self, _context):
        folder = str(Path(bpy.path.abspath(self.directory)))
        try:
            found = meshlens.models(folder, players=self.whole_player, archives=self.archives)
        except ERRORS as error:
            self.report({"ERROR"}, told(error))
            return {"CANCELLED"}
        if not found:
            self.report({"ERROR"}, f"{folder} has no models")
            return {"CANCELLED"}
        return import_all(self, found, self, self.spread)


class MESHLENS_FH_drop(bpy.types.FileHandler):
    """Files that are dropped into the view or the outliner."""

    bl_idname = "MESHLENS_FH_drop"
    bl_label = "Game mesh"
    bl_import_operator = "import_scene.meshlens"
    bl_file_extensions = ";".join(EXTENSIONS)

    @classmethod
    def poll_drop(cls, context):
        return context.area is not None and context.area.type in {"VIEW_3D", "OUTLINER"}


def menu(self, _context):
    self.layout.operator(IMPORT_SCENE_OT_meshlens.bl_idname, text="Game mesh (.md3, .3d, .u3d, .mesh, .pk3)")
    self.layout.operator(IMPORT_SCENE_OT_meshlens_folder.bl_idname, text="Game meshes of a folder")


CLASSES = (
    MeshlensEntry,
    MESHLENS_UL_entries,
    IMPORT_SCENE_OT_meshlens,
    IMPORT_SCENE_OT_meshlens_choose,
    IMPORT_SCENE_OT_meshlens_folder,
    MESHLENS_FH_drop,
)


def register():
    for cls in CLASSES:
        bpy.utils.register_class(cls)
    bpy.types.TOPBAR_MT_file_import.append(menu)


def unregister():
    bpy.types.TOPBAR_MT_file_import.remove(menu)
    for cls in reversed(CLASSES):
        bpy.utils.unregister_class(cls)
