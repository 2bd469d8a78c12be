"""The files of a manifest, fetched and described, part by part: what Ray, Daft, Spark and Dask share.

A manifest lists files: a Parquet file with the column ``uri`` and, if known, ``size`` and ``etag``, or CSV with a header of these
names. ``meshlens list`` writes one. URIs are paths, ``file://``, ``s3://`` and ``http(s)://``; object stores take their settings from the usual variables,
such as ``AWS_REGION`` and ``AWS_ENDPOINT_URL``. Needs ``pip install meshlens[census]``.
"""

from __future__ import annotations

import functools
import io
import json
import os
import stat
import threading
import uuid
from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from datetime import timedelta
from pathlib import Path
from typing import Any
from urllib.parse import quote, unquote, urlsplit

import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet as pq

from . import census
from ._meshlens import _census

__all__ = ["Job", "Unavailable", "fetch", "rows", "schema"]

#: Requests in flight, for each process.
REQUESTS = int(os.environ.get("MESHLENS_REQUESTS", "64"))
#: Bytes that are described at once.
BATCH_BYTES = 32 << 20

#: Bytes that are fetched ahead, if the manifest has sizes.
MOST_BYTES = 256 << 20

#: Refusals of an object store, without an answer between them, after which a census ends.
MOST_REFUSALS = 8
#: Codes of S3 that are about the credentials, and not about one object.
_CREDENTIALS = ("InvalidAccessKeyId", "SignatureDoesNotMatch", "ExpiredToken", "InvalidToken", "AuthorizationHeaderMalformed")

#: The starts of the variables from which object stores take their settings.
_SETTINGS = ("AWS_", "AZURE_", "GOOGLE_")

_LISTED = pa.schema([("uri", pa.string()), ("size", pa.int64()), ("etag", pa.string())])


class Unavailable(OSError):
    """A server does not answer, after retries. Calling again may help."""


def _local(uri: str) -> Path | None:
    """The path of a URI; ``None`` for those of servers."""
    scheme, sep, _ = uri.partition("://")
    if not sep:
        return Path(uri)
    return Path(unquote(urlsplit(uri).path)) if scheme == "file" else None


class Refused(PermissionError):
    """An object store refuses a request for one object."""


class _Store:
    """The client of an object store."""

    def __init__(self, root: str) -> None:
        from obstore.store import from_url

        retry = {
            "max_retries": 20,
            "backoff": {"init_backoff": timedelta(milliseconds=200), "max_backoff": timedelta(seconds=10), "base": 2},
            "retry_timeout": timedelta(minutes=3),
        }
        endpoint = os.environ.get("AWS_ENDPOINT_URL", "")
        options = {"allow_http": True} if endpoint.startswith("http://") or root.startswith("http://") else {}
        self.store: Any = from_url(root, client_options=options, retry_config=retry)
        self.has_answered = False


_lock = threading.Lock()
#: The client of each root, and the variables from which it has its settings.
_stores: dict[str, tuple[list[tuple[str, str]], _Store]] = {}


def _store(uri: str) -> tuple[_Store, str]:
    """The object store of a URI, and the path in it."""
    scheme, _, rest = uri.partition("://")
    host, _, path = rest.partition("/")
    root = f"{scheme}://{host}"
    settings = sorted(item for item in os.environ.items() if item[0].upper().startswith(_SETTINGS))
    with _lock:
        before, store = _stores.get(root, (None, None))
        if store is None or before != settings:
            store = _Store(root)
            _stores[root] = settings, store
        return store, unquote(path)


