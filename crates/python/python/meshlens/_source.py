"""What models are opened from."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

__all__ = ["content", "read"]


def read(source: Any, name: str | None = None) -> tuple[str | bytes, str]:
    """The path of a source, or its content and its name. ``bytes`` are not copied; other buffers are, because others can change
    or resize them.
    """
    if isinstance(source, str) or hasattr(source, "__fspath__"):
        path = os.fspath(source)
        if not isinstance(path, str):
            raise TypeError("a path is text")
        if "\0" in path:
            raise ValueError("embedded null byte")
        return path, ""
    found = content(source)
    if found is not None:
        return found, name or "model"
    if not hasattr(source, "read"):
        raise TypeError(f"a path, bytes, a buffer or a file is needed, and this is of type {type(source).__name__}")
    found = source.read()
    if isinstance(found, str):
        raise TypeError("the file is open as text; open it with mode 'rb'")
    found = content(found)
    if found is None:
        raise TypeError("read() has to return bytes")
    named = getattr(source, "name", None)
    if name is None and isinstance(named, str | os.PathLike):
        name = Path(named).name
    return found, name or "model"


def content(source: Any) -> bytes | None:
    """The bytes of a buffer; ``None`` for other objects."""
    if type(source) is bytes:
        return source
    try:
        return memoryview(source).tobytes()
    except TypeError:
        return None
