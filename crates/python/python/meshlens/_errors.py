"""The exceptions of the package, besides those of Python."""

from __future__ import annotations

__all__ = ["FormatError", "InternalError", "MemoryLimitError", "UnsupportedError"]


class FormatError(ValueError):
    """The content of a file is invalid.

    Attributes:
        format: The format, such as ``"md3"``; ``"zip"`` for an archive.
        code: The name of the fault, such as ``"OUT_OF_BOUNDS"``; ``meshlens explain CODE`` describes it.
        offset: The byte offset in the file; ``None`` if the fault has no place.
        path: The file; ``None`` if its name is not known.
    """

    def __init__(
        self,
        message: str,
        *,
        format: str | None = None,
        code: str | None = None,
        offset: int | None = None,
        path: str | None = None,
    ) -> None:
        super().__init__(message)
        self.format = format
        self.code = code
        self.offset = offset
        self.path = path


class UnsupportedError(FormatError):
    """The file has a format, a version or an encryption that is not supported."""


class MemoryLimitError(MemoryError):
    """A call needs more memory than its ``memory_limit``."""


class InternalError(RuntimeError):
    """A panic in the library. Every panic is a bug."""


def _made(
    name: str, message: str, fault: tuple[str, str] | None, path: str | None, offset: int | None
) -> BaseException:
    """An exception of the module; ``fault`` is the format and the code of what is wrong with a file."""
    kind: type[BaseException] = globals()[name]
    if fault is None:
        return kind(message)
    return kind(message, format=fault[0], code=fault[1], offset=offset, path=path)  # type: ignore[call-arg]


for _class in (FormatError, UnsupportedError, MemoryLimitError, InternalError):
    _class.__module__ = "meshlens"
