"""Opens USD files of `meshlens convert` in Blender, and compares its pictures with those of `meshlens thumb`: their outlines from the
front must overlap. usage: blender.py MESHLENS FOLDER MODEL..."""
import io
import subprocess
import sys
from pathlib import Path

import bpy
from mathutils import Vector
from PIL import Image

SIZE = 256
CELLS = 96
# The least overlap of two outlines.
OVERLAP = 0.93
meshlens, folder, *models = sys.argv[1:]


def outline(picture):
    """The cells of a picture that are not transparent, in the square around what is drawn."""
    alpha = picture.getchannel("A").point(lambda value: 255 * (value > 127))
    left, top, right, bottom = alpha.getbbox() or (0, 0, 1, 1)
    side = max(right - left, bottom - top)
    x, y = (left + right - side) / 2, (top + bottom - side) / 2
    cells = alpha.transform((CELLS, CELLS), Image.Transform.EXTENT, (x, y, x + side, y + side), Image.Resampling.NEAREST)
    return [value > 127 for value in cells.tobytes()]


def ours(model, frame):
    command = [meshlens, "thumb", "-q", "--view", "front", "--background", "none", "--size", str(SIZE), "--frame", str(frame)]
    return Image.open(io.BytesIO(subprocess.run([*command, "-o", "-", model], check=True, capture_output=True).stdout))


def corners(scene, frame):
    """The vertices of all meshes in a frame."""
    scene.frame_set(frame)
    graph = bpy.context.evaluated_depsgraph_get()
    for shown in (shown for shown in bpy.data.objects if shown.type == "MESH"):
        evaluated = shown.evaluated_get(graph)
        yield from (evaluated.matrix_world @ vertex.co for vertex in evaluated.to_mesh().vertices)


def theirs(scene, camera, frame, path):
    """A picture by Cycles, which needs no display. The front of a model looks along -Y."""
    points = list(corners(scene, frame))
    low, high = (Vector(limit(point[axis] for point in points) for axis in range(3)) for limit in (min, max))
    size = max(high.x - low.x, high.z - low.z)
    camera.location = ((low.x + high.x) / 2, low.y - size, (low.z + high.z) / 2)
    camera.data.ortho_scale, camera.data.clip_end = 1.1 * size, 10 * (size + high.y - low.y)
    scene.render.filepath = str(path)
    bpy.ops.render.render(write_still=True)
    return Image.open(path)


failed = 0
for model in models:
    path = Path(folder) / (Path(model).name + ".usda")
    subprocess.run([meshlens, "convert", "-q", "--force", model, "-o", path], check=True, stdout=subprocess.DEVNULL)
    bpy.ops.wm.read_factory_settings(use_empty=True)
    bpy.ops.wm.usd_import(filepath=str(path))
    scene = bpy.context.scene
    scene.render.engine, scene.cycles.samples, scene.render.film_transparent = "CYCLES", 1, True
    scene.render.resolution_x = scene.render.resolution_y = SIZE
    scene.world = bpy.data.worlds.new("light")
    camera = bpy.data.objects.new("camera", bpy.data.cameras.new("camera"))
    camera.data.type, camera.rotation_euler = "ORTHO", (1.5707963, 0, 0)
    scene.collection.objects.link(camera)
    scene.camera = camera
    # The frames of joints follow the pose at rest.
    first = int(any(shown.type == "ARMATURE" for shown in bpy.data.objects))
    for frame in {0, scene.frame_end // 2, scene.frame_end - first}:
        a = outline(ours(model, frame))
        b = outline(theirs(scene, camera, frame + first, path.with_suffix(f".{frame}.png")))
        overlap = sum(x and y for x, y in zip(a, b)) / max(1, sum(x or y for x, y in zip(a, b)))
        print(f"{path.name} frame {frame} of {scene.frame_end + 1 - first} in Blender: overlap {overlap:.3f}", flush=True)
        failed += overlap < OVERLAP
if failed:
    sys.exit(f"{failed} pictures differ")
