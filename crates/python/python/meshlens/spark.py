"""A census on Spark: ``meshlens.spark.census(spark.read.parquet("manifest.parquet"))``.

Needs ``pip install meshlens[spark]`` on every node.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

import pyarrow as pa

from .fetch import rows, schema

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

__all__ = ["census"]


def census(manifest: DataFrame, columns: Sequence[str] | None = None) -> DataFrame:
    """The rows of every file of a data frame with the columns ``uri`` and, if known, ``etag``. Each partition of the data frame
    is a task. Spark's writers make the output appear whole: ``census(...).write.parquet(out)``.
    """
    from pyspark.sql.pandas.types import from_arrow_schema

    def described(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for batch in batches:
            listed = batch.to_pydict()
            yield from rows(listed["uri"], listed.get("etag"), listed.get("size"), columns)

    names = [name for name in ("uri", "etag", "size") if name in manifest.columns]
    return manifest.select(*names).mapInArrow(described, from_arrow_schema(schema()))
