# SPDX-License-Identifier: GPL-3.0-or-later
"""What dialogs and panels show. Their layouts are recorded, because there are no windows."""

from unittest.mock import MagicMock

import bpy
import meshlens
from conftest import CORPUS, load
from meshlens_blender import export_ops, import_ops, panel, save


def labels(layout):
    """Every text of a layout and of the layouts in it."""
    return [call.kwargs["text"] for call in layout.mock_calls if "text" in call.kwargs]


def test_the_panel_lists_clips_with_their_rates():
    load(CORPUS / "md3/player/lower.md3")
    bpy.context.view_layer.objects.active = bpy.data.objects["l_legs"]
    assert panel.MESHLENS_PT_clips.poll(bpy.context)
    shown = MagicMock()
    panel.MESHLENS_PT_clips.draw(shown, bpy.context)
    assert "LEGS_WALK   20 fps" in labels(shown.layout) and "TORSO_ATTACK   15 fps" in labels(shown.layout)
    assert bpy.ops.meshlens.play_clip(clip="LEGS_WALK") == {"FINISHED"}
    keys = bpy.data.objects["l_legs"].data.shape_keys
    assert keys.animation_data.action.name.startswith("LEGS_WALK")
    # Two frames at 20 per second, of which the last is held if the clip repeats.
    assert bpy.context.scene.frame_end in (2, 3)


def test_losses_are_shown_before_anything_is_written(tmp_path):
    bpy.ops.mesh.primitive_cube_add(size=3000)
    (tmp_path / "box.uc").write_text("mine")

    class Settings:
        format, scope, clips, step, skins, unit, scale = "unreal", "SELECTION", "NONE", 1, True, "UNITS", 1.0

    class Dialog(MagicMock):
        plan = save.Plan(bpy.context, str(tmp_path / "box_d.3d"), Settings)
        write = True

    dialog = Dialog()
    export_ops.EXPORT_SCENE_OT_meshlens_confirm.draw(dialog, bpy.context)
    shown = labels(dialog.layout)
    assert shown[0] == "box_d.3d, box_a.3d, box.uc: nothing is written yet"
    assert "This replaces box.uc" in shown
    assert [path.name for path in tmp_path.iterdir()] == ["box.uc"]


def test_options_are_drawn():
    for cls in (import_ops.IMPORT_SCENE_OT_meshlens_choose, import_ops.IMPORT_SCENE_OT_meshlens_folder):
        shown = MagicMock()
        cls.draw(shown, bpy.context)
        shown.draw_options.assert_called_once()
    layout = MagicMock()
    options = MagicMock()
    import_ops.ImportOptions.draw_options(options, layout)
    drawn = [call.args[1] for call in layout.column.return_value.prop.mock_calls]
    assert sorted(drawn) == sorted(import_ops.NAMES)


def test_entries_are_chosen_from_a_list():
    archive = str(CORPUS / "md3/models.pk3")
    entries = [{"name": path, "path": path, "chosen": "deflated" in path} for path in meshlens.models(archive)]
    assert bpy.ops.import_scene.meshlens_choose(path=archive, entries=entries) == {"FINISHED"}
    assert [obj.name for obj in bpy.data.objects if obj.parent is None] in (["deflated"], ["ring"], ["figure_1"])
