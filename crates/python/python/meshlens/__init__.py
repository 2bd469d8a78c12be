"""Game meshes as numpy arrays: Quake 3 MD3, Unreal vertex meshes, Ultimate 3D, UNIGINE and glTF.

>>> import meshlens
>>> scene = meshlens.open("pak0.pk3!models/players/sarge")   # doctest: +SKIP
>>> scene.meshes[0].positions(0).shape                       # doctest: +SKIP
(466, 3)

Opening reads headers only. Every array is decoded when it is asked for, without the interpreter's lock, and
``Array.raw`` shows it as it is stored, without a copy.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from . import _source
from ._errors import FormatError, InternalError, MemoryLimitError, UnsupportedError
from ._meshlens import (
    Animation,
    Array,
    Clip,
    Mesh,
    Node,
    Pose,
    Scene,
    Space,
    Tag,
    _inspect,
    _models,
    _open,
    _validate,
    version,
)
from ._model import Model
from ._types import Exported, Finding, HeightMap, Inspection, Joint, Material, NormalMap, SceneClip, Submesh

__version__: str = version()

__all__ = [
    "Animation",
    "Array",
    "Clip",
    "Exported",
    "Finding",
    "FormatError",
    "HeightMap",
    "Inspection",
    "InternalError",
    "Joint",
    "Material",
    "MemoryLimitError",
    "Mesh",
    "Model",
    "NormalMap",
    "Node",
    "Pose",
    "Scene",
    "SceneClip",
    "Space",
    "Submesh",
    "Tag",
    "UnsupportedError",
    "convert",
    "inspect",
    "models",
    "open",
    "validate",
]


class _Readable(Protocol):
    def read(self) -> Any: ...


class _Store(Protocol):
    """The calls of a store of obstore that are used."""

    def get(self, path: str, *, options: Any = None) -> Any: ...

    def head(self, path: str) -> Any: ...

    def list_with_delimiter(self, prefix: str | None = None) -> Any: ...


if TYPE_CHECKING:
    from numpy.typing import NDArray
    from typing_extensions import Buffer

    _Path = str | os.PathLike[str]
    _Paths = _Path | Iterable[_Path]
    _Mounts = _Path | _Store | Iterable[_Path | _Store]
    _Buffer = Buffer | NDArray[Any]
else:
    _Path = _Paths = _Mounts = _Buffer = Any

#: What models are opened from: a path, bytes, any buffer such as an array of numpy, or an open file.
Source = str | os.PathLike[str] | bytes | bytearray | memoryview | _Buffer | _Readable


def __dir__() -> list[str]:
    return [*__all__, "__version__"]


def _given(**options: Any) -> dict[str, Any]:
    """The options that are not those by default."""
    return {name: value for name, value in options.items() if value is not None and value is not False and value != ()}


def open(
    source: Source,
    *,
    name: str | None = None,
    password: str | None = None,
    skin: str | None = None,
    mount: _Mounts = (),
    animations: _Paths = (),
    frames: _Path | None = None,
    lods: bool = True,
    materials: bool = True,
    map: bool = False,
    to: str | None = None,
    memory_limit: int | None = None,
) -> Scene:
    """Opens a model with the files that belong to it. Reads the file, and only its headers are parsed.

    Args:
        source: A path (a file, the folder of a Quake 3 player, ``pak0.pk3!models/x.md3``, ``Classes/x.uc!Gun``), the
            content of a file, or an open binary file. ``bytes`` are not copied; other buffers are.
        name: The name of the file if ``source`` is not a path, such as ``"x.md3"``.
        password: The password of an encrypted file (Ultimate 3D).
        skin: The skin of a Quake 3 model.
        mount: Folders, archives and object stores (``obstore.store``) in which companion files, textures and models by
            name are looked up. Without any, the folder of the game around the path is recognized.
        animations: Animation files of a UNIGINE mesh; by default those in its folder.
        frames: The frames file (``_a.3d``) of an Unreal mesh whose name does not lead to it.
        lods: Whether coarser levels of detail are read.
        materials: Whether the materials of the game are read and their textures are found.
        map: Whether the file is mapped instead of read. Nobody may truncate the file or write to it while the scene is
            open: the process then ends, or values change. See SECURITY.md.
        to: The format that the scene is exported to, such as ``"md3"``. A file of glTF is then imported as that format needs it:
            as one model, or, for MD3, as the models that an export wrote to it; for formats with vertex frames, with the
            movement of its joints in frames.
        memory_limit: The largest number of bytes for files, or for the import of a glTF file.

    Raises:
        FormatError: The content is invalid.
        UnsupportedError: The format, its version or its encryption is not supported.
        OSError: A file cannot be read; ``FileNotFoundError`` if it, or a file that it needs, does not exist.
        ValueError: The path has several models or none, or the skin does not exist.
        MemoryLimitError: The files are larger than ``memory_limit``.
    """
    options = _given(
        password=password,
        skin=skin,
        mount=mount,
        animations=animations,
        frames=frames,
        map=map,
        to=to,
        memory_limit=memory_limit,
    )
    options |= {} if lods else {"lods": False}
    options |= {} if materials else {"materials": False}
    again = (source, name, options) if isinstance(source, str | os.PathLike | bytes) else None
    return _open(*_source.read(source, name), again, **options)


def inspect(
    source: Source,
    *,
    name: str | None = None,
    password: str | None = None,
    mount: _Mounts = (),
    frames: _Path | None = None,
    map: bool = False,
    memory_limit: int | None = None,
) -> Inspection:
    """The format, the version and the counts of a file. Its arrays are not decoded.

    Args:
        source: Like ``open``.
        name, password, mount, frames, map, memory_limit: Like ``open``.

    Raises:
        FormatError, UnsupportedError, OSError: Like ``open``.
    """
    options = _given(password=password, mount=mount, frames=frames, map=map, memory_limit=memory_limit)
    return _inspect(*_source.read(source, name), **options)


def validate(
    source: Source,
    *,
    limit: int = 100,
    name: str | None = None,
    password: str | None = None,
    mount: _Mounts = (),
    frames: _Path | None = None,
    map: bool = False,
    memory_limit: int | None = None,
) -> list[Finding]:
    """The findings about a file: what is broken or unusual in it, the worst first. An invalid file is one error.

    Args:
        source: Like ``open``.
        limit: The largest number of findings.
        name, password, mount, frames, map, memory_limit: Like ``open``.

    Raises:
        UnsupportedError: The file is one of glTF, which other validators check.
        OSError: A file cannot be read.
    """
    options = _given(password=password, mount=mount, frames=frames, map=map, memory_limit=memory_limit)
    return _validate(*_source.read(source, name), limit, **options)


def models(path: str | os.PathLike[str], *, players: bool = True, archives: bool = False) -> list[str]:
    """The paths of every model of a game's format below a folder, or in an archive, sorted. Files of glTF are left out.

    Args:
        path: A folder, an archive, a folder in an archive, or a file.
        players: Whether a Quake 3 player is listed once, by its folder.
        archives: Whether archives in folders are searched.

    Raises:
        OSError: A folder cannot be listed, and no model was found.
    """
    found, faults = _models(path, players, archives)
    if faults and not found:
        raise OSError("; ".join(faults[:5]))
    return found


_SceneSource = Source | Scene

_FORMATS = {".glb": "glb", ".md3": "md3", ".3d": "unreal", ".u3d": "u3d", ".mesh": "unigine", ".anim": "unigine-anim"}


def convert(
    source: Source | Scene,
    target: str | os.PathLike[str],
    *,
    to: str | None = None,
    overwrite: bool = False,
    options: dict[str, Any] | None = None,
    **export: Any,
) -> list[Finding]:
    """Converts a model to another format, and returns what that format cannot store. Writes all files or none.

    Args:
        source: Like ``open``, or a scene.
        target: The path of the model. Companion files are written beside it. The two files of an Unreal mesh are
            ``x_d.3d`` and ``x_a.3d`` if it is ``x.3d`` or ``x_d.3d``.
        to: The format; by default that of the extension: ``.glb``, ``.md3``, ``.3d``, ``.u3d``, ``.mesh`` or ``.anim``.
        overwrite: Whether existing files are replaced.
        options: Options of ``open``.
        export: Options of ``Scene.export``.

    Raises:
        FileExistsError: A file exists, and ``overwrite`` is false.
        ValueError: The format is unknown, or cannot store the model. MD3 stores one of the parts of a player: ``node=`` names it.
    """
    path = Path(target)
    format = to or _FORMATS.get(path.suffix.lower())
    if format is None:
        raise ValueError(f"{path}: the extension is not one of: {', '.join(_FORMATS)}; name the format with to=")
    name = path.stem.removesuffix("_d") if format == "unreal" else path.stem
    opened = {"to": format, **(options or {})}
    scene = source if isinstance(source, Scene) else open(source, **opened)
    exported: Exported = scene.export(format, name=name, **export)  # type: ignore[arg-type]
    if format != "unreal":
        (_, model), *beside = exported.files.items()
        exported = replace(exported, files={**dict(beside), path.name: model})
    exported.write(path.parent, overwrite=overwrite)
    return exported.losses
