"""Layouts of vertices, as they are given by the caller."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

__all__ = ["read"]

#: The attributes of vertices, and the formats that they have if none is given.
_USUAL = {
    "positions": "float32x3",
    "normals": "float32x3",
    "tangents": "float32x4",
    "texcoords": "float32x2",
    "colors": "float32x4",
    "joints": "uint16x4",
    "weights": "float32x4",
}
#: Those of which a mesh can have several sets.
_SETS = ("texcoords", "colors")


def read(layout: Any) -> list[tuple[str, str, int, str]]:
    """The name, the attribute, its set and its format of each field of a layout: names separated by spaces, a list of names or
    of pairs of a name and a format, or a dictionary of them.
    """
    return [_field(name, format) for name, format in _pairs(layout)]


def _pairs(layout: Any) -> Iterator[tuple[str, str | None]]:
    items: Iterable[Any] = layout
    if isinstance(layout, str):
        items = layout.split()
    elif isinstance(layout, dict):
        items = layout.items()
    elif not hasattr(layout, "__iter__"):
        raise TypeError("a layout is text, a dictionary, or a list of names and pairs")
    for item in items:
        pair = (item, None) if isinstance(item, str) else item
        if not (isinstance(pair, tuple | list) and len(pair) == 2 and all(isinstance(text, str | None) for text in pair)):
            raise TypeError("a layout is text, a dictionary, or a list of names and pairs")
        yield pair[0], pair[1]


def _field(name: str, format: str | None) -> tuple[str, str, int, str]:
    base = name.rstrip("0123456789")
    if base not in _USUAL:
        names = ", ".join(_USUAL)
        raise ValueError(f"vertices have no {name!r}; they have {names}")
    digits = name[len(base) :]
    if digits and base not in _SETS:
        raise ValueError(f"{base} have no sets")
    if int(digits or 0) > 255:
        raise ValueError(f"{name}: no such set")
    return name, base, int(digits or 0), format or _USUAL[base]
