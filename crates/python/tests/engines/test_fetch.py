"""What the fetching of files says about those that cannot be had: a row, or one error for all."""

from __future__ import annotations

import os
import shutil
import threading
from pathlib import Path

import pytest

from meshlens.fetch import fetch, rows
from support import CORPUS, Store

MODEL = CORPUS / "md3/static.md3"


def states(uris: list[str | None], **listed: object) -> list[tuple[str, str | None]]:
    found = [batch.select(["status", "code"]).to_pylist() for batch in rows(uris, **listed)]
    return [(row["status"], row["code"]) for batch in found for row in batch]


def test_files_that_cannot_be_had_are_rows(tmp_path: Path) -> None:
    uris = [str(MODEL), str(tmp_path / "none.md3"), str(tmp_path), "a\0b.md3", "ftp://host/a.md3", "http://", None]
    there, gone, wrong = ("ok", None), ("unread", "NOT_FOUND"), ("unread", "IO")
    assert states(uris) == [there, gone, wrong, wrong, wrong, wrong, wrong]


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="pipes of Unix")
def test_pipes_are_rows(tmp_path: Path) -> None:
    pipe = tmp_path / "a.md3"
    os.mkfifo(pipe)
    # Whoever reads the pipe gets this content.
    threading.Thread(target=pipe.write_bytes, args=(b"x",), daemon=True).start()
    found = fetch(str(pipe))
    assert isinstance(found, OSError) and "no regular file" in str(found)


def test_local_files_that_changed_are_rows(tmp_path: Path) -> None:
    path = Path(shutil.copy(MODEL, tmp_path / "a.md3"))
    about = path.stat()
    same, other = f"mtime:{about.st_mtime_ns}", f"mtime:{about.st_mtime_ns + 1}"
    etags, sizes = [same, other, same], [about.st_size, about.st_size, 7]
    changed = ("changed", "CHANGED")
    assert states([str(path)] * 3, etags=etags, sizes=sizes) == [("ok", None), changed, changed]


def test_objects_that_changed_or_are_refused_are_rows(store: Store) -> None:
    [uri] = store.put([str(MODEL)])
    size = MODEL.stat().st_size
    found = [states([uri], sizes=[size]), states([uri], etags=['"old"']), states([uri], sizes=[7])]
    assert found == [[("ok", None)], [("changed", "CHANGED")], [("changed", "CHANGED")]]
    store.refuse(0, 1, "403 Forbidden")
    assert isinstance(fetch(uri), PermissionError)
    assert states([uri, "s3://models/none.md3"]) == [("ok", None), ("unread", "NOT_FOUND")]


def test_a_store_that_refuses_everything_is_one_error(store: Store) -> None:
    [uri] = store.put([str(MODEL)])
    store.refuse(0, 1000, "403 Forbidden")
    with pytest.raises(PermissionError, match="access is refused"):
        list(rows([uri] * 2))
    with pytest.raises(PermissionError, match="access is refused"):
        list(rows([uri] * 500))


def test_refusals_do_not_reach_another_census(store: Store) -> None:
    [uri] = store.put([str(MODEL)])
    store.refuse(0, 2, "403 Forbidden")
    with pytest.raises(PermissionError, match="access is refused"):
        list(rows([uri] * 2))
    assert states([str(MODEL)]) == [("ok", None)]
    # Seven refusals end no census, also after those of another.
    store.refuse(0, 7, "403 Forbidden")
    assert states([uri] * 8).count(("ok", None)) == 1


def test_other_credentials_are_read(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    [uri] = store.put([str(MODEL)])
    key, secret = store.user()
    store.check_credentials()
    with pytest.raises(PermissionError, match="InvalidAccessKeyId"):
        fetch(uri)
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", key)
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", secret)
    assert fetch(uri) == MODEL.read_bytes()


def test_refused_credentials_are_one_error(store: Store) -> None:
    [uri] = store.put([str(MODEL)])
    assert isinstance(fetch(uri), bytes)
    store.check_credentials()
    with pytest.raises(PermissionError, match="InvalidAccessKeyId"):
        fetch(uri)


def test_a_store_that_is_busy_for_a_while_is_waited_for(store: Store) -> None:
    [uri] = store.put([str(MODEL)])
    for status in ("503 Slow Down", "429 Too Many Requests"):
        before = store.refused()
        store.refuse(0, 3, status)
        assert fetch(uri) == MODEL.read_bytes()
        assert store.refused() == before + 3
