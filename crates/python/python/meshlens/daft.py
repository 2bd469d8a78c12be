"""A census on Daft: the same function as an expression, ``meshlens.daft.describe(daft.col("uri"))``.

Needs ``pip install meshlens[daft]``.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import pyarrow as pa
import pyarrow.compute as pc

from .fetch import rows, schema

if TYPE_CHECKING:
    import daft

__all__ = ["census", "describe"]


def describe(
    uri: daft.Expression, etag: daft.Expression | None = None, columns: Sequence[str] | None = None
) -> daft.Expression:
    """The rows of each file as a list of structs: one, or one for an archive and one for each model in it.

    Args:
        uri: The column of URIs.
        etag: The column of entity tags.
        columns: Columns of ``meshlens.census.batch``.
    """
    import daft

    row = pa.struct(list(schema()))

    def described(uris: daft.Series, etags: daft.Series) -> pa.Array:
        table = pa.Table.from_batches(list(rows(uris.to_pylist(), etags.to_pylist(), columns=columns)), pa.schema(row))
        # The first row of each file has no entry.
        starts = pc.indices_nonzero(pc.is_null(table["entry"])).cast(pa.int32()).to_pylist()
        values = table.to_struct_array().combine_chunks()
        return pa.ListArray.from_arrays(pa.array([*starts, table.num_rows], pa.int32()), values)

    batched = daft.func.batch(return_dtype=daft.DataType.from_arrow_type(pa.list_(row)))(described)
    return batched(uri, daft.lit(None).cast(daft.DataType.string()) if etag is None else etag)


def census(manifest: daft.DataFrame, columns: Sequence[str] | None = None) -> daft.DataFrame:
    """The rows of every file of a data frame with the columns ``uri`` and, if known, ``etag``."""
    import daft

    etag = daft.col("etag") if "etag" in manifest.column_names else None
    found = manifest.select(describe(daft.col("uri"), etag, columns).alias("row")).explode("row")
    return found.select(*(daft.col("row").get(name).alias(name) for name in schema().names))
