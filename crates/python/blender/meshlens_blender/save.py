# SPDX-License-Identifier: GPL-3.0-or-later
"""Sampled objects as a model of the package, in the space of Blender."""

from pathlib import Path, PurePosixPath

import meshlens
import numpy as np

from . import sample, space
from .report import ERRORS, Problem

SKINNED = {"u3d", "unigine"}
#: What to do about a finding or a loss.
ADVICE = {
    "POSITION_CLAMPED": "make the model smaller, with a smaller Scale or Unit: Units of Blender",
    "LIMIT_FRAMES": "export fewer clips, or a larger Step",
    "LIMIT_VERTICES": "reduce the mesh (Decimate), or split it by material or by object",
    "LIMIT_TRIANGLES": "reduce the mesh (Decimate), or split it by material or by object",
    "LIMIT_SURFACES": "join objects, or use fewer materials",
    "LIMIT_TAGS": "export fewer empties",
    "ENGINE_LIMIT_VERTICES": "reduce the mesh (Decimate), or split it by material or by object",
    "ENGINE_LIMIT_TRIANGLES": "reduce the mesh (Decimate), or split it by material or by object",
    "NAME_SHORTENED": "choose a shorter name",
    "SKELETON_BAKED": "the format has no skeletons; Ultimate 3D and UNIGINE have",
    "CLIP_RATE_LOST": "set the rate in the game",
    "MATERIAL_LOST": "describe it in a shader or a material file of the game",
    "TAG_LOST": "only MD3 has tags",
}


def plan(context, path, settings):
    """The plan of an export. That of a player has the files of all parts, whose clips are in one animation.cfg."""
    if settings.scope != "PLAYER":
        return Plan(context, path, settings)
    if settings.format != "md3":
        raise Problem("a whole player is exported as MD3; export its parts one by one as another format")
    whole = None
    for name, root in sample.players_parts(context):
        beside = None if whole is None else whole.files.get("animation.cfg")
        part = Plan(context, Path(path).with_name(f"{name}.md3"), settings, root, beside)
        if whole is None:
            whole = part
        else:
            whole.files |= part.files
            whole.notes += [note for note in part.notes if note not in whole.notes]
    return whole


