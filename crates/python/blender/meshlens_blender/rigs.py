# SPDX-License-Identifier: GPL-3.0-or-later
"""Skeletons as armatures. Bones at rest have no scale: scales are in the curves of poses."""

import bpy
import numpy as np
from mathutils import Matrix

from . import space
from .actions import write_curve

_NAME = 63


def _parents_first(joints):
    """The indices of joints, each after its parent."""
    order, done = [], set()
    for index in range(len(joints)):
        chain = []
        while index is not None and index not in done:
            done.add(index)
            chain.append(index)
            index = joints[index].parent
        order.extend(reversed(chain))
    return order


def world(joints, order, local):
    """The matrices of joints ``(..., joints, 4, 4)`` in the space of the model."""
    found = local.copy()
    for index in order:
        parent = joints[index].parent
        if parent is not None:
            found[..., index, :, :] = found[..., parent, :, :] @ local[..., index, :, :]
    return found


class Rig:
    """The armature of a node."""

    def __init__(self, node, axes, name, collection, log):
        self.node, self.axes, self.log = node, axes, log
        self.joints = node.joints
        self.order = _parents_first(self.joints)
        self.at_rest = world(
            self.joints,
            self.order,
            space.compose(
                [joint.translation for joint in self.joints],
                [joint.rotation for joint in self.joints],
                [joint.scale for joint in self.joints],
            ),
        )
        self.inverse_bind, self.placements = self._binds(name)
        armature = bpy.data.armatures.new(name)
        self.obj = bpy.data.objects.new(name, armature)
        collection.objects.link(self.obj)
        self.names = self._bones(armature)
        self.rest = np.array([armature.bones[bone].matrix_local for bone in self.names]).reshape(-1, 4, 4)
        self.obj.show_in_front = True
        armature.display_type = "STICK"

    def _binds(self, name):
        """For each joint, where vertices are bound to it, which is where bones rest; and for each mesh that is bound elsewhere,
        the matrix that moves its vertices there."""
        binds, known, placements = np.linalg.pinv(self.at_rest), np.zeros(len(self.joints), bool), {}
        for mesh in self.node.meshes:
            own = mesh.inverse_bind()
            if own is None or mesh.joints() is None:
                continue
            used = np.unique(mesh.joints()[mesh.weights() > 0])
            own = own.astype(np.float64)
            shared = used[known[used]]
            place = np.linalg.pinv(binds[shared[0]]) @ own[shared[0]] if len(shared) else np.eye(4)
            back = np.linalg.pinv(place)
            if not np.allclose(binds[shared] @ place, own[shared], atol=1e-4 * max(1.0, float(np.abs(own).max()))):
                self.log.note(name, f"mesh {mesh.name} is bound to joints elsewhere than other meshes, and may move wrongly")
            fresh = used[~known[used]]
            binds[fresh], known[fresh] = own[fresh] @ back, True
            if not np.allclose(place, np.eye(4), atol=1e-6):
                placements[mesh.lod, mesh.index] = place
        return binds, placements

    def _bones(self, armature):
        bind = space.rigid(self.axes.transforms(np.linalg.pinv(self.inverse_bind)))
        heads = bind[:, :3, 3]
        lengths = np.zeros(len(self.joints))
        for index, joint in enumerate(self.joints):
            if joint.parent is not None:
                distance = np.linalg.norm(heads[index] - heads[joint.parent])
                lengths[joint.parent] = max(lengths[joint.parent], distance)
        size = np.ptp(heads, axis=0).max() if len(heads) else 0.0
        shortest = max(size, 1e-2) * 0.01
        for index in self.order:
            if lengths[index] < shortest:
                parent = self.joints[index].parent
                lengths[index] = max(lengths[parent] * 0.5 if parent is not None else 0.0, shortest)
        names = [""] * len(self.joints)
        view_layer = bpy.context.view_layer
        active = view_layer.objects.active
        view_layer.objects.active = self.obj
        bpy.ops.object.mode_set(mode="EDIT")
        try:
            bones = armature.edit_bones
            for index in self.order:
                joint = self.joints[index]
                bone = bones.new(joint.name[:_NAME] or f"joint {index}")
                bone.head, bone.tail = (0, 0, 0), (0, lengths[index], 0)
                bone.matrix = Matrix(bind[index].tolist())
                if joint.parent is not None:
                    bone.parent = bones[names[joint.parent]]
                names[index] = bone.name
        finally:
            bpy.ops.object.mode_set(mode="OBJECT")
            view_layer.objects.active = active
        return names

    def bind(self, obj, mesh):
        """Vertex groups for the joints of a mesh, and the modifier that moves its vertices."""
        joints, weights = mesh.joints(), mesh.weights()
        if joints is None:
            return
        modifier = obj.modifiers.new("Armature", "ARMATURE")
        modifier.object = self.obj
        points = np.repeat(np.arange(len(joints)), joints.shape[1])
        joints, weights = joints.ravel().astype(np.int64), weights.ravel()
        used = weights > 0
        points, joints, weights = points[used], joints[used], weights[used]
        # A joint that a point has twice counts with both weights.
        pairs, inverse = np.unique(points * 65536 + joints, return_inverse=True)
        weights = np.bincount(inverse.ravel(), weights, len(pairs)).astype(np.float32)
        points, joints = pairs // 65536, pairs % 65536
        # Points with the same joint and the same weight are added by one call.
        order = np.lexsort((weights, joints))
        points, joints, weights = points[order], joints[order], weights[order]
        ends = np.flatnonzero((np.diff(joints) != 0) | (np.diff(weights) != 0)) + 1 if len(points) else []
        groups = {joint: obj.vertex_groups.new(name=name) for joint, name in enumerate(self.names)}
        starts = [0, *ends] if len(points) else []
        for start, run in zip(starts, np.split(points, ends)):
            groups[int(joints[start])].add(run.tolist(), float(weights[start]), "REPLACE")

    def locals(self, clip):
        """Location, rotation and scale of each bone relative to its rest pose, for each frame of a clip."""
        at = np.arange(clip.count) / clip.rate
        shown = world(self.joints, self.order, space.compose(*self.node.transforms(clip, at)))
        posed = self.axes.transforms(shown @ self.inverse_bind) @ self.rest
        parts, worst = [None] * len(self.joints), 0.0
        for index, joint in enumerate(self.joints):
            rest, own = self.rest[index], posed[:, index]
            if joint.parent is not None:
                rest = np.linalg.inv(self.rest[joint.parent]) @ rest
                own = np.linalg.pinv(posed[:, joint.parent]) @ own
            *parts[index], error = space.decompose(np.linalg.inv(rest) @ own)
            worst = max(worst, error)
        if worst > 1e-3:
            self.log.note(clip.name, f"scales that shear bones are off by up to {worst:.3g}")
        return parts

    def animate(self, actions, clip, track, fps, at):
        """The curves of a clip."""
        curves = actions.curves(self.obj, track, clip, fps)
        if curves is None:
            return
        for name, (locations, turns, scales) in zip(self.names, self.locals(clip)):
            path = f'pose.bones["{bpy.utils.escape_identifier(name)}"]'
            channels = [("location", locations), ("rotation_quaternion", turns)]
            # Every clip of a rig with scales has them, so that none stays from another clip.
            if self.scaled(scales):
                channels.append(("scale", scales))
            for channel, values in channels:
                for index in range(values.shape[1]):
                    write_curve(curves, f"{path}.{channel}", index, at, values[:, index], clip, fps, name)

    def scaled(self, scales):
        if not hasattr(self, "_scaled"):
            self._scaled = any(
                not np.allclose(animation.transforms()[2], 1, atol=1e-4) for animation in self.node.animations
            ) or any(not np.allclose(joint.scale, 1, atol=1e-4) for joint in self.joints)
        return self._scaled or not np.allclose(scales, 1, atol=1e-4)