class _Refusals:
    """The number of requests of one census that each object store has refused since its last answer, and the last refusal."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._found: dict[_Store, tuple[int, str]] = {}

    def answers(self, store: _Store) -> None:
        store.has_answered = True
        with self._lock:
            self._found.pop(store, None)

    def refuses(self, store: _Store, uri: str, error: Exception) -> Refused:
        """Notes a refusal. Raises `PermissionError` if it is about the credentials, or if nothing else comes any more."""
        text = " ".join(str(error).split("\n\nDebug source:")[0].split())
        last = f"{uri}: access is refused: {text}"[:500]
        with self._lock:
            count = self._found.get(store, (0, ""))[0] + 1
            self._found[store] = count, last
        is_general = type(error).__name__ == "UnauthenticatedError" or any(code in text for code in _CREDENTIALS)
        if is_general or count >= MOST_REFUSALS:
            raise PermissionError(last)
        return Refused(last)

    def check(self) -> None:
        """Raises `PermissionError` if a store has refused every request: a table of such rows is useless."""
        for store, (_, last) in self._found.items():
            if not store.has_answered:
                raise PermissionError(last)


@contextmanager
def _asking(uri: str) -> Iterator[None]:
    """Raises `PermissionError` and `Unavailable` for the errors of a store."""
    from obstore import exceptions

    try:
        yield
    except (exceptions.PermissionDeniedError, exceptions.UnauthenticatedError, PermissionError) as error:
        raise PermissionError(f"{uri}: access is refused: {error}"[:500]) from None
    except (exceptions.BaseError, OSError) as error:
        raise Unavailable(f"{uri}: {error}"[:500]) from None


@functools.lru_cache(maxsize=1)
def schema() -> pa.Schema:
    """The schema of the rows."""
    return pa.record_batch(census.batch([], [])).schema


def fetch(uri: str, etag: str | None = None, size: int | None = None) -> bytes | Exception:
    """The content of a file, or why it cannot be read. An error has ``status = "changed"`` if the file does not have the entity
    tag and the size any more.

    Raises:
        PermissionError: An object store refuses the credentials.
        Unavailable: The server does not answer, after retries.
    """
    return _fetch(_Refusals(), uri, etag, size)


def _fetch(refusals: _Refusals, uri: str, etag: str | None, size: int | None) -> bytes | Exception:
    """Like ``fetch``. Raises `PermissionError` also if a store refuses eight requests one after the other."""
    if not uri:
        return ValueError("the manifest has no uri here")
    path = _local(uri)
    if path is not None:
        try:
            about = path.stat()
            if not stat.S_ISREG(about.st_mode) and not stat.S_ISDIR(about.st_mode):
                return OSError(f"{uri}: no regular file")
            listed = etag if etag and etag.startswith("mtime:") else None
            fault = _changed(uri, listed, size, f"mtime:{about.st_mtime_ns}", about.st_size)
            return fault or path.read_bytes()
        except (OSError, ValueError) as error:
            return error
    from obstore import exceptions

    try:
        store, key = _store(uri)
    except (exceptions.BaseError, ValueError) as error:
        return ValueError(f"{uri}: no URL of a file: {error}"[:500])
    try:
        found = store.store.get(key)
        about = found.meta
        content = _changed(uri, etag, size, about["e_tag"], about["size"]) or bytes(found.bytes())
    except (exceptions.NotFoundError, FileNotFoundError) as error:
        content = FileNotFoundError(f"{uri}: not found: {error}"[:500])
    except (exceptions.PermissionDeniedError, exceptions.UnauthenticatedError, PermissionError) as error:
        return refusals.refuses(store, uri, error)
    except exceptions.InvalidPathError as error:
        return ValueError(f"{uri}: no URL of a file: {error}"[:500])
    except (exceptions.BaseError, OSError) as error:
        raise Unavailable(f"{uri}: {error}"[:500]) from None
    refusals.answers(store)
    return content


def _changed(uri: str, etag: str | None, size: int | None, found: str | None, length: int) -> Exception | None:
    """The error about a file that is not the one of the manifest."""
    is_other = etag is not None and found is not None and etag.strip('"') != found.strip('"')
    if not is_other and size in (None, length):
        return None
    error = OSError(f"{uri}: changed after it was listed")
    error.status = "changed"  # type: ignore[attr-defined]
    return error


def rows(
    uris: Sequence[str | None],
    etags: Sequence[str | None] | None = None,
    sizes: Sequence[int | None] | None = None,
    columns: Sequence[str] | None = None,
) -> Iterator[pa.RecordBatch]:
    """Fetches files, many at a time, and describes them: record batches like those of ``census.batch``, in order. With the
    sizes, no more than about 256 MB wait in memory. The frames of an Unreal mesh and the buffers of a glTF file that are not in the
    same batch are fetched when their row is made, whether they are in ``uris`` or not.

    Raises:
        PermissionError: An object store refuses the credentials, eight requests one after the other, or every request.
        Unavailable: The server does not answer, after retries.
    """
    refusals = _Refusals()

    def beside(folder: str, name: str) -> bytes | Exception:
        return _fetch(refusals, folder + (quote(name) if "://" in folder else name), None, None)

    def described(group: Iterable[tuple[str, str | None, bytes | Exception]]) -> pa.RecordBatch:
        found, etags, contents = zip(*group)
        return pa.record_batch(_census(found, contents, etags, wanted, 1, beside))

    wanted = None if columns is None else ",".join(columns)
    nothing = [None] * len(uris)
    waiting = zip(uris, etags or nothing, sizes or nothing)
    running: deque[tuple[str, str | None, int, Future[bytes | Exception]]] = deque()
    group: list[tuple[str, str | None, bytes | Exception]] = []
    asked = size = 0
    with ThreadPoolExecutor(REQUESTS) as pool:
        try:
            while True:
                while len(running) < 2 * REQUESTS and (asked < MOST_BYTES or not running):
                    try:
                        uri, etag, length = next(waiting)
                    except StopIteration:
                        break
                    running.append((uri or "", etag, length or 0, pool.submit(_fetch, refusals, uri or "", etag, length)))
                    asked += length or 0
                if not running:
                    break
                uri, etag, length, done = running.popleft()
                content = done.result()
                asked -= length
                group.append((uri, etag, content))
                size += len(content) if isinstance(content, bytes) else 0
                if size >= BATCH_BYTES or len(group) >= 4096:
                    yield described(group)
                    group, size = [], 0
            refusals.check()
            if group:
                yield described(group)
        finally:
            for *_, future in running:
                future.cancel()


class Job:
    """A census of a manifest by parts of so many files. Each part is a Parquet file that appears whole or not at all, so that
    a census that was interrupted goes on where it was: with the parts that are missing.

    Args:
        manifest: The path or the URI of the manifest.
        out: A folder, or a prefix of an object store.
        columns: Columns of ``census.batch``.
        files: The number of files in a part. It stays the same when the census goes on.
    """

    def __init__(self, manifest: str, out: str, columns: Sequence[str] | None = None, files: int = 2000) -> None:
        self.manifest, self.out, self.files = str(manifest), str(out).rstrip("/"), files
        self.columns = list(columns) if columns is not None else None

    def __reduce__(self) -> tuple[Any, ...]:
        # Each process opens the manifest once.
        columns = None if self.columns is None else tuple(self.columns)
        return _job, (self.manifest, self.out, columns, self.files)

    @functools.cached_property
    def _listed(self) -> pq.ParquetFile | pa.Table:
        path = _local(self.manifest)
        content = path.open("rb") if path else io.BytesIO(_must(fetch(self.manifest)))
        with content:
            is_parquet = content.read(4) == b"PAR1"
            content.seek(0)
            if is_parquet:
                found = pq.ParquetFile(str(path) if path else pa.BufferReader(content.read()))
            else:
                types = pa.csv.ConvertOptions(column_types=_LISTED, strings_can_be_null=True)
                found = pa.csv.read_csv(content, convert_options=types)
        names = found.schema.names if isinstance(found, pa.Table) else found.schema_arrow.names
        if "uri" not in names:
            raise ValueError(f"{self.manifest}: a manifest has the column uri, and this one has {', '.join(names)}")
        return _listed(found) if isinstance(found, pa.Table) else found

    @property
    def file_count(self) -> int:
        """The number of files of the manifest."""
        listed = self._listed
        return int(listed.num_rows if isinstance(listed, pa.Table) else listed.metadata.num_rows)

    def listed(self, part: int) -> pa.Table:
        """The rows of the manifest that a part consists of. Reads no other row groups."""
        listed, start = self._listed, part * self.files
        if isinstance(listed, pa.Table):
            return listed.slice(start, self.files)
        groups: list[int] = []
        before = first = 0
        for group in range(listed.metadata.num_row_groups):
            count = listed.metadata.row_group(group).num_rows
            if before + count > start and before < start + self.files:
                first = first if groups else before
                groups.append(group)
            before += count
        found = listed.read_row_groups(groups, columns=list(_LISTED.names))
        return _listed(found.slice(start - first, self.files))

    def missing(self) -> list[int]:
        """The parts that are not there yet. The first call writes what the census is about to ``_census.json``.

        Raises:
            ValueError: The folder has a census of another manifest, of other columns or of parts of another size.
        """
        about = {"manifest": self.manifest, "files": self.file_count, "columns": self.columns, "part": self.files}
        there = self._get("_census.json")
        if there is None:
            self._put("_census.json", json.dumps(about).encode())
        elif json.loads(there) != about:
            raise ValueError(f"{self.out}: has another census: {there.decode()}")
        count, done = -(-self.file_count // self.files), self._names()
        return [part for part in range(count) if self._name(part) not in done]

    def run(self, part: int) -> int:
        """Describes the files of a part and writes it, also if it is there. Returns the number of its rows.

        Raises:
            PermissionError, Unavailable: Like ``rows``.
            OSError: The part cannot be written.
        """
        listed = self.listed(part).to_pydict()
        batches = list(rows(listed["uri"], listed["etag"], listed["size"], self.columns))
        table = pa.Table.from_batches(batches)
        sink = io.BytesIO()
        pq.write_table(table, sink, compression="zstd", row_group_size=1 << 16)
        self._put(self._name(part), sink.getvalue())
        return int(table.num_rows)

    def finish(self) -> None:
        """Writes ``_SUCCESS`` if no part is missing.

        Raises:
            RuntimeError: Parts are missing.
        """
        missing = self.missing()
        if missing:
            raise RuntimeError(f"{self.out}: {len(missing)} parts are missing; run the census again")
        self._put("_SUCCESS", b"")

    def _name(self, part: int) -> str:
        return f"part-{part:07}.parquet"

    def _names(self) -> set[str]:
        folder = _local(self.out)
        if folder is not None:
            folder.mkdir(parents=True, exist_ok=True)
            return {entry.name for entry in folder.iterdir()}
        store, prefix = _store(self.out)
        with _asking(self.out):
            return {entry["path"].rsplit("/", 1)[-1] for page in store.store.list(prefix + "/") for entry in page}

    def _get(self, name: str) -> bytes | None:
        found = fetch(f"{self.out}/{name}")
        return None if isinstance(found, FileNotFoundError) else _must(found)

    def _put(self, name: str, content: bytes) -> None:
        folder = _local(self.out)
        if folder is None:
            store, prefix = _store(self.out)
            with _asking(self.out):
                store.store.put(f"{prefix}/{name}", content)
            return
        folder.mkdir(parents=True, exist_ok=True)
        # Tasks that were thought dead may write the same part.
        new = folder / f".{name}.{uuid.uuid4().hex}.tmp"
        try:
            with new.open("wb") as file:
                file.write(content)
                file.flush()
                os.fsync(file.fileno())
            new.replace(folder / name)
        finally:
            new.unlink(missing_ok=True)


def _listed(found: pa.Table) -> pa.Table:
    """The columns of a manifest; null where it does not have them."""
    for field in _LISTED:
        if field.name not in found.schema.names:
            found = found.append_column(field, pa.nulls(found.num_rows, field.type))
    return found.select(_LISTED.names).cast(_LISTED)


def _must(found: bytes | Exception) -> bytes:
    if isinstance(found, Exception):
        raise found
    return found


@functools.lru_cache(maxsize=8)
def _job(manifest: str, out: str, columns: tuple[str, ...] | None, files: int) -> Job:
    return Job(manifest, out, columns, files)
