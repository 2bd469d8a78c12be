"""Checks USD files of `meshlens convert` with the libraries of Pixar: the validators find nothing, and extents are those of the points
in the first, the middle and the last frame. usage: usd.py MESHLENS FOLDER MODEL..."""
import subprocess
import sys
from pathlib import Path

from pxr import Usd, UsdGeom, UsdSkel, UsdValidation

meshlens, folder, *models = sys.argv[1:]
failed, refused = 0, 0


def complaints(stage):
    """What the validators of usd-core find, which are those of usdchecker."""
    validators = UsdValidation.ValidationRegistry().GetOrLoadAllValidators()
    return [error.GetMessage() for error in UsdValidation.ValidationContext(validators).Validate(stage)]


for model in models:
    path = Path(folder) / (Path(model).name + ".usda")
    command = [meshlens, "convert", "-q", "--force", model, "-o", path]
    if subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL).returncode:
        # Some files of the corpus are broken on purpose.
        refused += 1
        continue
    stage = Usd.Stage.Open(str(path))
    found = complaints(stage)
    meshes = [UsdGeom.Mesh(prim) for prim in stage.Traverse() if prim.IsA(UsdGeom.Mesh)]
    frames = int(stage.GetEndTimeCode()) + 1
    samples = [mesh.GetPointsAttr().GetNumTimeSamples() for mesh in meshes]
    skeletons = sum(prim.IsA(UsdSkel.Skeleton) for prim in stage.Traverse())
    for mesh in meshes:
        # An extent is that of the points.
        for frame in {0, frames // 2, frames - 1}:
            own = mesh.GetPointsAttr().Get(frame)
            extent = UsdGeom.PointBased.ComputeExtent(own)
            if extent != mesh.GetExtentAttr().Get(frame):
                found.append(f"{mesh.GetPath()}: the extent of frame {frame} is not that of its points")
    print(f"{path.name}: {len(meshes)} meshes, {frames} frames, {max(samples, default=0)} samples, {skeletons} skeletons")
    for line in found:
        print(f"  {line}")
    failed += len(found)
print(f"{len(models) - refused} USD files, {failed} faults")
if failed or refused > len(models) / 4:
    sys.exit(f"{failed} faults in USD files; {refused} of {len(models)} models were refused")
