# SPDX-License-Identifier: GPL-3.0-or-later
"""Evaluated meshes, bones and empties, frame by frame."""

from collections import namedtuple

import bpy
import numpy as np

from . import actions, space
from .report import Problem

#: A clip to export: its name, its frames per second, whether it repeats, the actions that play it, and frames of the scene.
Clip = namedtuple("Clip", "name rate cycle actions times")
#: The parts of a player, from that which stands.
PARTS = ("lower", "upper", "head")
_GEOMETRY = {"MESH", "CURVE", "SURFACE", "META", "FONT"}


class Subject:
    """The objects to export, and the object that they are relative to."""

    def __init__(self, context, scope, root=None):
        view_layer = context.view_layer
        self.origin = root
        if scope == "PART":
            self.origin = _active(context)
            while not _is_root(self.origin) and self.origin.parent is not None:
                self.origin = self.origin.parent
        if self.origin is not None:
            self.all = _part(self.origin)
        elif scope == "SCENE":
            self.all = [obj for obj in context.scene.objects if obj.visible_get(view_layer=view_layer)]
        else:
            self.all = list(context.selected_objects)
        self.meshes = [obj for obj in self.all if obj.type in _GEOMETRY]
        self.tags = [obj for obj in self.all if obj.type == "EMPTY" and is_tag(obj)]
        self.rigs = list({rig.name: rig for obj in self.meshes if (rig := rig_of(obj)) is not None}.values())
        if not self.meshes and not self.tags:
            what = {"PART": "the part", "PLAYER": self.origin and self.origin.name, "SCENE": "the scene", "SELECTION": "the selection"}[scope]
            raise Problem(f"{what} has no meshes and no tags; select what is exported, or export the visible scene")

    def owners(self):
        """The objects whose actions move what is exported: with their parents."""
        found = {obj.name: obj for obj in [*self.all, *self.rigs]}
        for obj in list(found.values()):
            while obj is not None and obj != self.origin:
                found[obj.name] = obj
                obj = obj.parent
        return list(found.values())


def players_parts(context):
    """The roots of the parts of the player that the active object belongs to, and the names of their files."""
    top = _active(context)
    while top.parent is not None:
        top = top.parent
    roots = [obj for obj in [top, *top.children_recursive] if _is_root(obj)]
    parts = {plain_name(root.name).lower(): root for root in roots}
    found = [(name, parts[name]) for name in PARTS if name in parts]
    if len(found) < 2:
        raise Problem("the active object does not belong to a player; its parts are called lower, upper and head")
    return found


def _active(context):
    if context.object is None:
        raise Problem("no object is active; select one of a part")
    return context.object


def _is_root(obj):
    """Whether a part of a player begins at an object: an imported one, or one that has the name of a part."""
    return "meshlens_node" in obj or plain_name(obj.name).lower() in PARTS


def _part(root):
    found, left = [root], list(root.children)
    while left:
        obj = left.pop(0)
        if not _is_root(obj):
            found.append(obj)
            left += obj.children
    return found


def is_tag(obj):
    return obj.name.startswith("tag_") or "meshlens_tag" in obj


def tag_name(obj):
    """The name of a tag without the number that Blender adds."""
    return obj.get("meshlens_tag") or plain_name(obj.name)


def plain_name(name):
    stem, dot, number = name.rpartition(".")
    return stem if dot and number.isdigit() and len(number) == 3 else name


def rig_of(obj):
    """The armature whose bones move a mesh."""
    for modifier in obj.modifiers:
        if modifier.type == "ARMATURE" and modifier.object is not None and modifier.show_viewport:
            return modifier.object
    return None


class Playback:
    """Shows clips on the scene, and restores all of it at the end."""

    def __init__(self, context, owners):
        self.scene, self.view_layer = context.scene, context.view_layer
        self.owners = [owner for obj in owners for owner in actions.owners_of(obj)]

    def __enter__(self):
        self.frame = self.scene.frame_current_final
        self.before = []
        for owner in self.owners:
            data = owner.animation_data
            slot = data.action_slot if data and actions.SLOTS else None
            self.before.append((owner, data and data.action, slot, data.use_nla if data else True))
        return self

    def __exit__(self, *_error):
        for owner, action, slot, nla in self.before:
            if (data := owner.animation_data) is not None:
                data.action = action
                if actions.SLOTS and slot is not None:
                    data.action_slot = slot
                data.use_nla = nla
        self.seek(self.frame)

    def play(self, clip):
        for owner in self.owners if clip.actions else []:
            if any(actions.play(owner, action) for action in clip.actions) and owner.animation_data.use_nla:
                owner.animation_data.use_nla = False

    def seek(self, time):
        whole = int(np.floor(time + 1e-4))
        self.scene.frame_set(whole, subframe=float(np.clip(time - whole, 0, 0.999999)))
        return self.view_layer.depsgraph


