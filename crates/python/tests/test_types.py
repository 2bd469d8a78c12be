"""Documentation and representations of everything public."""

from __future__ import annotations

import inspect
from pathlib import Path

import meshlens
from conftest import square
from meshlens import _meshlens


def test_everything_public_is_documented_at_run_time() -> None:
    for name in meshlens.__all__:
        value = getattr(meshlens, name)
        assert inspect.getdoc(value), name
        if not inspect.isclass(value) or value.__module__ != "meshlens" or issubclass(value, BaseException):
            continue
        if value.__name__ in _meshlens.__dict__ or value is meshlens.Model:
            for member in dir(value):
                if not member.startswith("_"):
                    text = inspect.getdoc(getattr(value, member))
                    assert text and text.endswith((".", ")", "`")) or "\n" in (text or ""), f"{name}.{member}: {text!r}"
    assert "(points, 3)" in (meshlens.Mesh.positions.__doc__ or "")
    assert "IndexError" in (meshlens.Mesh.positions.__doc__ or "")


def test_every_object_has_a_representation(corpus: Path) -> None:
    scene = meshlens.open(corpus / "gallery/walker.u3d")
    tagged = meshlens.open(corpus / "md3/tagged.md3")
    objects = [
        scene, scene.nodes[0], scene.meshes[0], scene.clips[0], scene.nodes[0].clips[0], scene.nodes[0].animations[0],
        scene.nodes[0].joints[0], scene.materials[0], scene.arrays[0], scene.at(), scene.space, tagged.tags[0],
        square(), scene.export("glb"), meshlens.inspect(corpus / "md3/static.md3"), meshlens.Finding("error", "X", "y"),
    ]  # fmt: skip
    for value in objects:
        text = repr(value)
        assert type(value).__name__ in text and " object at 0x" not in text and len(text) < 600, text


def test_the_version_is_that_of_the_package() -> None:
    from importlib.metadata import version

    assert meshlens.__version__ == version("meshlens")
