"""A table of many game models: one row for each file, as one Arrow record batch.

>>> import meshlens.census, pyarrow
>>> rows = pyarrow.record_batch(meshlens.census.batch(["a.md3"], [b"IDP3"]))   # doctest: +SKIP

``batch`` is a pure function from bytes to rows, for engines that read many objects: it needs no files, and gives the same rows
each time. The files of a call are beside one another: the geometry of an Unreal mesh (``x_d.3d``) is the mesh with its frames
(``x_a.3d``) in the same call, as in a table that ``meshlens-census`` writes, and half of one without, and glTF is read with the buffers
that it refers to in its folder or below it. A row depends on no other file of the call. No content is an exception: a file that is no
model is a row that says why.

======================================================  ===================================================================
column                                                  content
======================================================  ===================================================================
``uri`` utf8, not null                                  the name that was given
``entry`` utf8                                          the path in the archive; null for the row of a file itself
``etag`` utf8                                           the entity tag that was given
``size`` int64                                          the size in bytes
``hash`` utf8                                           BLAKE3 in hexadecimal digits
``status`` utf8, not null                               ``ok``, ``half`` (one of the two files of an Unreal mesh),
                                                        ``incomplete``, ``invalid``, ``encrypted``, ``other`` (no model) or
                                                        ``unread``, ``changed``
``code``, ``message`` utf8, ``offset`` int64            the fault; null for a model without one
``format``, ``version`` utf8                            the format; ``zip`` for an archive
``frames``, ``meshes``, ``vertices``, ``triangles``,    the counts; ``tags`` counts tags or joints
``tags`` int64
``min``, ``max`` list<float32>                          the bounding box of all frames, as a script places them
``materials``, ``textures`` list<utf8>                  names
``clips`` list<struct>                                  name, first, count, rate, loop_frames
``joints`` list<struct>                                 name, parent
``errors``, ``warnings``, ``infos``, ``hints`` int64    the numbers of findings; null for glTF
``findings`` list<struct>                               code, severity, count: one for each code
``seconds`` float64                                     the time of parsing, if ``columns`` names it
``details`` list<struct>                                severity, code, message, pointer, offset, count: at most 100, the worst
                                                        first, if ``columns`` names it
``arrays`` list<struct>                                 semantic, encoding, mesh, set, frame, lod, file, offset, stride, count:
                                                        the arrays as they are stored, if ``columns`` names it
======================================================  ===================================================================

An archive (``.pk3``, ``.zip``) is one row of its own, and then one row for each file of a model in it. Lists except ``arrays``
have at most 1024 items, and texts 1024 bytes. The metadata of the schema has its version, ``meshlens.census``. A column that is added is a new
version; no column is removed or changes its type.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from . import _source
from ._meshlens import RecordBatch, _census

__all__ = ["RecordBatch", "batch"]


def batch(
    uris: Iterable[str] | Any,
    contents: Iterable[Any] | Any,
    *,
    etags: Iterable[str | None] | Any | None = None,
    columns: Iterable[str] | None = None,
    threads: int = 1,
) -> RecordBatch:
    """The rows of files whose bytes are in memory. Other threads run meanwhile.

    Args:
        uris: The names of the files: an Arrow array or chunked array of strings, or any iterable of ``str``. The extension
            tells formats apart whose bytes do not.
        contents: The bytes of the files: an Arrow array of binary values, or an iterable of bytes, buffers, exceptions or
            ``None``. Those of Arrow arrays and ``bytes`` are not copied. A file without content is a row with the status
            ``unread``, or ``changed`` for an exception with ``status = "changed"``, and the text of the exception.
        etags: The entity tags of the files, which become a column.
        columns: The names of the columns to fill; the others are null. ``"headers"`` stands for those that need no arrays, and
            ``"all"``, the default, for all but ``seconds``, ``details`` and ``arrays``.
        threads: The number of threads that read.

    Raises:
        KeyboardInterrupt: Ctrl-C was pressed.
        TypeError: A column is of another type.
        ValueError: The columns have different lengths, a name is missing, or there is no such column.
    """
    wanted = None if columns is None else ",".join(columns)
    if not hasattr(contents, "__arrow_c_array__") and not hasattr(contents, "__arrow_c_stream__"):
        contents = list(map(_bytes, contents))
    return _census(uris, contents, etags, wanted, threads)


def _bytes(content: Any) -> Any:
    found = _source.content(content)
    return content if found is None else found