def clips(context, subject, settings, name):
    """The clips that the options name."""
    scene, fps = context.scene, actions.frame_rate(context.scene)
    step = settings.step
    still = [Clip(None, None, False, (), [scene.frame_current_final])]
    if settings.clips == "NONE":
        return still
    whole = [Clip(name, fps / step, False, (), list(range(scene.frame_start, scene.frame_end + 1, step)))]
    if settings.clips == "RANGE":
        return whole
    if settings.clips == "MARKERS":
        markers = sorted((marker.frame, marker.name) for marker in scene.timeline_markers)
        if not markers:
            raise Problem("the scene has no markers; add one at the first frame of each clip, or export actions")
        ends = [frame - 1 for frame, _ in markers[1:]] + [max(scene.frame_end, markers[-1][0])]
        return [
            Clip(marker, fps / step, False, (), list(range(frame, end + 1, step)) or [frame])
            for (frame, marker), end in zip(markers, ends)
        ]
    found = _action_clips(subject, fps, step)
    if settings.scope == "PLAYER":
        # The head of a player does not move by itself.
        return found or still
    if not found and settings.clips == "ACTIONS":
        raise Problem("no action moves what is exported; export the range of the scene, or only the current frame")
    return found or whole


def _action_clips(subject, fps, step):
    owners = [owner for obj in subject.owners() for owner in actions.owners_of(obj)]
    models = {obj.get(actions.MODEL) for obj in subject.owners()} - {None}
    groups = {}
    for action in bpy.data.actions:
        if actions.MODEL in action and action[actions.MODEL] not in models:
            continue
        if not any(actions.slot_for(owner, action) is not None for owner in owners if _may_play(owner, action)):
            continue
        groups.setdefault(action.get(actions.CLIP) or plain_name(action.name), []).append(action)
    found = []
    for name, group in groups.items():
        start = min(action.frame_range[0] for action in group)
        end = max(action.frame_range[1] for action in group)
        rate = group[0].get(actions.RATE) or fps / step
        cycle = group[0].use_cyclic
        count = max(action.get(actions.COUNT) or int((end - start) * rate / fps + 1.001) for action in group)
        found.append(Clip(name, rate, cycle, tuple(group), [start + i * fps / rate for i in range(count)]))
    # In one animation.cfg, the clips of both parts of a player begin with those that they share, and then with these two.
    firsts = ("TORSO_GESTURE", "LEGS_WALKCR")
    return sorted(found, key=lambda clip: 0 if clip.name.startswith("BOTH_") else 1 if clip.name in firsts else 2)


def _may_play(owner, action):
    """Whether an action is one of an owner, and not of another object of the same kind."""
    data = owner.animation_data
    if actions.MODEL in action:
        return True
    if data is None:
        return False
    if data.action == action or any(strip.action == action for track in data.nla_tracks for strip in track.strips):
        return True
    if not actions.SLOTS:
        # An action that nothing plays may be that of any owner.
        return action.users == int(action.use_fake_user)
    return any(slot.identifier == data.last_slot_identifier or slot.name_display == owner.name for slot in action.slots)