class Plan:
    """The files of an export, and what they do not keep. Nothing is written yet."""

    def __init__(self, context, path, settings, root=None, beside=None):
        self.path = Path(path)
        self.format = settings.format
        self.name = self.path.stem
        if self.format == "unreal":
            self.name = self.name.removesuffix("_d")
        self.settings = settings
        self.subject = sample.Subject(context, settings.scope, root)
        self.options = {} if beside is None else {"animation_cfg": beside}
        self.notes = []
        self.skinned = settings.skins and self.format in SKINNED and bool(self.subject.rigs)
        self.scale = 1.0 / space.scale_of(meshlens.Space(self.format), settings)
        clips = sample.clips(context, self.subject, settings, self.name)
        with sample.Playback(context, self.subject.owners()) as playback:
            model = self._skinned(playback, clips) if self.skinned else self._frames(playback, clips)
        try:
            self._export(model)
        except ERRORS as error:
            raise Problem(f"{self.name} cannot be written: {error}") from error
        self._check()

    def _inverse(self):
        origin = self.subject.origin
        return np.eye(4) if origin is None else np.linalg.inv(np.array(origin.matrix_world, np.float64))

    def _frames(self, playback, clips):
        model = meshlens.Model(self.name, space="blender")
        samplers = [sample.MeshSampler(obj) for obj in self.subject.meshes]
        tags = [[] for _ in self.subject.tags]
        # Clips that show the same frames share them.
        shown, first, made = {}, 0, []
        for clip in clips:
            playback.play(clip)
            start = (tuple(a.name for a in clip.actions), tuple(clip.times))
            if start not in shown:
                shown[start] = first
                for time in clip.times:
                    depsgraph = playback.seek(time)
                    inverse = self._inverse()
                    for sampler in samplers:
                        sampler.take(depsgraph, inverse, time)
                    for matrices, tag in zip(tags, self.subject.tags):
                        matrices.append(inverse @ np.array(tag.evaluated_get(depsgraph).matrix_world, np.float64))
                    first += 1
            if clip.name is not None and len(clip.times) * len(clips) > 1:
                loop = len(clip.times) if clip.cycle else 0
                made.append(meshlens.Clip(clip.name, shown[start], len(clip.times), clip.rate, loop_frames=loop))
        materials = _Materials(model)
        for sampler in samplers:
            self._mesh(model, sampler, materials)
        for matrices, tag in zip(tags, self.subject.tags):
            model.add_tag(sample.tag_name(tag), space.rigid(np.array(matrices)).astype(np.float32))
        for clip in made:
            model.add_clip(clip)
        return model

    def _mesh(self, model, sampler, materials, joints=None):
        if not len(sampler.triangles):
            self.notes.append(f"{sampler.name} has no faces and is left out")
            return
        if not sampler.has_texcoords:
            self.notes.append(f"{sampler.name} has no UV map; its texture coordinates are 0. Unwrap it")
        self.notes += [f"{sampler.name}: {what} are left out" for what in sampler.left_out]
        first, corner = sampler.corners()
        order = np.argsort(sampler.slots, kind="stable")
        triangles = corner[sampler.triangles[order]]
        if sampler.mirrors:
            triangles = triangles[:, [0, 2, 1]]
        slots = sampler.slots[order]
        edges = [0, *(np.flatnonzero(np.diff(slots)) + 1).tolist(), len(slots)]
        submeshes = []
        for start, end in zip(edges, edges[1:]):
            slot = int(slots[start])
            material = sampler.materials[slot] if slot < len(sampler.materials) else None
            submeshes.append(meshlens.Submesh(materials.get(material), slice(start, end)))
        texcoords = sampler.texcoords[first] * np.float32([1, -1]) + np.float32([0, 1])
        model.add_mesh(
            sampler.name,
            np.array(sampler.positions),
            triangles.astype(np.uint32),
            normals=np.array(sampler.normals)[:, first],
            texcoords=texcoords,
            points=sampler.vertices[first].astype(np.uint32),
            submeshes=submeshes,
            **(joints or {}),
        )

    def _skinned(self, playback, clips):
        model = meshlens.Model(self.name, space="blender")
        indices, rigs = {}, []
        before = [(rig, rig.data.pose_position) for rig in self.subject.rigs]
        samplers = [sample.MeshSampler(obj) for obj in self.subject.meshes]
        try:
            for rig in self.subject.rigs:
                rig.data.pose_position = "REST"
            depsgraph = playback.seek(clips[0].times[0])
            inverse = self._inverse()
            for sampler in samplers:
                sampler.take(depsgraph, inverse, clips[0].times[0])
        finally:
            for rig, position in before:
                rig.data.pose_position = position
        for rig in self.subject.rigs:
            bones = sample.bones_of(rig)
            rest = sample.bone_locals(rig, bones, inverse, [np.array(bone.matrix_local) for bone in bones])
            own = {}
            for bone, origin, turn, scale in zip(bones, *(part.tolist() for part in rest)):
                parent = own[bone.parent.name] if bone.parent is not None else None
                own[bone.name] = model.add_joint(bone.name, parent, origin, turn, scale)
            indices[rig.name] = own
            rigs.append((rig, bones))
        materials = _Materials(model)
        for sampler in samplers:
            rig = sample.rig_of(sampler.obj)
            self._mesh(model, sampler, materials, self._weights(sampler, indices[rig.name]) if rig else None)
        if self.subject.tags:
            self.notes.append(f"{len(self.subject.tags)} tags are left out")
        self.animations = [self._animation(model, playback, clip, rigs) for clip in clips if clip.name is not None]
        return model

    def _weights(self, sampler, joints):
        """Up to four joints and weights of each vertex."""
        count = sampler.first[0]
        groups = [joints.get(group.name) for group in sampler.obj.vertex_groups]
        used = [(v, groups[g], w) for v, g, w in sampler.weights if g < len(groups) and groups[g] is not None and w > 0]
        table = np.array(used, np.float64).reshape(-1, 3)
        table = table[np.lexsort((-table[:, 2], table[:, 0]))]
        vertices = table[:, 0].astype(int)
        place = np.arange(len(table)) - np.searchsorted(vertices, vertices)
        if (place >= 4).any():
            self.notes.append(f"{sampler.name} has vertices with more than four bones; the weakest are left out")
        table, vertices, place = table[place < 4], vertices[place < 4], place[place < 4]
        found, weights = np.zeros((count, 4), np.uint16), np.zeros((count, 4), np.float32)
        found[vertices, place], weights[vertices, place] = table[:, 1], table[:, 2]
        loose = weights.sum(1) == 0
        if loose.any():
            self.notes.append(f"{sampler.name} has {int(loose.sum())} vertices without a bone; they move with the first one")
            weights[loose, 0] = 1
        return {"joints": found, "weights": weights}

    def _animation(self, model, playback, clip, rigs):
        playback.play(clip)
        frames = []
        for time in clip.times:
            depsgraph = playback.seek(time)
            inverse, parts = self._inverse(), []
            for rig, bones in rigs:
                shown = rig.evaluated_get(depsgraph)
                poses = [np.array(shown.pose.bones[bone.name].matrix, np.float64) for bone in bones]
                parts.append(sample.bone_locals(shown, bones, inverse, poses))
            frames.append([np.concatenate(arrays) for arrays in zip(*parts)])
        arrays = [np.array(values, np.float32) for values in zip(*frames)]
        loop = len(clip.times) if clip.cycle else 0
        joints = list(range(arrays[0].shape[1]))
        number = model.add_animation(clip.name, joints, *arrays)
        model.add_clip(
            meshlens.Clip(clip.name, 0, len(clip.times), clip.rate, loop_frames=loop, animation=number)
        )
        return clip.name, joints, arrays, clip.rate, loop

    def _export(self, model):
        scene = model.scene()
        exported = scene.export(self.format, name=self.name, scale=self.scale, **self.options)
        self.files = dict(exported.files)
        self.losses = list(exported.losses)
        self.notes += exported.warnings
        if self.format == "unigine" and self.skinned:
            for name, joints, arrays, rate, loop in self.animations:
                self._clip_file(scene, name, joints, arrays, rate, loop)

    def _clip_file(self, scene, name, joints, arrays, rate, loop):
        """A file of its own for each clip of a skeleton."""
        single = meshlens.Model(self.name, space="blender")
        for joint in scene.nodes[0].joints:
            single.add_joint(joint.name, joint.parent, joint.translation, joint.rotation, joint.scale)
        single.add_animation(name, joints, *arrays)
        single.add_clip(meshlens.Clip(name, 0, len(arrays[0]), rate, loop_frames=loop, animation=0))
        file = f"{self.name}_{''.join(c if c.isalnum() or c in '-_ ' else '_' for c in name)}"
        self.files.update(single.scene().export("unigine-anim", name=file, scale=self.scale).files)

    def _check(self):
        """Reads what would be written, and lists what is wrong with it."""
        model = next(iter(self.files))
        found = []
        if self.format != "unreal":
            found = [f for f in meshlens.validate(self.files[model], name=model) if f.severity in ("error", "warning")]
        lines = [_advised(finding) for finding in [*found, *self.losses]]
        self.notes = list(dict.fromkeys(self.notes + lines))

    def replaced(self):
        """The names of existing files that would be replaced, apart from the chosen one."""
        return [name for name in self.files if (self.path.parent / name).exists() and name != self.path.name]

    def write(self, overwrite=True):
        return meshlens.Exported(self.files).write(self.path.parent, overwrite=overwrite)


def _advised(finding):
    advice = ADVICE.get(finding.code)
    return f"{finding}{f'. To do: {advice}' if advice else ''}"


class _Materials:
    def __init__(self, model):
        self.model, self.made = model, {}

    def get(self, material):
        if material is None:
            return None
        if material.name not in self.made:
            self.made[material.name] = self.model.add_material(_material(material))
        return self.made[material.name]


def _material(material):
    image = None
    tree = material.node_tree
    for node in tree.nodes if tree else ():
        if node.type == "TEX_IMAGE" and node.image is not None:
            image = node.image
            break
    texture = material.get("meshlens_texture")
    if texture is None and image is not None:
        texture = PurePosixPath((image.filepath or image.name).replace("\\", "/")).name
    alpha = material.get("meshlens_alpha")
    if alpha is None:
        alpha = "blend" if material.surface_render_method == "BLENDED" else "opaque"
    return meshlens.Material(
        material.get("meshlens_name") or sample.plain_name(material.name),
        texture=texture,
        two_sided=not material.use_backface_culling and "meshlens_name" in material,
        unlit=bool(material.get("meshlens_unlit", False)),
        alpha=alpha,
    )
