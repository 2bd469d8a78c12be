"""An object store for the tests of engines."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from support import Store


@pytest.fixture
def store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Store]:
    folder = tmp_path / "store"
    folder.mkdir()
    made = Store(folder)
    for name, value in {
        "AWS_ENDPOINT_URL": made.url,
        "AWS_ACCESS_KEY_ID": "key",
        "AWS_SECRET_ACCESS_KEY": "secret",
        "AWS_REGION": "us-east-1",
        "AWS_ALLOW_HTTP": "true",
    }.items():
        monkeypatch.setenv(name, value)
    yield made
    made.process.kill()
    made.process.wait()
