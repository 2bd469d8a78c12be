"""Compares how VTK (f3d) and `meshlens thumb` show animated files: the extent of their pictures from the front and from the side,
at the start of the first animation. usage: compare_vtk.py MESHLENS FOLDER FILE..."""
import io
import subprocess
import sys
from pathlib import Path

import f3d
from PIL import Image

SIZE = 256
meshlens, folder, *files = sys.argv[1:]


def extent(picture):
    """Width and height of what is not transparent, in pixels."""
    left, top, right, bottom = picture.getchannel("A").getbbox() or (0, 0, 0, 0)
    return right - left, bottom - top


def ours(path, view):
    """The extent of the picture of the first frame of a file by meshlens."""
    command = [meshlens, "thumb", "-q", "--view", view, "--background", "none", "--size", str(SIZE), "--frame", "0"]
    png = subprocess.run([*command, "-o", "-", path], check=True, capture_output=True).stdout
    return extent(Image.open(io.BytesIO(png)))


def theirs(engine, view):
    """The extent of the picture that f3d shows now."""
    away = {"front": (0, 0, 1), "side": (1, 0, 0)}[view]
    camera = engine.window.camera
    camera.focal_point, camera.position, camera.view_up = (0, 0, 0), away, (0, 1, 0)
    camera.reset_to_bounds()
    image = engine.window.render_to_image(no_background=True)
    return extent(Image.frombytes("RGBA", (SIZE, SIZE), bytes(image.content)))


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
