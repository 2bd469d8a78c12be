# SPDX-License-Identifier: GPL-3.0-or-later
"""Scenes of the module as objects of Blender."""

from pathlib import Path

import bpy
import meshlens
import numpy as np

from . import actions, meshes, rigs, space
from .materials import Materials
from .report import ERRORS, Problem, told

_COLLECTIONS = ("objects", "meshes", "materials", "images", "actions", "armatures", "collections", "shape_keys")


def _ids():
    return {block.session_uid: block for name in _COLLECTIONS for block in getattr(bpy.data, name)}


def open_scene(path, settings):
    """Opens a model with the options of an operator."""
    options = {}
    for name in ("skin", "password"):
        if getattr(settings, name):
            options[name] = getattr(settings, name)
    if settings.mount:
        options["mount"] = [bpy.path.abspath(part.strip()) for part in settings.mount.split(";")]
    if settings.animations:
        options["animations"] = [bpy.path.abspath(part.strip()) for part in settings.animations.split(";")]
    return meshlens.open(path, lods=settings.levels, **options)


def load(path, settings, log):
    """Imports a model, or nothing: whatever was made before an error is removed. Returns its objects."""
    before = _ids()
    try:
        scene = open_scene(path, settings)
        objects = _Import(scene, settings, log).run()
        for finding in scene.findings:
            log.note(Path(path).name, str(finding))
        return objects
    except Exception as error:
        after = _ids()
        bpy.data.batch_remove([after[uid] for uid in after.keys() - before.keys()])
        if isinstance(error, (*ERRORS, RuntimeError)):
            raise Problem(told(error)) from error
        raise


def _key(node, tag):
    """Tags are found in any case."""
    return node, tag.lower()


