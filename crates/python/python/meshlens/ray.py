"""A census of a manifest on Ray: ``meshlens.ray.census("manifest.parquet", "s3://bucket/census")``.

Needs ``pip install meshlens[ray]`` on every node, and a folder or an object store that all of them reach.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from .fetch import Job, Unavailable

__all__ = ["census"]


def census(
    manifest: str,
    out: str,
    *,
    columns: Sequence[str] | None = None,
    files: int = 2000,
    concurrency: int | None = None,
    retries: int = 20,
    **remote: Any,
) -> int:
    """Describes every file of a manifest, and returns the number of rows that were written. Each part of the manifest is a
    task, which reads its rows of the manifest, fetches the files and writes one Parquet file whole. A task whose process or
    node dies, or whose server does not answer, is run again. If the driver dies, run the census again: it goes on with the
    parts that are missing.

    Args:
        manifest: The path or the URI of the manifest, which every node can read.
        out: A folder that every node reaches, or a prefix of an object store.
        columns: Columns of ``meshlens.census.batch``.
        files: The number of files in a part.
        concurrency: The largest number of tasks at a time; by default, as many as there are processors.
        retries: How often a task is run again if its process or node dies or a server does not answer.
        remote: Options of Ray for each task, such as ``num_cpus`` or ``memory``.

    Raises:
        PermissionError: The object store refuses the credentials.
        ValueError: ``out`` has a census of another manifest.
        RuntimeError: Parts are missing.
    """
    import ray.data

    job = Job(manifest, out, columns, files)
    missing = job.missing()

    def run(row: dict[str, Any]) -> dict[str, Any]:
        try:
            return {"rows": job.run(missing[row["id"]]), "refused": ""}
        except PermissionError as error:
            return {"rows": 0, "refused": str(error)}

    written = 0
    if missing:
        # Each block is one part. No task lists files: a part finds its rows by its number.
        parts = ray.data.range(len(missing), override_num_blocks=len(missing))
        options = {"max_retries": retries, "retry_exceptions": [Unavailable], "scheduling_strategy": "SPREAD", **remote}
        for row in parts.map(run, concurrency=concurrency, **options).iter_rows():
            if row["refused"]:
                raise PermissionError(row["refused"])
            written += row["rows"]
    job.finish()
    return written