class MeshSampler:
    """One mesh at every frame. Corners with equal texture coordinates and normals become one."""

    def __init__(self, obj):
        # Imported objects of one name have numbers, which the file did not have.
        self.obj, self.name = obj, plain_name(obj.name) if "meshlens_mesh" in obj else obj.name
        self.positions, self.normals, self.first = [], [], None

    def take(self, depsgraph, inverse, time):
        shown = self.obj.evaluated_get(depsgraph)
        mesh = shown.to_mesh()
        try:
            matrix = inverse @ np.array(shown.matrix_world, np.float64)
            self._take(mesh, matrix, time)
        finally:
            shown.to_mesh_clear()

    def _take(self, mesh, matrix, time):
        points, loops = len(mesh.vertices), len(mesh.loops)
        if self.first is None:
            self.first = (points, loops)
            self._topology(mesh)
            self.mirrors = np.linalg.det(matrix[:3, :3]) < 0
        elif self.first != (points, loops):
            raise Problem(
                f"{self.obj.name} has {points} vertices at frame {time:g} and {self.first[0]} before; turn off modifiers that "
                "change their number, or apply them"
            )
        positions = np.empty(points * 3, np.float32)
        mesh.vertices.foreach_get("co", positions)
        normals = np.empty(loops * 3, np.float32)
        mesh.corner_normals.foreach_get("vector", normals)
        linear = matrix[:3, :3].astype(np.float32)
        self.positions.append(positions.reshape(-1, 3) @ linear.T + matrix[:3, 3].astype(np.float32))
        turned = normals.reshape(-1, 3) @ np.linalg.pinv(matrix[:3, :3]).astype(np.float32)
        length = np.linalg.norm(turned, axis=1, keepdims=True)
        up = np.broadcast_to(np.float32([0, 0, 1]), turned.shape)
        self.normals.append(np.where(length > 0, turned / np.where(length > 0, length, 1), up))

    def _topology(self, mesh):
        mesh.calc_loop_triangles()
        count = len(mesh.loop_triangles)
        triangles = np.empty(count * 3, np.int32)
        mesh.loop_triangles.foreach_get("loops", triangles)
        self.triangles = triangles.reshape(-1, 3)
        slots = np.empty(count, np.int32)
        mesh.loop_triangles.foreach_get("material_index", slots)
        self.slots = slots
        self.materials = [slot.material for slot in self.obj.material_slots]
        self.vertices = np.empty(len(mesh.loops), np.int32)
        mesh.loops.foreach_get("vertex_index", self.vertices)
        self.texcoords = np.zeros((len(mesh.loops), 2), np.float32)
        layer = mesh.uv_layers.active
        if layer is not None and len(mesh.loops):
            flat = np.empty(len(mesh.loops) * 2, np.float32)
            layer.uv.foreach_get("vector", flat)
            self.texcoords = flat.reshape(-1, 2)
        self.has_texcoords = layer is not None
        self.left_out = ["UV maps apart from the active one"] if len(mesh.uv_layers) > 1 else []
        self.left_out += ["color attributes"] if len(mesh.color_attributes) else []
        self.weights = [(v.index, g.group, g.weight) for v in mesh.vertices for g in v.groups]

    def corners(self):
        """The loop of each distinct corner, and the corner of each loop. Normals are compared at 1/1024."""
        normals = np.array(self.normals)
        hashes = np.zeros(len(self.vertices), np.uint64)
        for frame in np.rint(normals * 1024).astype(np.int64).view(np.uint64):
            for axis in range(3):
                hashes = (hashes ^ frame[:, axis]) * np.uint64(0x9E3779B97F4A7C15)
                hashes ^= hashes >> np.uint64(29)
        keys = np.empty((len(self.vertices), 3), np.uint64)
        keys[:, 0] = self.vertices
        keys[:, 1] = np.ascontiguousarray(self.texcoords).view(np.uint64)[:, 0]
        keys[:, 2] = hashes
        _, first, corner = np.unique(keys, axis=0, return_index=True, return_inverse=True)
        return first, corner.ravel()


def bones_of(rig):
    """The bones of an armature, each after its parent."""
    found, left = [], [bone for bone in rig.data.bones if bone.parent is None]
    while left:
        bone = left.pop(0)
        found.append(bone)
        left = list(bone.children) + left
    return found


def bone_locals(rig, bones, inverse, matrices):
    """Translations, quaternions x, y, z, w and scales of bones relative to their parents."""
    place = inverse @ np.array(rig.matrix_world, np.float64)
    index = {bone.name: number for number, bone in enumerate(bones)}
    found = []
    for number, bone in enumerate(bones):
        own = matrices[number]
        if bone.parent is not None:
            found.append(np.linalg.pinv(matrices[index[bone.parent.name]]) @ own)
        else:
            found.append(place @ own)
    origins, turns, scales, _ = space.decompose(np.array(found).reshape(-1, 4, 4))
    return origins, np.roll(turns, -1, -1), scales
