# SPDX-License-Identifier: GPL-3.0-or-later
"""Clips as actions. From Blender 4.4 on, one action has a slot for each part that a clip moves; before, each part has an action
of its own."""

import bpy
import numpy as np

SLOTS = "slots" in bpy.types.Action.bl_rna.properties
#: Custom properties of actions: the clip, the model, the rate, the number of frames, and whether it repeats.
CLIP, MODEL, RATE, COUNT, CYCLE = (f"meshlens_{name}" for name in ("clip", "model", "rate", "count", "cycle"))
#: Custom property of an object or of shape keys: the name of the track that moves it.
TRACK = "meshlens_track"
CONSTANT, LINEAR = 0, 1


def frame_rate(scene):
    return scene.render.fps / scene.render.fps_base


def times(clip, fps, start=1.0):
    """The frames of the scene at which the frames of a clip are shown."""
    return start + np.arange(clip.count) * (fps / clip.rate)


class ClipActions:
    """Makes the action, or the actions, of one clip."""

    def __init__(self, name, model):
        self.name, self.model = name, model
        self.action = None
        self.made = {}

    def _new(self, clip, span):
        action = bpy.data.actions.new(self.name)
        action.use_fake_user = True
        action[CLIP], action[MODEL], action[RATE], action[COUNT] = self.name, self.model, clip.rate, clip.count
        action[CYCLE] = clip.is_cycle
        action.use_frame_range = True
        action.frame_start, action.frame_end = span
        action.use_cyclic = clip.is_cycle
        return action

    def curves(self, owner, track, clip, fps):
        """The curves of a track; ``None`` if the track has its curves. Owners with the same track share them."""
        owner[TRACK] = track
        key = (owner.id_type, track)
        if key in self.made:
            return None
        end = 1.0 + (clip.count if clip.is_cycle else clip.count - 1) * (fps / clip.rate)
        if not SLOTS:
            action = self._new(clip, (1.0, end))
            action[TRACK], action.id_root = track, owner.id_type
            self.made[key] = action
            return action.fcurves
        if self.action is None:
            self.action = self._new(clip, (1.0, end))
            self.action.layers.new("Clip").strips.new(type="KEYFRAME")
        elif end > self.action.frame_end:
            self.action.frame_end = end
        slot = self.action.slots.new(id_type=owner.id_type, name=track)
        self.made[key] = self.action
        return self.action.layers[0].strips[0].channelbag(slot, ensure=True).fcurves


def write_curve(curves, path, index, at, values, clip, fps, group=None):
    """A curve through values, one for each frame of a clip. A clip that repeats shows its last frame until it starts again."""
    curve = curves.new(path, index=index)
    if not SLOTS and group is not None:
        action = curve.id_data
        curve.group = action.groups.get(group) or action.groups.new(group)
    count = len(values)
    cycle = clip.is_cycle and count > 1
    points = np.empty((count + cycle, 2), np.float32)
    points[:count, 0], points[:count, 1] = at, values
    kinds = np.full(count + cycle, LINEAR, np.int32)
    if cycle:
        points[count] = at[0] + count * (fps / clip.rate), values[0]
        kinds[count - 1] = CONSTANT
    curve.keyframe_points.add(len(points))
    curve.keyframe_points.foreach_set("co", points.ravel())
    curve.keyframe_points.foreach_set("interpolation", kinds)
    if cycle:
        curve.modifiers.new("CYCLES")
    curve.update()
    return curve


def slot_for(owner, action):
    """The slot of an action that moves an owner; ``None`` if there is none. Without slots, the action itself."""
    track = owner.get(TRACK)
    if not SLOTS:
        if action.id_root != owner.id_type:
            return None
        if TRACK in action:
            return action if action[TRACK] == track else None
        return action
    fitting = [slot for slot in action.slots if slot.target_id_type in (owner.id_type, "UNSPECIFIED")]
    if MODEL in action:
        return next((slot for slot in fitting if slot.name_display == track), None)
    last = owner.animation_data.last_slot_identifier if owner.animation_data else ""
    same = [slot for slot in fitting if slot.identifier == last or slot.name_display == owner.name]
    return next(iter(same or fitting), None)


def play(owner, action):
    """Shows an action on an owner. Returns whether it moves the owner."""
    slot = slot_for(owner, action)
    if slot is None:
        return False
    data = owner.animation_data_create()
    data.action = action
    if SLOTS:
        data.action_slot = slot
    return True


def owners_of(obj):
    """What of an object has actions: the object, and its shape keys."""
    keys = getattr(obj.data, "shape_keys", None)
    return [obj] if keys is None else [obj, keys]


def clips_of(objects):
    """The imported clips of objects by name, each with its actions."""
    models = {obj.get(MODEL) for obj in objects} - {None}
    found = {}
    for action in bpy.data.actions:
        if action.get(MODEL) in models:
            found.setdefault(action[CLIP], []).append(action)
    return found


def play_clip(objects, actions):
    """Shows a clip on the objects that it moves. Returns their number."""
    count = 0
    for obj in objects:
        for owner in owners_of(obj):
            mine = [a for a in actions if obj.get(MODEL) == a.get(MODEL)]
            count += any([play(owner, action) for action in mine])
    return count


def family(obj):
    """An object with all that belongs to it: the objects with the same root."""
    while obj.parent is not None:
        obj = obj.parent
    return [obj, *obj.children_recursive]
