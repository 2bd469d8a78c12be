"""Many files as one Arrow record batch, which pyarrow, polars and duckdb read without a copy.

>>> import meshlens.arrow, polars
>>> rows = polars.DataFrame(meshlens.arrow.inspect(["a.md3", "b.u3d"]))   # doctest: +SKIP

Every function returns one row for each source, in order, and the same columns. A file that cannot be read or is invalid is a
row with an error, and never an exception.

====================================================  =====================================================================
column                                                content
====================================================  =====================================================================
``uri`` utf8, not null                                the path, or the name that was given
``error_code``, ``error_message`` utf8                the fault; null if the file was read
``format``, ``version`` utf8                          the format
``error_offset`` uint64                               the byte offset of the fault; null if it has no place
``bytes`` uint64                                      the size of all files of the model
``frames``, ``surfaces``, ``vertices``,               the counts
``triangles``, ``tags`` uint64
``errors``, ``warnings``, ``infos``, ``hints``        the numbers of findings; null except from ``validate``
uint64
``min``, ``max`` fixed_size_list<float32, 3>          the bounding box of frame 0
``clips`` list<struct>                                name, first, count, rate, loop_frames; null except from ``inspect``
``findings`` list<struct>                             severity, code, message, pointer, offset, count: at most 100, the worst
                                                      first; null except from ``validate``
``arrays`` list<struct>                               semantic, encoding, mesh, set, frame, lod, file, offset, stride, count;
                                                      null except from ``arrays``
====================================================  =====================================================================

The metadata of the schema has its version, ``meshlens.schema``. A column that is added is a new version; no column is removed
or changes its type.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import chain, repeat
from typing import Any

from . import Source, _source
from ._meshlens import RecordBatch, _arrow

__all__ = ["RecordBatch", "arrays", "inspect", "validate"]


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
    return _arrow("inspect", _read(sources, names), threads, **options)


def validate(
    sources: Iterable[Source], *, names: Sequence[str] | None = None, threads: int = 1, **options: Any
) -> RecordBatch:
    """The findings about each file, and their numbers. Like ``inspect``."""
    return _arrow("validate", _read(sources, names), threads, **options)


def arrays(
    sources: Iterable[Source], *, names: Sequence[str] | None = None, threads: int = 1, **options: Any
) -> RecordBatch:
    """The arrays of each file as they are stored. Like ``inspect``."""
    return _arrow("arrays", _read(sources, names), threads, **options)


def _read(sources: Iterable[Source], names: Sequence[str] | None) -> list[tuple[str | bytes, str]]:
    return [_source.read(source, name) for source, name in zip(sources, chain(names or (), repeat(None)))]
