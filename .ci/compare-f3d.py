"""Compares how VTK (f3d) and `meshlens thumb` show animated files: the extent of their pictures from the front and from the side,
at the start of the first animation. usage: compare-f3d.py MESHLENS FOLDER FILE..."""
import struct
import subprocess
import sys
import zlib
from pathlib import Path

import f3d

SIZE = 256
meshlens, folder, *files = sys.argv[1:]


def extent(rows):
    """Width and height of what is opaque, in pixels, from rows of alpha."""
    lines = [y for y, row in enumerate(rows) if any(row)]
    columns = [x for x in range(len(rows[0])) if any(row[x] for row in rows)]
    if not lines:
        return 0, 0
    return columns[-1] - columns[0] + 1, lines[-1] - lines[0] + 1


def png_alpha(data):
    """Rows of alpha of a PNG with 8 bits of RGBA."""
    at, packed, header = 8, b"", None
    while at < len(data):
        size, kind = struct.unpack(">I4s", data[at : at + 8])
        body = data[at + 8 : at + 8 + size]
        header = struct.unpack(">IIBB", body[:10]) if kind == b"IHDR" else header
        packed += body if kind == b"IDAT" else b""
        at += size + 12
    width, height, depth, color = header
    assert (depth, color) == (8, 6), header
    raw, stride = zlib.decompress(packed), width * 4
    rows, above = [], bytes(stride)
    for y in range(height):
        kind, line = raw[y * (stride + 1)], bytearray(raw[y * (stride + 1) + 1 : (y + 1) * (stride + 1)])
        for i in range(stride):
            a, b, c = (line[i - 4] if i > 3 else 0), above[i], (above[i - 4] if i > 3 else 0)
            distances = [abs(b - c), abs(a - c), abs(a + b - 2 * c)]
            nearest = (a, b, c)[distances.index(min(distances))]
            line[i] = (line[i] + (0, a, b, (a + b) // 2, nearest)[kind]) & 255
        rows.append(line[3::4])
        above = line
    return rows


def ours(path, view):
    """The extent of the picture of the first frame of a file by meshlens."""
    command = [meshlens, "thumb", "-q", "--view", view, "--background", "none", "--size", str(SIZE), "--frame", "0"]
    return extent(png_alpha(subprocess.run([*command, "-o", "-", path], check=True, capture_output=True).stdout))


def theirs(engine, view):
    """The extent of the picture that f3d shows now."""
    away = {"front": (0, 0, 1), "side": (1, 0, 0)}[view]
    camera = engine.window.camera
    camera.focal_point, camera.position, camera.view_up = (0, 0, 0), away, (0, 1, 0)
    camera.reset_to_bounds()
    image = engine.window.render_to_image(no_background=True)
    alpha = bytes(image.content)[3 :: image.channel_count]
    return extent([alpha[y * SIZE : (y + 1) * SIZE] for y in range(SIZE)])


def same(a, b):
    """Whether pictures have the same proportions, to 2 % of the picture: the two draw edges differently."""
    if not all(a) or not all(b):
        return False
    scale = max(a) / max(b)
    return all(abs(x - y * scale) <= SIZE / 50 for x, y in zip(a, b))


failed = 0
for file in files:
    glb = Path(folder) / (Path(file).name + ".glb")
    subprocess.run([meshlens, "convert", "-q", "--force", file, "-o", glb], check=True)
    engine = f3d.Engine.create_egl()
    engine.window.size = SIZE, SIZE
    engine.options["scene.camera.orthographic"] = True
    engine.options["ui.axis"] = False
    engine.options["render.grid.enable"] = False
    engine.scene.add(glb)
    assert engine.scene.animation.count() > 0, f"{glb}: f3d finds no animation"
    for view in ["front", "side"]:
        wanted, found = ours(file, view), theirs(engine, view)
        print(f"{glb.name} from the {view}: {found[0]} x {found[1]} pixels, meshlens {wanted[0]} x {wanted[1]}")
        failed += not same(found, wanted)
if failed:
    sys.exit(f"{failed} pictures differ")
