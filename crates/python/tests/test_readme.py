"""The Python programs of documents run as they are written."""

from __future__ import annotations

import re
import zipfile
from pathlib import Path

import pytest

from conftest import ROOT


def programs(path: Path) -> list[str]:
    """The Python blocks of a Markdown file."""
    return re.findall(r"```python\n(.*?)```", path.read_text(encoding="utf-8"), re.DOTALL)


@pytest.mark.parametrize("document", ["README.md", "crates/python/README.md", "docs/python/README.md"])
def test_programs_run(document: str, corpus: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    blocks = programs(ROOT / document)
    assert blocks, document
    if any("matplotlib" in block for block in blocks):
        pytest.importorskip("matplotlib").use("Agg")
    if any("polars" in block for block in blocks):
        pytest.importorskip("polars")
    monkeypatch.chdir(tmp_path)
    with zipfile.ZipFile("pak0.pk3", "w") as pk3:
        for file in (corpus / "md3/player").iterdir():
            pk3.write(file, f"models/players/sarge/{file.name}")
    for name in ("flag.md3", "flag.tga", "walker.u3d"):
        Path(name).write_bytes((corpus / "gallery" / name).read_bytes())
    names: dict[str, object] = {}
    for block in blocks:
        exec(compile(block, document, "exec"), names)
