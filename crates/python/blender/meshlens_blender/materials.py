# SPDX-License-Identifier: GPL-3.0-or-later
"""Materials with their textures as node trees."""

import hashlib
from pathlib import PurePosixPath

import bpy

_EXTENSIONS = {"repeat": "REPEAT", "mirror": "MIRROR", "clamp": "EXTEND"}


class Materials:
    """The materials of one import. Equal ones and equal images are made once."""

    def __init__(self, scene, log, images=True):
        self.scene, self.log, self.images = scene, log, images
        self.made = {}
        self.loaded = {}

    def get(self, node, index):
        material = node.materials[index]
        for known, made in self.made.get(material.name, []):
            if known == material:
                return made
        made = self._make(node, material)
        self.made.setdefault(material.name, []).append((material, made))
        return made

    def _image(self, node, material, name):
        if not self.images:
            return None
        try:
            found = self.scene.texture(material, node.index)
        except (ValueError, OSError) as error:
            self.log.note(name, f"the texture cannot be read: {error}")
            return None
        if found is None:
            return None
        data = found[1]
        digest = hashlib.sha256(data).digest()
        if digest not in self.loaded:
            image = bpy.data.images.new(PurePosixPath(name.replace("\\", "/")).name, 1, 1, alpha=True)
            image.pack(data=data, data_len=len(data))
            image.source = "FILE"
            image.alpha_mode = "CHANNEL_PACKED"
            self.loaded[digest] = image
        return self.loaded[digest]

    def _make(self, node, material):
        made = bpy.data.materials.new(PurePosixPath(material.name.replace("\\", "/")).name or "material")
        made["meshlens_name"] = material.name
        if material.texture:
            made["meshlens_texture"] = material.texture
        for name in ("unlit", "sprites", "hidden", "is_environment"):
            if getattr(material, name):
                made[f"meshlens_{name}"] = True
        made["meshlens_alpha"] = material.alpha
        made.use_backface_culling = not material.two_sided
        made.diffuse_color = material.color
        if made.node_tree is None:
            made.use_nodes = True
        image = self._image(node, material, material.texture or material.name)
        normals = None
        if material.normal_map:
            normals = self._image(node, material.normal_map, material.normal_map.image_path or f"{material.name} normals")
        elif material.height_map:
            normals = self._image(node, material.height_map, material.height_map.texture)
        _nodes(made, material, image, normals)
        if material.alpha == "blend":
            made.surface_render_method = "BLENDED"
        return made


def _nodes(made, material, image, normals):
    nodes, links = made.node_tree.nodes, made.node_tree.links
    shader = nodes["Principled BSDF"] if "Principled BSDF" in nodes else nodes.new("ShaderNodeBsdfPrincipled")
    shader.inputs["Roughness"].default_value = 0.9
    shader.inputs["Specular IOR Level"].default_value = 0.1
    color_input = shader.inputs["Base Color"]
    if material.unlit:
        shader.inputs["Base Color"].default_value = (0, 0, 0, 1)
        shader.inputs["Specular IOR Level"].default_value = 0.0
        color_input = shader.inputs["Emission Color"]
        shader.inputs["Emission Strength"].default_value = 1.0
    elif any(material.emissive):
        shader.inputs["Emission Color"].default_value = (*material.emissive, 1)
        shader.inputs["Emission Strength"].default_value = 1.0
    color_input.default_value = (*material.color[:3], 1)
    shader.inputs["Alpha"].default_value = 0.0 if material.hidden else material.color[3]
    if normals is not None:
        normals.colorspace_settings.name = "Non-Color"
        relief, turned = nodes.new("ShaderNodeTexImage"), nodes.new("ShaderNodeNormalMap")
        relief.image, relief.location, turned.location = normals, (-620, -260), (-300, -260)
        links.new(relief.outputs["Color"], turned.inputs["Color"])
        links.new(turned.outputs["Normal"], shader.inputs["Normal"])
    if image is None:
        return
    texture = nodes.new("ShaderNodeTexImage")
    texture.image = image
    texture.location = (-620, 200)
    texture.interpolation = "Closest" if material.nearest else "Linear"
    texture.extension = _EXTENSIONS.get(material.wrap[0], "REPEAT")
    nodes.active = texture
    if material.is_environment:
        coordinates = nodes.new("ShaderNodeTexCoord")
        coordinates.location = (-820, 200)
        links.new(coordinates.outputs["Reflection"], texture.inputs["Vector"])
    color = texture.outputs["Color"]
    if tuple(material.color[:3]) != (1.0, 1.0, 1.0):
        mix = nodes.new("ShaderNodeMix")
        mix.data_type, mix.blend_type, mix.location = "RGBA", "MULTIPLY", (-300, 260)
        mix.inputs["Factor"].default_value = 1.0
        links.new(color, mix.inputs[6])
        mix.inputs[7].default_value = (*material.color[:3], 1)
        color = mix.outputs[2]
    links.new(color, color_input)
    if material.hidden or material.alpha == "opaque":
        return
    alpha = texture.outputs["Alpha"]
    if material.alpha == "mask":
        alpha = _math(nodes, links, "GREATER_THAN", alpha, material.cutoff)
    if material.color[3] != 1.0:
        alpha = _math(nodes, links, "MULTIPLY", alpha, material.color[3])
    links.new(alpha, shader.inputs["Alpha"])


def _math(nodes, links, operation, value, other):
    node = nodes.new("ShaderNodeMath")
    node.operation, node.location = operation, (-300, -40)
    links.new(value, node.inputs[0])
    node.inputs[1].default_value = other
    return node.outputs[0]
