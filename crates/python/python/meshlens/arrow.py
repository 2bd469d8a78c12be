"""Many files as one Arrow record batch, which pyarrow, polars and duckdb read without a copy.

>>> import meshlens.arrow, polars
>>> rows = polars.DataFrame(meshlens.arrow.inspect(["a.md3", "b.u3d"]))   # doctest: +SKIP

Every function returns one row for each source, in order, with the columns of `meshlens.census`. A file that cannot be read or
is invalid is a row with an error, and never an exception. ``inspect`` fills the columns that need only headers, and ``min`` and
``max``; ``validate`` also the findings and ``details``; ``arrays`` those of headers and ``arrays``. ``size`` is the size of all files
of a model.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from itertools import chain, repeat
from typing import Any

from . import Source, _source
from ._meshlens import RecordBatch, _arrow

__all__ = ["RecordBatch", "arrays", "inspect", "validate"]

_INSPECT = "headers,min,max"
_VALIDATE = f"{_INSPECT},errors,warnings,infos,hints,findings,details"
_ARRAYS = "headers,arrays"


def inspect(
    sources: Iterable[Source], *, names: Sequence[str] | None = None, threads: int = 1, **options: Any
) -> RecordBatch:
    """The format, the counts, the bounds and the clips of each file.

    Args:
        sources: Paths, bytes, buffers or open files.
        names: The names of sources that are no paths.
        threads: The number of threads that read and parse.
        options: ``password``, ``mount``, ``map`` and ``memory_limit`` of ``meshlens.open``.

    Raises:
        KeyboardInterrupt: Ctrl-C was pressed.
        TypeError: A source is of another type.
    """
    return _arrow(_INSPECT, _read(sources, names), threads, **options)


def validate(
    sources: Iterable[Source], *, names: Sequence[str] | None = None, threads: int = 1, **options: Any
) -> RecordBatch:
    """The findings about each file, and their numbers. Like ``inspect``."""
    return _arrow(_VALIDATE, _read(sources, names), threads, **options)


def arrays(
    sources: Iterable[Source], *, names: Sequence[str] | None = None, threads: int = 1, **options: Any
) -> RecordBatch:
    """The arrays of each file as they are stored. Like ``inspect``."""
    return _arrow(_ARRAYS, _read(sources, names), threads, **options)


def _read(sources: Iterable[Source], names: Sequence[str] | None) -> list[tuple[str | bytes | Exception, str]]:
    return [_read_one(source, name) for source, name in zip(sources, chain(names or (), repeat(None)))]


def _read_one(source: Source, name: str | None) -> tuple[str | bytes | Exception, str]:
    try:
        return _source.read(source, name)
    except TypeError:
        raise
    except Exception as error:
        shown = source if isinstance(source, str | os.PathLike) else getattr(source, "name", None)
        return error, name or (os.fsdecode(shown) if isinstance(shown, str | bytes | os.PathLike) else "model")
