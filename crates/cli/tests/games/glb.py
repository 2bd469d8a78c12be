"""glTF files that no writer of ours makes: mirrored, and of more vertices than a surface of an MD3 may have."""

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
    png = io.BytesIO()
    Image.open(image).convert("RGB").save(png, "PNG")
    arrays = [struct.pack(f"<{len(values)}f", *values) for values in (positions, normals, texcoords)]
    arrays += [struct.pack(f"<{len(indices)}I", *indices), png.getvalue()]
    views, buffer = [], b""
    for part in arrays:
        buffer += b"\0" * (-len(buffer) % 4)
        views.append({"buffer": 0, "byteOffset": len(buffer), "byteLength": len(part)})
        buffer += part
    kinds = [(5126, side * side, "VEC3"), (5126, side * side, "VEC3"), (5126, side * side, "VEC2"), (5125, len(indices), "SCALAR")]
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
        "materials": [{"pbrMetallicRoughness": {"baseColorTexture": {"index": 0}, "metallicFactor": 0}}],
        "textures": [{"source": 0}],
        "images": [{"bufferView": 4, "mimeType": "image/png"}],
        "bufferViews": views,
        "accessors": accessors,
        "buffers": [{"byteLength": len(buffer)}],
    }
    return write(path, root, buffer)
