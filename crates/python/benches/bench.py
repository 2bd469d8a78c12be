"""Times of the package beside those of Rust, numpy's own copy and a reader in plain Python: python benches/bench.py

The model has 4,096 vertices and 128 frames (4.4 MB). Each time is the least of several, of many calls each.
"""

from __future__ import annotations

import struct
import subprocess
import tempfile
import timeit
from collections.abc import Callable
from pathlib import Path

import numpy as np

import meshlens

VERTICES, FRAMES = 4096, 128


def model() -> bytes:
    """An MD3 file of one surface: a sheet that waves."""
    side = 64
    x, y = np.meshgrid(np.arange(side), np.arange(side))
    frames = [np.stack([x, y, 8 * np.sin(x / 5 + t / 9)], -1).reshape(-1, 3) for t in range(FRAMES)]
    corner = (np.arange(side * (side - 1)).reshape(side - 1, side)[:, :-1]).reshape(-1, 1)
    triangles = np.concatenate([corner + [0, 1, side], corner + [1, side + 1, side]])
    sheet = meshlens.Model("sheet", space="md3")
    sheet.add_mesh("sheet", frames, triangles, texcoords=np.stack([x, y], -1).reshape(-1, 2) / side)
    return sheet.scene().export("md3").files["sheet.md3"]


def plain_python(content: bytes, frame: int) -> list[tuple[float, float, float]]:
    """The positions of one frame, as add-ons read them: a loop over struct."""
    (surface,) = struct.unpack_from("<i", content, 100)
    count, offset = struct.unpack_from("<i", content, surface + 80)[0], struct.unpack_from("<i", content, surface + 100)[0]
    start, positions = surface + offset + frame * count * 8, []
    for vertex in range(count):
        x, y, z = struct.unpack_from("<hhh", content, start + vertex * 8)
        positions.append((x / 64, y / 64, z / 64))
    return positions


def micros(call: Callable[[], object], number: int) -> float:
    """The least time of a call, in microseconds."""
    return min(timeit.repeat(call, number=number, repeat=15)) / number * 1e6


def floor(content: bytes) -> list[float]:
    """The times of opening and of positions in Rust, without Python."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "sheet.md3"
        path.write_bytes(content)
        command = ["cargo", "bench", "-q", "--bench", "floor", "--", str(path)]
        return list(map(float, subprocess.check_output(command, cwd=Path(__file__).parents[1], text=True).split()))


def main() -> None:
    """Prints a table."""
    content = model()
    opened, decoded = floor(content)
    scene = meshlens.open(content)
    mesh = scene.meshes[0]
    assert mesh.point_count == VERTICES and mesh.frame_count == FRAMES
    out = np.empty((VERTICES, 3), np.float32)
    array = mesh.array("positions", frame=7)
    assert array is not None
    raw = array.raw
    same_bytes = out.tobytes()
    same = np.frombuffer(same_bytes, np.float32)
    assert np.allclose(plain_python(content, 7), mesh.positions(7))
    rows = {
        "Rust: open 4.4 MB of bytes": opened,
        "open 4.4 MB of bytes": micros(lambda: meshlens.open(content), 2000),
        "Rust: positions of 4,096 vertices": decoded,
        "positions of 4,096 vertices": micros(lambda: mesh.positions(7), 5000),
        "positions of 4,096 vertices, into an array": micros(lambda: mesh.positions(7, out=out), 5000),
        "numpy: copy of the decoded 48 KiB": micros(lambda: same.copy(), 5000),
        "numpy.frombuffer of the decoded 48 KiB": micros(lambda: np.frombuffer(same_bytes, np.float32), 5000),
        "numpy: decode by multiplication of the raw view": micros(lambda: raw * np.float32(1 / 64), 1000),
        "positions of an empty slice (the cost of a call)": micros(lambda: mesh.positions(slice(0, 0)), 5000),
        "array.raw": micros(lambda: array.raw, 5000),
        "plain Python with struct": micros(lambda: plain_python(content, 7), 3),
        "positions of all 128 frames": micros(lambda: mesh.positions(slice(None)), 20),
    }
    for name, time in rows.items():
        print(f"{name:52} {time:10.2f} us")


if __name__ == "__main__":
    main()