class _Import:
    def __init__(self, scene, settings, log):
        self.scene, self.settings, self.log = scene, settings, log
        self.collection = bpy.context.collection
        self.materials = Materials(scene, log, settings.textures)
        self.fps = actions.frame_rate(bpy.context.scene)
        self.objects = []
        #: The empties of tags by node and name, and the rigs by node.
        self.tags, self.rigs = {}, {}
        self.tag_frames = {}
        #: For each node, the objects whose frames it shows, and its track.
        self.keyed, self.cached = {}, {}
        parts = [part.strip().lower() for part in settings.parts.split(",") if part.strip()]
        self.parts = [not parts or node.name.lower() in parts for node in scene.nodes]
        if parts and not any(self.parts):
            names = ", ".join(node.name for node in scene.nodes)
            raise ValueError(f"no part is named {settings.parts}; the parts are {names}")

    def run(self):
        scene = self.scene
        self.name = Path(scene.path.replace("!", "/").rstrip("/")).stem or scene.nodes[0].name or "model"
        self.axes = [
            space.Axes(node.space, space.scale_of(node.space, self.settings), node.placement) for node in scene.nodes
        ]
        self.model = self._unused_name()
        #: Tags that hold other nodes.
        self.holding = {_key(*node.attachment) for node in scene.nodes if node.attachment is not None}
        for node in scene.nodes:
            self._node(node)
        for obj in self.objects:
            obj[actions.MODEL] = self.model
        self._clips()
        return self.objects

    def _unused_name(self):
        known = {obj.get(actions.MODEL) for obj in bpy.data.objects} | {a.get(actions.MODEL) for a in bpy.data.actions}
        number, name = 0, self.name
        while name in known:
            number += 1
            name = f"{self.name}.{number:03}"
        return name

    def _object(self, name, data, parent=None, collection=None):
        obj = bpy.data.objects.new(name, data)
        (collection or self.collection).objects.link(obj)
        obj.parent = parent
        self.objects.append(obj)
        return obj

    def _node(self, node):
        wanted, axes = self.parts[node.index], self.axes[node.index]
        several = len(self.scene.nodes) > 1
        name = node.name or self.name
        finest = min((mesh.lod for mesh in node.meshes), default=0)
        own = [mesh for mesh in node.meshes if wanted and (self.settings.levels or mesh.lod == finest)]
        root = None
        if node.joints and wanted:
            rig = rigs.Rig(node, axes, name, self.collection, self.log)
            self.rigs[node.index], root = rig, rig.obj
            self.objects.append(root)
        elif several or node.tags or len(own) != 1:
            root = self._object(name, None)
            root.empty_display_size = 0.1
        if root is not None:
            root["meshlens_node"] = node.index
            self._attach(node, root)
        for tag in node.tags:
            if self.settings.tags and wanted or _key(node.index, tag.name) in self.holding:
                self._tag(node, tag, root)
        levels = {}
        for mesh in own:
            collection = None
            if mesh.lod != finest:
                if mesh.lod not in levels:
                    levels[mesh.lod] = bpy.data.collections.new(f"{name} level {mesh.lod}")
                    self.collection.children.link(levels[mesh.lod])
                    levels[mesh.lod].hide_viewport = levels[mesh.lod].hide_render = True
                collection = levels[mesh.lod]
            self._mesh(node, mesh, name, root, collection)

    def _attach(self, node, root):
        if node.attachment is None:
            return
        parent, tag = node.attachment
        if _key(parent, tag) in self.tags:
            root.parent = self.tags[_key(parent, tag)]
        elif parent in self.rigs and tag in (rig := self.rigs[parent]).names:
            root.parent, root.parent_type, root.parent_bone = rig.obj, "BONE", tag
            # Children of bones stand at the tail.
            root.matrix_parent_inverse.translation = (0, -rig.obj.data.bones[tag].length, 0)
        else:
            self.log.note(node.name, f"it is not attached: {self.scene.nodes[parent].name} has no {tag}")

    def _tag(self, node, tag, root):
        obj = self._object(tag.name, None, root)
        obj.empty_display_type = "ARROWS"
        obj.empty_display_size = 0.1
        obj.rotation_mode = "QUATERNION"
        obj["meshlens_tag"] = tag.name
        self.tags[_key(node.index, tag.name)] = obj
        if tag.frame_count == 0:
            return
        frame = min(node.rest_frame, tag.frame_count - 1)
        origins, turns, _, _ = space.decompose(self.axes[node.index].transforms(tag.matrix(frame)[None].astype(np.float64)))
        obj.location, obj.rotation_quaternion = origins[0], turns[0]

    def _mesh(self, node, mesh, name, root, collection):
        shown = mesh.name or name
        axes, settings = self.axes[node.index], self.settings
        if node.index in self.rigs and (mesh.lod, mesh.index) in (moved := self.rigs[node.index].placements):
            scale = space.scale_of(node.space, settings)
            axes = space.Axes(node.space, scale, node.placement @ moved[mesh.lod, mesh.index])
        data = meshes.build(node, mesh, shown, axes, self.materials, settings, self.log)
        obj = self._object(shown, data, root, collection)
        obj["meshlens_mesh"] = f"{node.index}/{mesh.index}"
        if node.index in self.rigs and mesh.is_skinned:
            self.rigs[node.index].bind(obj, mesh)
        if mesh.frame_count < 2:
            return
        plays = any(clip.animation is None for clip in node.clips)
        store = settings.frames
        if store == "AUTO":
            store = "CACHE" if mesh.frame_count > meshes.MAX_KEYS and plays else "KEYS"
        if store == "CACHE" and plays:
            folder = meshes.cache_folder(settings, self.log)
            meshes.add_cache(obj, node, mesh, axes, folder, shown, self.log)
            self.cached.setdefault(node.index, []).append((obj, mesh))
        elif store != "NONE":
            keys = meshes.add_keys(obj, node, mesh, axes, plays, shown, self.log)
            if plays:
                self.keyed.setdefault(node.index, []).append((keys, mesh))

    def _clips(self):
        first = {}
        for name in dict.fromkeys(clip.name for node in self.scene.nodes for clip in node.clips):
            made = actions.ClipActions(name, self.model)
            for node in self.scene.nodes:
                clip = next((clip for clip in node.clips if clip.name == name), None)
                if clip is not None and self._clip(node, clip, made):
                    starts = clip.animation is None and clip.frames[0] == node.rest_frame
                    if node.index not in first or (starts and not first[node.index][1]):
                        first[node.index] = (made, starts)
        self._show(first)

    def _clip(self, node, clip, made):
        at = actions.times(clip, self.fps)
        moved = False
        if clip.animation is not None:
            if node.index in self.rigs:
                self.rigs[node.index].animate(made, clip, f"{node.index} joints", self.fps, at)
                moved = True
            return moved
        frames = np.array(clip.frames, np.float64)
        for keys, mesh in self.keyed.get(node.index, []):
            shown = np.minimum(frames, mesh.frame_count - 1) * meshes.KEY_STEP
            moved = True
            track = f"{node.index} frames {mesh.frame_count}"
            if (curves := made.curves(keys, track, clip, self.fps)) is not None:
                actions.write_curve(curves, "eval_time", 0, at, shown, clip, self.fps)
        for obj, mesh in self.cached.get(node.index, []):
            shown = np.minimum(frames, mesh.frame_count - 1)
            moved = True
            if (curves := made.curves(obj, f"{node.index} cache {mesh.frame_count}", clip, self.fps)) is not None:
                path = f'modifiers["{meshes.CACHE}"].eval_frame'
                actions.write_curve(curves, path, 0, at, shown, clip, self.fps)
        for tag in node.tags:
            obj = self.tags.get(_key(node.index, tag.name))
            if obj is None or tag.frame_count < 2:
                continue
            moved = True
            curves = made.curves(obj, f"{node.index} {tag.name}", clip, self.fps)
            if curves is None:
                continue
            origins, turns = self._tag_frames(node, tag)
            shown = np.minimum(frames.astype(int), tag.frame_count - 1)
            for path, values in (("location", origins[shown]), ("rotation_quaternion", turns[shown])):
                for index in range(values.shape[1]):
                    actions.write_curve(curves, path, index, at, values[:, index], clip, self.fps, tag.name)
        return moved

    def _tag_frames(self, node, tag):
        """The locations and rotations of a tag in all frames, computed once."""
        key = (node.index, tag.name)
        if key not in self.tag_frames:
            matrices = self.axes[node.index].transforms(tag.matrix(slice(None)).astype(np.float64))
            origins, turns, _, error = space.decompose(matrices)
            if error > 0.01:
                self.log.note(tag.name, "axes that are not at right angles became so")
            self.tag_frames[key] = origins, turns
        return self.tag_frames[key]

    def _show(self, first):
        """Shows the first clip of each node."""
        last = 0.0
        for made, _ in dict.fromkeys(first.values()):
            found = set(made.made.values()) if not actions.SLOTS else {made.action}
            last = max([last, *(action.frame_end for action in found if action)])
        for index, (made, _) in first.items():
            owners = [obj for (node, _), obj in self.tags.items() if node == index]
            owners += [keys for keys, _ in self.keyed.get(index, [])] + [obj for obj, _ in self.cached.get(index, [])]
            owners += [self.rigs[index].obj] if index in self.rigs else []
            found = list(made.made.values()) if not actions.SLOTS else [made.action]
            for owner in owners:
                any(action is not None and actions.play(owner, action) for action in found)
        if last > 1 and self.settings.set_range:
            scene = bpy.context.scene
            scene.frame_start, scene.frame_end = 1, max(int(np.ceil(last - 1e-3)), 1)
            scene.frame_set(1)
