"""glTF files that no writer of ours makes: mirrored, of more vertices than a surface of an MD3 may have, and of materials that
become shaders."""

import io
import json
import math
import struct

from PIL import Image


def parts(path):
    """The JSON and the buffer of a GLB."""
    data = path.read_bytes()
    size = struct.unpack_from("<I", data, 12)[0]
    return json.loads(data[20 : 20 + size]), data[28 + size :]


def write(path, root, buffer):
    text = json.dumps(root).encode()
    text += b" " * (-len(text) % 4)
    buffer += b"\0" * (-len(buffer) % 4)
    chunks = struct.pack("<2I", len(text), 0x4E4F534A) + text + struct.pack("<2I", len(buffer), 0x004E4942) + buffer
    path.write_bytes(struct.pack("<4s2I", b"glTF", 2, 12 + len(chunks)) + chunks)
    return path


def mirrored(source, target):
    """Mirrors the scene of a file."""
    root, buffer = parts(source)
    root["nodes"].append({"scale": [-1, 1, 1], "children": root["scenes"][0]["nodes"]})
    root["scenes"][0]["nodes"] = [len(root["nodes"]) - 1]
    return write(target, root, buffer)


def png(image):
    out = io.BytesIO()
    image.save(out, "PNG")
    return out.getvalue()


def mesh(path, images, material, positions, normals, texcoords, indices):
    """A mesh with the image of its color, an image of its normals or none, and the properties of its material."""
    arrays = [struct.pack(f"<{len(values)}f", *values) for values in (positions, normals, texcoords)]
    arrays += [struct.pack(f"<{len(indices)}I", *indices), *(png(image) for image in images)]
    if len(images) > 1:
        material = {**material, "normalTexture": {"index": 1}}
    views, buffer = [], b""
    for part in arrays:
        buffer += b"\0" * (-len(buffer) % 4)
        views.append({"buffer": 0, "byteOffset": len(buffer), "byteLength": len(part)})
        buffer += part
    count = len(positions) // 3
    kinds = [(5126, count, "VEC3"), (5126, count, "VEC3"), (5126, count, "VEC2"), (5125, len(indices), "SCALAR")]
    accessors = [
        {"bufferView": view, "componentType": kind, "count": count, "type": shape}
        for view, (kind, count, shape) in enumerate(kinds)
    ]
    accessors[0] |= {"min": [-1, -1, -1], "max": [1, 1, 1]}
    attributes = {"POSITION": 0, "NORMAL": 1, "TEXCOORD_0": 2}
    root = {
        "asset": {"version": "2.0"},
        "scene": 0,
        "scenes": [{"nodes": [0]}],
        "nodes": [{"mesh": 0}],
        "meshes": [{"primitives": [{"attributes": attributes, "indices": 3, "material": 0}]}],
        "materials": [{"pbrMetallicRoughness": {"baseColorTexture": {"index": 0}, "metallicFactor": 0}, **material}],
        "textures": [{"source": number} for number in range(len(images))],
        "images": [{"bufferView": 4 + number, "mimeType": "image/png"} for number in range(len(images))],
        "bufferViews": views,
        "accessors": accessors,
        "buffers": [{"byteLength": len(buffer)}],
    }
    return write(path, root, buffer)


def card(path, material, is_turned=False):
    """A square to the front, or to the back: green and blue, with a hole whose alpha is 0, and an alpha of 0.6 elsewhere."""
    image = Image.new("RGBA", (64, 64), (0, 200, 0, 153))
    image.paste((0, 0, 200, 153), (0, 32, 64, 64))
    image.paste((0, 200, 0, 0), (8, 8, 40, 40))
    corners = [(-1, -1), (1, -1), (1, 1), (-1, 1)]
    positions = [value for x, y in corners for value in (x, y, 0)]
    texcoords = [value for x, y in corners for value in ((x + 1) / 2, (1 - y) / 2)]
    indices = [0, 2, 1, 0, 3, 2] if is_turned else [0, 1, 2, 0, 2, 3]
    return mesh(path, [image], material, positions, [0, 0, -1 if is_turned else 1] * 4, texcoords, indices)


def bent(path, up, is_map):
    """A gray square to the front whose upper half leans up and whose lower half leans down, in the light; with `up` of -1, the
    other way. Vertices have these normals, or a normal map."""
    gray = Image.new("RGB", (64, 64), (180, 180, 180))
    normal = lambda way: (0, 0.6 * up * way, 0.8)  # noqa: E731
    byte = lambda way: tuple(round(127.5 + 127.5 * part) for part in normal(way))  # noqa: E731
    bumps = Image.new("RGB", (64, 64), byte(1))
    bumps.paste(byte(-1), (0, 32, 64, 64))
    positions, normals, texcoords, indices = [], [], [], []
    for half in (0, 1):
        for x, y in ((-1, half - 1), (1, half - 1), (1, half), (-1, half)):
            positions += [x, y, 0]
            normals += [0, 0, 1] if is_map else normal(2 * half - 1)
            texcoords += [(x + 1) / 2, (1 - y) / 2]
        indices += [4 * half + corner for corner in (0, 1, 2, 0, 2, 3)]
    return mesh(path, [gray, bumps] if is_map else [gray], {}, positions, normals, texcoords, indices)


def ball(path, image):
    """A ball whose lower half is smaller, with 110 times 110 vertices."""
    side = 110
    positions, normals, texcoords = [], [], []
    for row in range(side):
        for column in range(side):
            u, v = column / (side - 1), row / (side - 1)
            around, down = 2 * math.pi * u, math.pi * v
            normal = math.sin(down) * math.cos(around), math.cos(down), math.sin(down) * math.sin(around)
            radius = 1 if v < 0.5 else 0.7
            positions += [radius * value for value in normal]
            normals += normal
            texcoords += [u, v]
    indices = []
    for row in range(side - 1):
        for column in range(side - 1):
            a, b = row * side + column, (row + 1) * side + column
            indices += [a, a + 1, b, a + 1, b + 1, b]
    return mesh(path, [Image.open(image).convert("RGB")], {}, positions, normals, texcoords, indices)
